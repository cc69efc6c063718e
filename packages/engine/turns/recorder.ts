import { newId } from "compositor-core/message/id"
import type { Delta } from "compositor-core/message/row"
import type { ModelEvent, Seal } from "compositor-core/model/prompt"
import type { PartUpsert, Store, TurnKey } from "../store/store.ts"

const COALESCE_MS = 50
const COALESCE_CHARACTERS = 4096

type Speech = "text" | "reasoning"
type CallEnd = Extract<ModelEvent, { type: "tool-call-end" }>

interface OpenPart {
  readonly id: string
  readonly index: number
  readonly type: string
  /** Of a tool call: its text is the input as it comes. */
  readonly tool_call_id?: string
  /** What the model calls it. */
  readonly named?: string
  text: string
  /** How much of the text was told, and how much stood in the part's last row. */
  told: number
  saved: number
  /** Nothing is added any more; what else belongs to it. */
  ended: { readonly seal?: Seal; readonly input?: unknown; readonly invalid?: string } | undefined
  /** It has a row, and one that was written since it ended. */
  shown: boolean
  settled: boolean
}

/** A call that the model made, and the row that it has. */
export interface MadeCall {
  readonly part: Pick<PartUpsert, "id" | "index" | "type">
  readonly data: Readonly<Record<string, unknown>>
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

  add(type: Speech, text: string) {
    this.#append(this.#speech(type), text)
  }

  /** What was said in this kind is over; a seal without words is kept too. */
  seal(type: Speech, seal: Seal | null) {
    const last = this.#parts.at(-1)
    if (!seal && (last?.type !== type || last.ended)) return
    this.#speech(type).ended = seal ? { seal } : {}
    this.#soon()
  }

  startCall(id: string, name: string) {
    this.#open(`tool-${name}`, id)
    this.#soon()
  }

  tellCall(id: string, text: string) {
    const part = this.#callOf(id)
    if (part) this.#append(part, text)
  }

  endCall({ id, name, input, invalid, seal }: CallEnd) {
    const part = this.#callOf(id) ?? this.#open(`tool-${name}`, id)
    part.ended = { input, ...(invalid === undefined ? {} : { invalid }), ...(seal ? { seal } : {}) }
    this.#soon()
  }

  /** All that was said, once nothing of it is on its way any more. */
  async end(): Promise<PartUpsert[]> {
    clearTimeout(this.#timer)
    await this.#writing
    return this.#parts.map(upsertOf)
  }

  /** The calls whose input came whole, in the order they were made. */
  calls(): MadeCall[] {
    return this.#parts
      .filter((part) => part.tool_call_id !== undefined && part.ended)
      .map((part) => ({ part, data: dataOf(part) }))
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  #append(part: OpenPart, text: string) {
    part.text += text
    if (part.text.length - part.told >= COALESCE_CHARACTERS) this.#flush()
    else this.#soon()
  }

  #soon() {
    this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS)
  }

  #speech(type: Speech): OpenPart {
    const last = this.#parts.at(-1)
    return last?.type === type && !last.ended ? last : this.#open(type)
  }

  #callOf(id: string): OpenPart | undefined {
    return this.#parts.findLast((part) => part.named === id && !part.ended)
  }

  #open(type: string, named?: string): OpenPart {
    const part: OpenPart = {
      id: newId("prt"),
      index: this.#parts.length,
      type,
      ...(named === undefined ? {} : { named, tool_call_id: this.#unique(named) }),
      text: "",
      told: 0,
      saved: 0,
      ended: undefined,
      shown: false,
      settled: false,
    }
    this.#parts.push(part)
    return part
  }

  // Two calls of one answer are two rows, also when a model gives them one name.
  #unique(id: string): string {
    const same = this.#parts.filter((part) => part.named === id).length
    const name = id === "" ? "call" : id
    return same === 0 ? name : `${name}-${same + 1}`
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const deltas = this.#parts
      .filter((part) => part.told < part.text.length)
      .map((p) => this.#tell(p))
    const parts = this.#parts.filter(isDue).map(save)
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
      ...(part.tool_call_id === undefined ? {} : { tool_call_id: part.tool_call_id }),
      offset: part.told,
      text: part.text.slice(part.told),
    }
    part.told = part.text.length
    return delta
  }
}

// A call is shown as soon as it begins, words once there are some.
function isDue(part: OpenPart): boolean {
  const isCall = part.tool_call_id !== undefined
  if (part.ended) return isCall && !part.settled
  if (isCall && !part.shown) return true
  return part.text.length >= 2 * part.saved && part.text.length > part.saved
}

function save(part: OpenPart): PartUpsert {
  part.saved = part.text.length
  part.shown = true
  part.settled = part.ended !== undefined
  return upsertOf(part)
}

function upsertOf(part: OpenPart): PartUpsert {
  const { id, index, type, tool_call_id } = part
  const data = dataOf(part)
  const data_json = JSON.stringify(data)
  if (tool_call_id === undefined) return { id, index, type, data_json }
  return { id, index, type, data_json, tool_call_id, tool_state: String(data.state) }
}

function dataOf({ type, tool_call_id, text, ended }: OpenPart): Record<string, unknown> {
  if (tool_call_id === undefined) return { type, text, ...ended }
  const call = { type, tool_call_id, initiator: "model" }
  if (!ended) return { ...call, state: "input-streaming", input_text: text }
  return { ...call, state: "input-available", ...ended }
}
