import { newId } from "../message/id.ts"
import type { Delta } from "../message/row.ts"
import type { PartUpsert, Store, TurnKey } from "../store/store.ts"

const COALESCE_MS = 50
const COALESCE_CHARACTERS = 4096

interface OpenPart {
  readonly id: string
  readonly index: number
  readonly type: "text" | "reasoning"
  text: string
  /** How much of the text was told, and how much stood in the part's last row. */
  told: number
  saved: number
}

/** Writes down what a model says while it says it. Only what is new is appended, in pieces of about
 *  50 ms; a part's row is written at each doubling and at the end, so the bytes written stay linear
 *  in the bytes said (PER-012). */
export class Recorder {
  readonly #store: Pick<Store, "recordStream">
  readonly #turn: TurnKey
  readonly #message_id: string
  readonly #failed: (error: unknown) => void
  readonly #parts: OpenPart[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(
    store: Pick<Store, "recordStream">,
    about: { turn: TurnKey; message_id: string; failed: (error: unknown) => void },
  ) {
    this.#store = store
    this.#turn = about.turn
    this.#message_id = about.message_id
    this.#failed = about.failed
  }

  add(type: "text" | "reasoning", text: string) {
    const part = this.#open(type)
    part.text += text
    if (part.text.length - part.told >= COALESCE_CHARACTERS) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS)
  }

  /** All that was said, once nothing of it is on its way any more. */
  async end(): Promise<PartUpsert[]> {
    clearTimeout(this.#timer)
    await this.#writing
    return this.#parts.map(upsertOf)
  }

  #open(type: "text" | "reasoning"): OpenPart {
    const last = this.#parts.at(-1)
    if (last?.type === type) return last
    const index = this.#parts.length
    const part: OpenPart = { id: newId("prt"), index, type, text: "", told: 0, saved: 0 }
    this.#parts.push(part)
    return part
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const deltas = this.#parts
      .filter((part) => part.told < part.text.length)
      .map((p) => this.#tell(p))
    const parts = this.#parts.filter(hasDoubled).map(save)
    const record = { ...this.#turn, message_id: this.#message_id, deltas, parts }
    this.#writing = this.#writing
      .then(() => this.#store.recordStream(record))
      .then(() => undefined, this.#failed)
  }

  #tell(part: OpenPart): Delta {
    const delta: Delta = {
      turn_id: this.#turn.turn_id,
      message_id: this.#message_id,
      part_id: part.id,
      part_index: part.index,
      part_type: part.type,
      offset: part.told,
      text: part.text.slice(part.told),
    }
    part.told = part.text.length
    return delta
  }
}

function hasDoubled(part: OpenPart): boolean {
  return part.text.length >= 2 * part.saved && part.text.length > part.saved
}

function save(part: OpenPart): PartUpsert {
  part.saved = part.text.length
  return upsertOf(part)
}

function upsertOf({ id, index, type, text }: OpenPart): PartUpsert {
  return { id, index, type, data_json: JSON.stringify({ type, text }) }
}
