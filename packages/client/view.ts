import type {
  Delta,
  MessageRow,
  Segment,
  Session,
  SessionStatus,
  StoredMessage,
  StoredPart,
  StreamEvent,
  Turn,
  TurnState,
} from "compositor-core/message/row"
import type { MessagePage, QueueAnswer, SessionAnswer } from "./client.ts"
import type { FollowEvent } from "./events.ts"

/** A session as a surface shows it: a page of history and all that the stream said since. */
export interface SessionView {
  readonly session: Session
  readonly status: SessionStatus
  /** What fired, in the order of the session's path; the answer that is being written has its live
   *  text in its parts. */
  readonly messages: readonly StoredMessage[]
  /** What waits, in firing order. */
  readonly queue: readonly StoredMessage[]
  /** The turns that the stream told of, by id. */
  readonly turns: Readonly<Record<string, Turn>>
  /** Parts that are ahead of their rows, by id. */
  readonly live: Readonly<Record<string, LivePart>>
  /** The cursor of the page before the first message; null at the beginning. */
  readonly older: string | null
  /** The `seq` of the next row to apply. */
  readonly next: number
  /** The stream told of something this view cannot know: read the page again. */
  readonly stale: boolean
}

interface LivePart {
  readonly turn_id: string
  readonly message_id: string
  /** The row as last stored, which is the truth when the turn ends. */
  readonly stored: StoredPart | null
}

/** The view of a page. Read the queue after the page: what fired in between comes by the stream. */
export function viewOfPage(
  page: MessagePage,
  queue: QueueAnswer,
  answer: SessionAnswer,
): SessionView {
  const fired = new Set(page.messages.map((message) => message.id))
  return {
    session: answer.session,
    status: answer.status,
    messages: page.messages,
    queue: queue.queue.filter((message) => !fired.has(message.id)),
    turns: {},
    live: {},
    older: page.next,
    next: page.stream_next_offset,
    stale: false,
  }
}

/** Put an older page in front. */
export function prepend(view: SessionView, page: MessagePage): SessionView {
  const known = new Set(view.messages.map((message) => message.id))
  const older = page.messages.filter((message) => !known.has(message.id))
  return { ...view, messages: [...older, ...view.messages], older: page.next }
}

/** The view after one event. Applying anything twice changes nothing, and what did not change is
 *  the same object as before. */
export function applyEvent(view: SessionView, event: FollowEvent): SessionView {
  switch (event.type) {
    case "row":
      return event.row.seq < view.next ? view : applyRow(view, event.row)
    case "delta":
      return applyDelta(view, event.delta)
    case "reset":
      return view.stale ? view : { ...view, stale: true }
    case "connection":
      return view
  }
}

/** Whether a turn of this session is under way, so that what is sent now will wait. */
export function isBusy(status: SessionStatus): boolean {
  return status.state !== "idle" && status.state !== "error"
}

/** The last turn that the stream told of for this message. */
export function turnOf(view: SessionView, messageId: string): Turn | undefined {
  const turns = Object.values(view.turns).filter((turn) => turn.message_id === messageId)
  return turns.sort((a, b) => b.fence - a.fence || b.attempt - a.attempt)[0]
}

function applyRow(before: SessionView, row: StreamEvent): SessionView {
  const view = { ...before, next: row.seq + 1 }
  const value: unknown = row.value
  switch (row.type) {
    case "session":
      return value ? { ...view, session: value as Session } : view
    case "status":
      return value ? { ...view, status: value as SessionStatus } : view
    case "turn":
      return value ? applyTurn(view, value as Turn) : view
    case "message":
      return value
        ? applyMessage(view, value as MessageRow, row.headers.operation === "insert")
        : removeMessage(view, row.key)
    case "part":
      return value ? applyPart(view, value as StoredPart) : removePart(view, row.key)
    default: // A newer server tells of more than we show.
      return view
  }
}

