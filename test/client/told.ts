import fc from "fast-check"
import type { MessagePage, QueueAnswer, SessionAnswer } from "../../packages/client/client.ts"
import type { FollowEvent } from "../../packages/client/events.ts"
import { type SessionView, viewOfPage } from "../../packages/client/view.ts"
import type {
  Delta,
  MessageRow,
  Session,
  SessionStatus,
  StoredMessage,
  StoredPart,
  Turn,
} from "../../packages/core/message/row.ts"

export type Act =
  | "send"
  | "edit"
  | "pause"
  | "cancel"
  | "raise"
  | "fire"
  | "answer"
  | "speak"
  | "think"
  | "store"
  | "lag"
  | "finish"
  | "rename"

/** What a server may do, in any order; what makes no sense at the moment does nothing. */
export const acts = fc.array(
  fc.constantFrom<Act>(
    "send",
    "send",
    "edit",
    "pause",
    "cancel",
    "raise",
    "fire",
    "fire",
    "answer",
    "answer",
    "speak",
    "speak",
    "speak",
    "think",
    "store",
    "lag",
    "finish",
    "rename",
  ),
  { maxLength: 60, size: "max" },
)

interface Page {
  readonly page: MessagePage
  readonly queue: QueueAnswer
  readonly answer: SessionAnswer
  readonly view: SessionView
  readonly told: number
}

/** A server's side of one session: rows, and the stream that tells of them. */
export class Told {
  #session: Session = emptySession()
  #status: SessionStatus = { state: "idle" }
  #messages: StoredMessage[] = []
  #turn: Turn | undefined
  #answer: StoredMessage | undefined
  #said = new Map<string, string>()
  #events: { event: FollowEvent; turn?: string }[] = []
  #rows = 0
  #seq = 0
  #ids = 0

  act(act: Act) {
    const head = this.#queue()[0]
    const last = this.#queue().at(-1)
    if (act === "send") this.#send()
    if (act === "edit" && head) this.#edit(head)
    if (act === "pause" && head)
      this.#row({ ...head, state: head.state === "paused" ? "queued" : "paused" })
    if (act === "cancel" && head) this.#row({ ...head, state: "cancelled" })
    if (act === "raise" && last && last !== head)
      this.#row({ ...last, position: `${head?.position?.slice(0, -1)}` })
    if (act === "fire" && head && !this.#turn) this.#fire(head)
    if (act === "answer" && this.#turn && !this.#answer) this.#begin(this.#turn)
    if (act === "speak") this.#say("text", 1)
    if (act === "think") this.#say("reasoning", 0)
    if (act === "store") this.#store()
    if (act === "lag") this.#store(3)
    if (act === "finish" && this.#turn) this.#finish(this.#turn, "finished")
    if (act === "rename") this.#rename()
  }

  /** The turn ends without its last words having been stored. */
  crash() {
    if (this.#turn) this.#end(this.#turn, "interrupted")
  }

  page(): Page {
    const page = {
      messages: this.#history(),
      next: null,
      stream_next_offset: this.#rows,
    }
    const queue: QueueAnswer = { queue: this.#queue(), drain: "open" }
    const answer = { session: this.#session, status: this.#status, queued: queue.queue.length }
    return {
      page,
      queue,
      answer,
      view: viewOfPage(page, queue, answer),
      told: this.#events.length,
    }
  }

  /** What the stream says to someone who has this page: rows from its offset on, and the words of
   *  the turn that ran when it was read, from their start. */
  eventsFrom({ page, told }: Page): FollowEvent[] {
    return this.#events
      .filter(({ event, turn }, at) => {
        if (event.type === "row") return event.row.seq >= page.stream_next_offset
        return at >= told || turn === this.#turnAt(told)
      })
      .map(({ event }) => event)
  }

  /** What a reader who saw everything shows. */
  truth() {
    const messages = this.#history().map((message) => ({
      ...message,
      parts: message.parts.map((part) => {
        const text = this.#said.get(part.id)
        return text === undefined ? part : { ...part, data: { ...part.data, text } }
      }),
    }))
    return { messages, queue: this.#queue(), status: this.#status, stale: false }
  }

  #turnAt(told: number): string | undefined {
    let running: string | undefined
    for (const { event } of this.#events.slice(0, told)) {
      if (event.type !== "row" || event.row.type !== "turn") continue
      const turn = event.row.value as Turn
      running = turn.state === "running" ? turn.id : undefined
    }
    return running
  }

  #history() {
    return this.#messages
      .filter((message) => message.state === "fired")
      .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  }

  #queue() {
    return this.#messages
      .filter((message) => message.state !== "fired" && message.state !== "cancelled")
      .sort((a, b) => (a.position === b.position ? by(a.id, b.id) : by(a.position, b.position)))
  }

  #send() {
    const id = this.#id("msg")
    const position = `${String(this.#ids).padStart(16, "0")}:a0`
    const message: StoredMessage = { ...emptyMessage(id, "user"), state: "queued", position }
    this.#messages.push({ ...message, parts: [] })
    this.#row(message, "insert")
    this.#part({ ...emptyPart(this.#id("prt"), id, 0, "text"), data: { type: "text", text: id } })
    const ref = { type: "file-ref", ref: { kind: "path", path: "a.ts" } }
    this.#part({ ...emptyPart(this.#id("prt"), id, 1, "file-ref"), data: ref })
  }

