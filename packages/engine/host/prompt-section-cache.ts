import type { PromptSections } from "../turns/system-prompt.ts"
import type { TurnPlace } from "../turns/turn-context.ts"
import type { Store } from "../store/store.ts"

/** So many are remembered; the one not asked for longest goes first. */
const MAX_REMEMBERED = 1000
/** The last answer is among so many messages, unless nothing was answered yet. */
const LOOKED_AT = 20

type Sections = Omit<PromptSections, "manifest">

/** What a session was told stays what it is told, in the next process and in its branches too: what was
 *  said last is taken from the store, and written anew only where nothing was said or the manifest is
 *  another (SKL-003). */
export class KeptSections {
  readonly #store: Pick<Store, "history" | "systemPrompt">
  readonly #write: (place: TurnPlace) => Promise<Sections>
  readonly #known = new Map<string, Promise<Sections>>()

  constructor(
    store: Pick<Store, "history" | "systemPrompt">,
    write: (place: TurnPlace) => Promise<Sections>,
  ) {
    this.#store = store
    this.#write = write
  }

  of(place: TurnPlace): Promise<Sections> {
    const key = JSON.stringify([place.session_id, place.agent.prompt])
    const sections = this.#known.get(key) ?? this.#find(place)
    this.#known.delete(key)
    this.#known.set(key, sections)
    // What could not be found out is asked again the next time.
    sections.catch(() => this.#known.delete(key))
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) break
      this.#known.delete(oldest)
    }
    return sections
  }

  async #find(place: TurnPlace): Promise<Sections> {
    const said = await this.#lastSaid(place.session_id)
    const rest = said === undefined ? undefined : behind(said, place.agent.prompt.trim())
    if (rest === undefined || UNFENCED.test(rest)) return this.#write(place)
    return { instructions: rest }
  }

  async #lastSaid(session_id: string): Promise<string | undefined> {
    const page = await this.#store.history(session_id, { limit: LOOKED_AT }).catch(() => undefined)
    const digests = (page?.messages ?? []).map(({ metadata }) => metadata.system_prompt_digest)
    const last = digests.findLast((digest) => typeof digest === "string")
    return last === undefined ? undefined : ((await this.#store.systemPrompt(last)) ?? undefined)
  }
}

/** How instructions stood in a prompt before anybody was asked to trust them: such a prompt is not kept. */
const UNFENCED = /^Instructions from .*:\n(?!<project_instructions )/m

/** What stands behind the manifest, with a blank line between; undefined where another stands there. */
function behind(said: string, manifest: string): string | undefined {
  if (said === manifest) return ""
  return said.startsWith(`${manifest}\n\n`) ? said.slice(manifest.length + 2) : undefined
}