function applyMessage(view: SessionView, row: MessageRow, isNew: boolean): SessionView {
  const known = findMessage(view, row.id)
  if (!known && isBeforeWindow(view, row)) return view
  // Its parts were told of before this view began.
  if (!known && !isNew && row.state !== "cancelled") return { ...view, stale: true }
  const message: StoredMessage = { ...row, parts: known?.parts ?? [] }
  switch (row.state) {
    case "queued":
    case "paused":
    case "editing":
      return {
        ...view,
        queue: put(view.queue, message, inFiringOrder),
        messages: without(view.messages, row.id),
      }
    case "fired":
      return {
        ...view,
        queue: without(view.queue, row.id),
        messages: put(view.messages, message, inPathOrder(view)),
      }
    case "cancelled":
      return removeMessage(view, row.id)
  }
}

function applyPart(view: SessionView, row: StoredPart): SessionView {
  const message = findMessage(view, row.message_id)
  if (!message) return view
  const live = view.live[row.id]
  if (!live) return putPart(view, message, row)
  const shown = message.parts.find((part) => part.id === row.id)
  // The row of a long part is written now and then; the text that came since is not taken back.
  const ahead = shown && isStreaming(row) && textOf(shown).startsWith(textOf(row))
  const part = ahead ? withText(row, textOf(shown)) : row
  const next = { ...view, live: { ...view.live, [row.id]: { ...live, stored: row } } }
  return putPart(next, message, part)
}

function applyDelta(view: SessionView, delta: Delta): SessionView {
  const message = findMessage(view, delta.message_id) ?? emptyAnswer(view, delta)
  if (isEnded(view.turns[delta.turn_id]?.state) || message.metadata.finish) return view
  const part = message.parts.find((part) => part.id === delta.part_id)
  if (part && !isStreaming(part)) return view
  const text = part ? textOf(part) : ""
  // A hole would be shown as if it were said so; the part's next row fills it.
  if (delta.offset > text.length) return view
  if (part && text.startsWith(delta.text, delta.offset)) return view
  const shown = part ?? emptyPart(message, delta)
  const live = view.live[delta.part_id] ?? {
    turn_id: delta.turn_id,
    message_id: delta.message_id,
    stored: part ?? null,
  }
  const next = {
    ...view,
    live: { ...view.live, [delta.part_id]: live },
    messages: put(view.messages, message, inPathOrder(view)),
  }
  const said = text.slice(0, delta.offset) + delta.text
  return putPart(next, message, withText(shown, said))
}

function applyTurn(view: SessionView, turn: Turn): SessionView {
  const next = { ...view, turns: { ...view.turns, [turn.id]: turn } }
  return isEnded(turn.state) ? settle(next, turn.id) : next
}

/** The turn is over: its rows are the truth, and nothing of it is live any more. */
function settle(view: SessionView, turnId: string): SessionView {
  const [over, live] = partition(Object.entries(view.live), ([, part]) => part.turn_id === turnId)
  if (over.length === 0) return view
  let next: SessionView = { ...view, live: Object.fromEntries(live) }
  for (const [id, { stored, message_id }] of over) {
    const message = findMessage(next, message_id)
    if (!message) continue
    next = stored ? putPart(next, message, stored) : removePart(next, id)
  }
  return next
}

function removeMessage(view: SessionView, id: string): SessionView {
  return { ...view, queue: without(view.queue, id), messages: without(view.messages, id) }
}

function removePart(view: SessionView, id: string): SessionView {
  const drop = (list: readonly StoredMessage[]) => {
    const at = list.findIndex((message) => message.parts.some((part) => part.id === id))
    const message = list[at]
    return message ? list.with(at, { ...message, parts: [...without(message.parts, id)] }) : list
  }
  return { ...view, queue: drop(view.queue), messages: drop(view.messages) }
}

function putPart(view: SessionView, message: StoredMessage, part: StoredPart): SessionView {
  const next = { ...message, parts: [...put(message.parts, part, inPartOrder)] }
  return message.state === "fired"
    ? { ...view, messages: put(view.messages, next, inPathOrder(view)) }
    : { ...view, queue: put(view.queue, next, inFiringOrder) }
}

function findMessage(view: SessionView, id: string): StoredMessage | undefined {
  const is = (message: StoredMessage) => message.id === id
  return view.messages.findLast(is) ?? view.queue.find(is)
}