  #edit(message: StoredMessage) {
    for (const part of message.parts) this.#remove(part)
    const part = emptyPart(this.#id("prt"), message.id, 0, "text")
    this.#part({ ...part, data: { type: "text", text: `edited ${this.#ids}` } })
    this.#row({ ...message, updated_at: message.updated_at + 1 })
  }

  #fire(message: StoredMessage) {
    this.#row({ ...message, state: "fired", seq: ++this.#seq, position: null })
    this.#turn = { ...emptyTurn(this.#id("trn"), message.id), fence: this.#seq }
    this.#tell("turn", this.#turn.id, this.#turn, "insert")
    this.#state({ state: "busy", message_id: message.id, turn_id: this.#turn.id })
  }

  #begin(turn: Turn) {
    const message = emptyMessage(this.#id("msg"), "assistant")
    this.#answer = { ...message, seq: ++this.#seq, metadata: { turn_id: turn.id } }
    this.#messages.push(this.#answer)
    this.#row(this.#answer, "insert")
  }

  #say(type: "text" | "reasoning", index: number) {
    if (!this.#turn || !this.#answer) return
    const id = `prt_${this.#answer.id}_${index}`
    const offset = this.#said.get(id)?.length ?? 0
    const text = `word ${this.#ids++} `
    this.#said.set(id, (this.#said.get(id) ?? "") + text)
    const delta: Delta = {
      turn_id: this.#turn.id,
      message_id: this.#answer.id,
      part_id: id,
      part_index: index,
      part_type: type,
      offset,
      text,
    }
    this.#events.push({ event: { type: "delta", delta }, turn: this.#turn.id })
    // Its first words write its row.
    if (offset === 0) this.#store()
  }

  /** Rows may be behind the words that were told already; they never go back. */
  #store(behind = 0) {
    const answer = this.#answer
    if (!answer) return
    for (const [id, text] of this.#said) {
      if (!id.startsWith(`prt_${answer.id}_`)) continue
      const index = Number(id.at(-1))
      const type = index === 0 ? "reasoning" : "text"
      const row = this.#messages.find((message) => message.id === answer.id)?.parts
      const stored = row?.find((part) => part.id === id)?.data.text
      const least = typeof stored === "string" ? stored.length : 0
      const length = Math.max(least, text.length - behind)
      this.#part({
        ...emptyPart(id, answer.id, index, type),
        data: { type, text: text.slice(0, length) },
      })
    }
  }

  #finish(turn: Turn, state: Turn["state"]) {
    this.#store()
    const answer = this.#messages.find((message) => message.id === this.#answer?.id)
    if (answer) this.#row({ ...answer, metadata: { ...answer.metadata, finish: "stop" } })
    this.#end(turn, state)
  }

  #end(turn: Turn, state: Turn["state"]) {
    this.#tell("turn", turn.id, { ...turn, state, ended_at: 9 }, "update")
    this.#state({ state: "idle" })
    this.#turn = undefined
    this.#answer = undefined
  }

  #rename() {
    this.#session = { ...this.#session, title: `title ${this.#ids++}` }
    this.#tell("session", this.#session.id, this.#session, "update")
  }

  #state(status: SessionStatus) {
    this.#status = status
    this.#tell("status", this.#session.id, status, "update")
  }

  #row(message: StoredMessage, operation: "insert" | "update" = "update") {
    const at = this.#messages.findIndex((other) => other.id === message.id)
    const parts = this.#messages[at]?.parts ?? []
    this.#messages = this.#messages.with(at, { ...message, parts })
    const { parts: _, ...row } = message
    this.#tell("message", message.id, row satisfies MessageRow, operation)
  }

  #part(part: StoredPart) {
    const at = this.#messages.findIndex((message) => message.id === part.message_id)
    const message = this.#messages[at]
    if (!message) return
    const others = message.parts.filter((other) => other.id !== part.id)
    const parts = [...others, part].sort((a, b) => a.index - b.index)
    this.#messages = this.#messages.with(at, { ...message, parts })
    this.#tell("part", part.id, part, others.length < message.parts.length ? "update" : "insert")
  }

  #remove(part: StoredPart) {
    const at = this.#messages.findIndex((message) => message.id === part.message_id)
    const message = this.#messages[at]
    if (!message) return
    const parts = message.parts.filter((other) => other.id !== part.id)
    this.#messages = this.#messages.with(at, { ...message, parts })
    this.#tell("part", part.id, null, "delete")
  }

  #tell(
    type: string,
    key: string,
    value: object | null,
    operation: "insert" | "update" | "delete",
  ) {
    const headers = { operation, txid: String(this.#rows) }
    const row = { seq: this.#rows++, type, key, value: value as Record<string, unknown>, headers }
    this.#events.push({ event: { type: "row", row } })
  }

  #id(prefix: string) {
    return `${prefix}_${String(++this.#ids).padStart(4, "0")}`
  }
}

function by(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : 1
}

function emptySession(): Session {
  return {
    id: "ses_1",
    agent: "assistant",
    title: null,
    workspace_root: null,
    model: { provider_id: "mirror", model_id: "mirror" },
    parent_id: null,
    parent_message_id: null,
    permissions: [],
    metadata: {},
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    cache_read: 0,
    cache_write: 0,
    total_tokens: 0,
    cost_usd: 0,
    path: [],
    path_revision: 0,
    drain: "open",
    created_at: 1,
    updated_at: 1,
    archived_at: null,
  }
}

function emptyMessage(id: string, role: "user" | "assistant"): StoredMessage {
  return {
    id,
    session_id: "ses_1",
    role,
    metadata: {},
    state: "fired",
    seq: null,
    position: null,
    created_at: 1,
    updated_at: 1,
    parts: [],
  }
}

function emptyPart(id: string, message: string, index: number, type: string): StoredPart {
  return {
    id,
    message_id: message,
    session_id: "ses_1",
    index,
    type,
    data: {},
    tool_call_id: null,
    tool_state: null,
    created_at: 1,
    updated_at: 1,
  }
}

function emptyTurn(id: string, message: string): Turn {
  return {
    id,
    session_id: "ses_1",
    message_id: message,
    agent: "assistant",
    attempt: 1,
    state: "running",
    model: { provider_id: "mirror", model_id: "mirror" },
    api: null,
    fence: 1,
    system_prompt_digest: null,
    tool_catalog_digest: null,
    capabilities_revision: null,
    usage: null,
    error: null,
    waiting: [],
    retry: null,
    notices: [],
    started_at: 1,
    ended_at: null,
  }
}
