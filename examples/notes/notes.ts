import type { EditorContextPart } from "../../packages/core/parts/editor-context.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import type { Client } from "../../packages/client/client.ts"
import {
  type ContextPolicy,
  chooseContexts,
  partOfGesture,
  referenceTo,
  type SentContexts,
} from "../../packages/core/compose/editor-context.ts"

interface Note {
  readonly path: string
  readonly links: readonly string[]
}

/** Which notes are open goes along once, until that changes; what links to them when it is asked for
 *  by a button. A dragged note is a reference: the agent reads it when it needs it. */
const POLICY: ContextPolicy = {
  kinds: { open: "automatic", related: "explicit" },
  repeat: "once",
  max_parts: 4,
  max_characters: 4 * 1024,
}

/** A notebook of linked notes that talks to an agent: a graph host. */
export class Notebook {
  readonly #client: Client
  readonly #session: string
  readonly #notes: readonly Note[]
  #open: readonly string[] = []
  #sent: SentContexts = new Map()
  #attached: PartData[] = []

  constructor(client: Client, session: string, notes: readonly Note[]) {
    this.#client = client
    this.#session = session
    this.#notes = notes
  }

  open(...paths: readonly string[]) {
    this.#open = paths
  }

  drag(path: string) {
    const name = path.slice(path.lastIndexOf("/") + 1)
    this.#attached.push(partOfGesture([], { name, mime: "text/markdown", path }))
  }

  paste(path: string) {
    this.#attached.push(referenceTo({ note: path }, { source: "notes", at: Date.now() }))
  }

  async say(source: string, asked: readonly string[] = []) {
    const offered = this.#contexts()
    const { parts, sent } = chooseContexts(POLICY, offered, { sent: this.#sent, asked })
    const attached = [...this.#attached, ...parts]
    const answer = await this.#client.send(this.#session, { source, parts: attached })
    this.#sent = sent
    this.#attached = []
    return answer
  }

  #contexts(): EditorContextPart[] {
    const about = { type: "editor-context", source: "notes", emitted_at: Date.now() } as const
    const related = this.#notes.filter(({ links }) =>
      links.some((link) => this.#open.includes(link)),
    )
    return [
      { ...about, kind: "open", payload: { notes: this.#open } },
      { ...about, kind: "related", payload: { notes: related.map(({ path }) => path) } },
    ]
  }
}