/** A message of a page that was not loaded yet: it will come with that page. */
function isBeforeWindow(view: SessionView, row: MessageRow): boolean {
  const first = view.messages[0]
  if (view.older === null || !first || row.seq === null) return false
  return inPathOrder(view)(row, first) < 0
}

function isEnded(state: TurnState | undefined): boolean {
  return state === "finished" || state === "aborted" || state === "error" || state === "interrupted"
}

/** What comes in pieces: words and thoughts, or the input of a call. */
function textOf({ data, tool_call_id }: StoredPart): string {
  const text = tool_call_id === null ? data.text : data.input_text
  return typeof text === "string" ? text : ""
}

function withText(part: StoredPart, text: string): StoredPart {
  const said = part.tool_call_id === null ? { text } : { input_text: text }
  return { ...part, data: { ...part.data, ...said } }
}

/** The input of a call that came whole is its row's to say. */
function isStreaming({ tool_state }: StoredPart): boolean {
  return tool_state === null || tool_state === "input-streaming"
}

/** The answer whose first words came before its row. */
function emptyAnswer(view: SessionView, delta: Delta): StoredMessage {
  return {
    id: delta.message_id,
    session_id: view.session.id,
    role: "assistant",
    metadata: { turn_id: delta.turn_id },
    state: "fired",
    seq: null,
    position: null,
    created_at: 0,
    updated_at: 0,
    parts: [],
  }
}

function emptyPart(message: StoredMessage, delta: Delta): StoredPart {
  const { part_type: type, tool_call_id = null } = delta
  const state = tool_call_id === null ? null : "input-streaming"
  return {
    id: delta.part_id,
    message_id: message.id,
    session_id: message.session_id,
    index: delta.part_index,
    type,
    data: state === null ? { type, text: "" } : { type, tool_call_id, state, input_text: "" },
    tool_call_id,
    tool_state: state,
    created_at: 0,
    updated_at: 0,
  }
}

type Order<T> = (a: T, b: T) => number

type Placed = Pick<MessageRow, "id" | "session_id" | "seq">

/** The order of a history: by the session whose row it is, as the path names them, and then by
 *  `seq`, which every session counts by itself. What has no `seq` yet is its session's last. */
function inPathOrder({ session: { path } }: SessionView): Order<Placed> {
  return (a, b) => {
    const sessions = ownerAt(path, a) - ownerAt(path, b)
    if (sessions !== 0) return sessions
    return a.seq === b.seq ? compare(a.id, b.id) : (a.seq ?? LAST) - (b.seq ?? LAST)
  }
}

const LAST = Number.MAX_SAFE_INTEGER

/** Rows of a session that the path does not name are this one's own. */
function ownerAt(path: readonly Segment[], { session_id }: Placed): number {
  const at = path.findIndex(({ owner }) => owner === session_id)
  return at < 0 ? path.length : at
}

const inFiringOrder: Order<StoredMessage> = (a, b) =>
  compare(a.position ?? "", b.position ?? "") || compare(a.id, b.id)
const inPartOrder: Order<StoredPart> = (a, b) => a.index - b.index || compare(a.id, b.id)

// By code unit, as the database compares; a locale would put "a" before "B".
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The list with this item in its place, in the stead of the one with its id. */
function put<T extends { id: string }>(list: readonly T[], item: T, order: Order<T>): readonly T[] {
  const at = list.findLastIndex((other) => other.id === item.id)
  if (list[at] === item) return list
  const before = list[at - 1]
  const after = list[at + 1]
  const stays =
    at >= 0 && (!before || order(before, item) < 0) && (!after || order(item, after) < 0)
  if (stays) return list.with(at, item)
  const others = at < 0 ? list : list.toSpliced(at, 1)
  // Nearly always the end: what is new is last.
  const behind = others.findLastIndex((other) => order(other, item) < 0)
  return others.toSpliced(behind + 1, 0, item)
}

function without<T extends { id: string }>(list: readonly T[], id: string): readonly T[] {
  const at = list.findIndex((item) => item.id === id)
  return at < 0 ? list : list.toSpliced(at, 1)
}

function partition<T>(list: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [list.filter(test), list.filter((item) => !test(item))]
}
