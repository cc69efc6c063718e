import { newId } from "../../packages/core/message/id.ts"
import type { Mode } from "../../packages/core/message/message.ts"
import type { Turn } from "../../packages/core/message/row.ts"
import type { Append } from "../../packages/engine/store/store.ts"

export const OWNER = "the model"
export const EDITING_MS = 10 * 60 * 1000

export interface Waiting {
  readonly id: string
  text: string
  state: "queued" | "paused" | "editing"
  mode: Mode
  /** Until when it is left to whoever edits it. */
  until: number
}

export interface Live {
  turn: Turn
  waiting: boolean
}

/** A session as a person would describe it: lists of what was said and of what waits. */
export interface Described {
  readonly id: string
  said: readonly string[]
  /** What can be restored, the newest last. */
  readonly left: (readonly string[])[]
  queue: Waiting[]
  live: Live | null
  drain: "open" | "stopped"
}

/** The rule of the queue, told once more. */
export function firing({ queue, drain, live }: Described, now: number): Waiting | undefined {
  if (live) return undefined
  const steered = queue.find(isSteer)
  if (steered) return steered
  const [head] = queue
  // One that was held before it was edited is held again.
  const isLeft = head?.state === "editing" && head.mode !== "paused" && head.until <= now
  if ((head?.state === "queued" || isLeft) && drain === "open") return head
  return queue.find(({ state, mode }) => state === "queued" && mode === "immediate")
}

export function isSteer({ state, mode }: Waiting): boolean {
  return state === "queued" && mode === "steer"
}

export function stopped(session: Described) {
  const steers = session.queue.filter(isSteer)
  session.queue = [...steers, ...session.queue.filter((one) => !isSteer(one))]
  for (const one of session.queue)
    if (steers.includes(one) || one.mode === "immediate") one.mode = "queued"
  session.drain = "stopped"
}

export function keyOf({ id, fence }: Turn) {
  return { turn_id: id, fence }
}

export function partOf(text: string) {
  const data_json = JSON.stringify({ type: "text", text })
  return { id: newId("prt"), type: "text", data_json, blob: null }
}

export function messageOf(
  session_id: string,
  sent: { id: string; text: string; mode: Mode },
): Append {
  return {
    session_id,
    message_id: sent.id,
    metadata: { schema_version: 1 },
    digest: sent.text,
    parts: [partOf(sent.text)],
    mode: sent.mode,
    position: null,
    expected_turn_id: null,
    captures: [],
    title: null,
    owner: OWNER,
  }
}

/** What the model is told of what was said; `tails` says where each summary's tail begins. */
export function toldOf(
  said: readonly string[],
  tails: ReadonlyMap<string, string | null>,
): readonly string[] {
  for (let at = said.length - 1; at >= 0; at--) {
    const marker = said[at] ?? ""
    const tail = tails.get(marker)
    if (tail === undefined) continue
    const from = tail === null ? at : said.indexOf(tail)
    if (from >= 0 && from <= at) return [marker, ...said.slice(from, at), ...said.slice(at + 1)]
  }
  return said
}
