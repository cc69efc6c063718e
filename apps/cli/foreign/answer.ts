import { recordOf } from "compositor-core/message/untyped"
import { newId } from "compositor-core/message/id"
import type { Delta } from "compositor-core/message/row"
import type { ToolState } from "compositor-core/message/tool-part"

/** A part of an answer as it stands. */
interface Said {
  readonly id: string
  readonly index: number
  readonly type: string
  data: Record<string, unknown>
  /** How much of its text was given out. */
  told: number
  dirty: boolean
}

export interface Row {
  readonly id: string
  readonly index: number
  readonly type: string
  readonly data_json: string
  readonly tool_call_id?: string
  readonly tool_state?: string
}

const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024

/** What another agent says in one turn, as parts of one answer. */
export class ForeignAnswer {
  readonly message_id = newId("msg")
  readonly #turn_id: string
  readonly #parts: Said[] = []
  readonly #calls = new Map<string, Said>()
  #characters = 0

  constructor(turn_id: string) {
    this.#turn_id = turn_id
  }

  /** One `session/update` of the agent. */
  hear(update: { readonly [name: string]: unknown }) {
    const type = WORDS[String(update.sessionUpdate)]
    if (type !== undefined) this.#say(type, textOf(update.content))
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      this.#call(update)
  }

  /** What is new since this was last asked. */
  news(): { deltas: Delta[]; parts: Row[] } {
    const deltas = this.#parts.flatMap((part) => this.#deltaOf(part))
    const parts = [...this.#calls.values()].filter(({ dirty }) => dirty).map(rowOf)
    for (const part of this.#calls.values()) part.dirty = false
    return { deltas, parts }
  }

  rows(): Row[] {
    return this.#parts.map(rowOf)
  }

  #say(type: string, text: string) {
    this.#characters += text.length
    if (text === "" || this.#characters > MAX_ANSWER_CHARACTERS) return
    const last = this.#parts.at(-1)
    const part = last?.type === type ? last : this.#add(type, { type, text: "" })
    part.data = { ...part.data, text: String(part.data.text) + text }
  }

  #call(update: { readonly [name: string]: unknown }) {
    const tool_call_id = String(update.toolCallId)
    const known = this.#calls.get(tool_call_id)
    const part = known ?? this.#add(typeOf(update), { tool_call_id, input: {} })
    this.#calls.set(tool_call_id, part)
    const { rawInput, rawOutput, title, kind, content, status } = update
    part.data = {
      ...part.data,
      type: part.type,
      initiator: "handler",
      ...(rawInput === undefined ? {} : { input: rawInput }),
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof kind === "string" ? { kind } : {}),
      ...resultOf(wordOf(status), rawOutput ?? content, part.data.state),
    }
    part.dirty = true
  }

  #add(type: string, data: Record<string, unknown>): Said {
    const index = this.#parts.length
    const part: Said = { id: newId("prt"), index, type, data, told: 0, dirty: true }
    this.#parts.push(part)
    return part
  }

  #deltaOf(part: Said): Delta[] {
    const { text } = part.data
    if (typeof text !== "string" || text.length === part.told) return []
    const delta = {
      turn_id: this.#turn_id,
      message_id: this.message_id,
      part_id: part.id,
      part_index: part.index,
      part_type: part.type,
      offset: part.told,
      text: text.slice(part.told),
    }
    part.told = text.length
    return [delta]
  }
}

const WORDS: Readonly<Record<string, string>> = {
  agent_message_chunk: "text",
  agent_thought_chunk: "reasoning",
}

function textOf(content: unknown): string {
  const { type, text, uri } = recordOf(content)
  if (typeof text === "string") return text
  return type === undefined ? "" : `[${wordOf(type)}${typeof uri === "string" ? ` ${uri}` : ""}]`
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** The tool by the name that the agent gives it, or by what kind it is. */
function typeOf({ name, kind }: { readonly [name: string]: unknown }): string {
  const given = typeof name === "string" && name !== "" ? name : wordOf(kind) || "other"
  return `tool-${given.replace(/[^\w.-]/g, "_").slice(0, 100)}`
}

function resultOf(status: string, output: unknown, before: unknown): Record<string, unknown> {
  const state = STATES[status]
  if (state === "output-available") return { state, output: { data: output ?? null } }
  if (state === "output-error") return { state, error_text: JSON.stringify(output ?? "failed") }
  return { state: state ?? before ?? "input-available" }
}

const STATES: Readonly<Record<string, ToolState>> = {
  pending: "input-available",
  in_progress: "input-available",
  completed: "output-available",
  failed: "output-error",
}

function rowOf({ id, index, type, data }: Said): Row {
  const { tool_call_id, state } = data
  return {
    id,
    index,
    type,
    data_json: JSON.stringify(data),
    ...(typeof tool_call_id === "string" ? { tool_call_id, tool_state: String(state) } : {}),
  }
}
