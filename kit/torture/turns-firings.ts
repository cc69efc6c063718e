import type { TurnsCall } from "./turns-server.ts"
import type { Freeze, MessageRow, TurnRow } from "./turns-verdict.ts"

/** How long what waited had to wait once it could have been fired. */
export interface Firings {
  /** From idle to the turn's row. A turn that ends claims the next in the same commit, so most are 0. */
  readonly claimed_ms: readonly number[]
  /** From idle to the model that is asked, by the clocks of those who ran the turns. */
  readonly asked_ms: readonly number[]
  /** What waited at a session where nothing ran, and what waited behind a turn that was taken over. */
  readonly at_idle: number
  readonly after_take_over: number
  /** A stopped process held the lock for writing meanwhile. */
  readonly locked: number
  /** Its process was killed before it came to ask. */
  readonly never_asked: number
}

interface Known {
  readonly messages: ReadonlyMap<string, MessageRow>
  readonly freezes: readonly Freeze[]
  readonly calls: readonly TurnsCall[]
}

/** `turns` are in the order of their sessions, and in each session's own. */
export function firingsOf(turns: readonly TurnRow[], known: Known): Firings {
  const locks = known.freezes.filter(({ held }) => held)
  const calls = Map.groupBy(known.calls, ({ id }) => id)
  const all = turns.flatMap((turn, at) => waitOf(turn, turns[at - 1], { ...known, calls }))
  const open = all.filter(
    ({ idle, until }) => !locks.some(({ from, to }) => from <= until && to >= idle),
  )
  return {
    claimed_ms: open.map(({ claimed_ms }) => claimed_ms),
    asked_ms: open.flatMap(({ asked_ms }) => asked_ms ?? []),
    at_idle: open.filter(({ kind }) => kind === "idle").length,
    after_take_over: open.filter(({ kind }) => kind === "take-over").length,
    locked: all.length - open.length,
    never_asked: open.filter(({ asked_ms }) => asked_ms === undefined).length,
  }
}

interface Wait {
  readonly kind: "idle" | "take-over" | "queue"
  readonly idle: number
  readonly until: number
  readonly claimed_ms: number
  readonly asked_ms: number | undefined
}

function waitOf(
  turn: TurnRow,
  previous: TurnRow | undefined,
  { messages, calls }: Pick<Known, "messages"> & { calls: ReadonlyMap<string, TurnsCall[]> },
): Wait[] {
  const message = messages.get(turn.message_id)
  const before = previous?.session_id === turn.session_id ? previous : undefined
  if (!message || before?.ended_at === null) return []
  const ended_at = before?.ended_at ?? 0
  const idle = Math.max(ended_at, message.queued_at)
  const asked_at = calls
    .get(turn.message_id)
    ?.find((call) => call.asked_at >= turn.started_at && isOwner(call, turn))?.asked_at
  const isIdle = message.queued_at >= ended_at
  return [
    {
      kind: isIdle ? "idle" : before?.state === "interrupted" ? "take-over" : "queue",
      idle,
      until: asked_at ?? turn.started_at,
      claimed_ms: Math.max(0, turn.started_at - idle),
      asked_ms: asked_at === undefined ? undefined : Math.max(0, asked_at - idle),
    },
  ]
}

function isOwner({ pid }: TurnsCall, { owner }: TurnRow): boolean {
  return owner.split("|")[2] === String(pid)
}
