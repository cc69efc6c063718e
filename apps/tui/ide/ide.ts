import type { EditorContextPart } from "compositor-core/parts/editor-context"
import type { PartData } from "compositor-core/parts/define-part"
import { type EditorLink, linkClaude } from "./claude-link.ts"
import { findEditors, type EditorEndpoint, type EditorFolders } from "./find.ts"
import { linkGemini } from "./gemini-link.ts"
import { automaticParts, contextsOf, type IdeState } from "./state.ts"

interface IdeOptions extends EditorFolders {
  readonly workspace: string
  readonly changed: () => void
  /** The editor went away, or would not listen. */
  readonly lost?: (reason: string) => void
}

/** What an editor beside us shows. Nothing is asked of any editor until a person wants it. */
export class Ide {
  readonly #options: IdeOptions
  #link: EditorLink | undefined
  #contexts: readonly EditorContextPart[] = []
  #complete = false
  #says: string | undefined
  #dismissed: string | undefined

  constructor(options: IdeOptions) {
    this.#options = options
  }

  get isLinked(): boolean {
    return this.#link !== undefined
  }

  /** What happened to the link, in words. */
  get says(): string | undefined {
    return this.#says
  }

  get contexts(): readonly EditorContextPart[] {
    return this.#contexts
  }

  /** Whether the editor told all that it was asked when it was found. */
  get isComplete(): boolean {
    return this.#complete
  }

  /** What goes along with the next message. */
  get parts(): readonly PartData[] {
    const parts = automaticParts(this.contexts)
    return JSON.stringify(parts) === this.#dismissed ? [] : parts
  }

  /** Leave the selection as it is now out, until it is another one. */
  dismiss(): boolean {
    const parts = this.parts
    if (parts.length === 0) return false
    this.#dismissed = JSON.stringify(automaticParts(this.contexts))
    this.#options.changed()
    return true
  }

  async link(): Promise<EditorEndpoint | undefined> {
    this.unlink()
    const [door] = await findEditors(this.#options.workspace, this.#options)
    if (!door) return undefined
    const hear = (state: IdeState) => {
      this.#contexts = contextsOf(state, this.#options.workspace)
      this.#complete = state.complete
      this.#options.changed()
    }
    const lost = (reason: string) => {
      if (!this.#link) return
      this.#says = reason
      this.unlink()
      this.#options.lost?.(reason)
    }
    this.#link = LINKS[door.kind](door, hear, lost)
    this.#says = undefined
    return door
  }

  unlink() {
    this.#link?.close()
    this.#link = undefined
    this.#contexts = []
    this.#complete = false
    this.#options.changed()
  }
}

const LINKS = { claude: linkClaude, gemini: linkGemini } as const
