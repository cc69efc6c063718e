import type { FolderEvents, SessionEvents } from "compositor-core/contract/events"
import type { SessionSummary } from "compositor-core/contract/sessions"
import type { Delta, StreamEvent } from "compositor-core/message/row"
import { ApiError, type Client } from "./client.ts"
import { type Frame, FrameReader } from "./sse.ts"

export type FollowEvent =
  | { readonly type: "row"; readonly row: StreamEvent }
  | { readonly type: "delta"; readonly delta: Delta }
  /** The stream began anew: read the page again and follow from there. The last event. */
  | { readonly type: "reset" }
  | { readonly type: "connection"; readonly state: "open" | "reconnecting" }

export type HostEvent =
  /** A session as the list shows it now; null when it is gone. */
  | { readonly type: "session"; readonly id: string; readonly session: SessionSummary | null }
  /** Some changes were missed: read the list again. */
  | { readonly type: "reset" }
  | Extract<FollowEvent, { type: "connection" }>

export interface FollowOptions {
  /** The next offset to read: a page's `stream_next_offset`. */
  readonly after: number
  readonly signal?: AbortSignal
  readonly timing?: Timing
}

interface Timing {
  readonly firstPause: number
  readonly longestPause: number
  /** The server pings every 15 s; silence for three of them is a dead connection. */
  readonly silence: number
}

const TIMING: Timing = { firstPause: 250, longestPause: 5_000, silence: 45_000 }

/** A session's stream from `after` on, for as long as it is wanted: a lost connection is made again
 *  where it broke. It ends when the signal says so or the stream began anew, and throws only what
 *  trying again would not mend: an `ApiError` for a refused token or a session that is gone. */
export async function* follow(
  client: Client,
  sessionId: string,
  { after, signal, timing }: FollowOptions,
): AsyncGenerator<FollowEvent, void, void> {
  const open: Open = (from) =>
    client.events(sessionId, from.lastEventId ? from : { ...from, after })
  for await (const frame of keepOpen(open, signal, timing)) {
    if ("type" in frame) yield frame
    else if (frame.event === "row")
      yield { type: "row", row: JSON.parse(frame.data) as SessionEvents["row"] }
    else if (frame.event === "delta")
      yield { type: "delta", delta: JSON.parse(frame.data) as SessionEvents["delta"] }
    else if (frame.event === "reset") {
      yield { type: "reset" }
      return
    }
  }
}

/** What changes in any session. Nothing is replayed: after each `open`, read the list again. */
export async function* followHost(
  client: Client,
  { signal, timing }: Omit<FollowOptions, "after"> = {},
): AsyncGenerator<HostEvent, void, void> {
  for await (const frame of keepOpen((from) => client.hostEvents(from), signal, timing)) {
    if ("type" in frame) yield frame
    else if (frame.event === "reset") yield { type: "reset" }
    else if (frame.event === "row") {
      const { key, value } = JSON.parse(frame.data) as FolderEvents["row"]
      yield { type: "session", id: key, session: value }
    }
  }
}

type Open = (from: { lastEventId?: string; signal: AbortSignal }) => Promise<Response>
type Connection = Extract<FollowEvent, { type: "connection" }>

async function* keepOpen(
  open: Open,
  signal: AbortSignal = new AbortController().signal,
  timing: Timing = TIMING,
): AsyncGenerator<Frame | Connection, void, void> {
  let lastEventId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      const attempt = (signal: AbortSignal) =>
        open(lastEventId === undefined ? { signal } : { lastEventId, signal })
      for await (const frame of readOnce(attempt, signal, timing.silence)) {
        failures = 0
        if ("id" in frame && frame.id !== undefined) lastEventId = frame.id
        yield frame
      }
    } catch (error) {
      if (isFinal(error)) throw error
    }
    if (signal.aborted) return
    yield { type: "connection", state: "reconnecting" }
    await pause(pauseAfter(failures++, timing), signal)
  }
}

/** One connection, until it ends, breaks or falls silent. */
async function* readOnce(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  silence: number,
): AsyncGenerator<Frame | Connection, void, void> {
  const attempt = new AbortController()
  const stop = () => attempt.abort()
  signal.addEventListener("abort", stop)
  let watchdog = setTimeout(stop, silence)
  try {
    const response = await open(attempt.signal)
    const reader = response.body?.getReader()
    if (!reader) return
    // An app in process does not see the signal, so the reader is told too.
    attempt.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}))
    yield { type: "connection", state: "open" }
    const frames = new FrameReader()
    while (!attempt.signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(watchdog)
      watchdog = setTimeout(stop, silence)
      yield* frames.push(value)
    }
  } finally {
    clearTimeout(watchdog)
    signal.removeEventListener("abort", stop)
    stop()
  }
}

function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429
}

// Jitter: after a restart a hundred pages must not come back in the same millisecond.
function pauseAfter(failures: number, { firstPause, longestPause }: Timing): number {
  const full = Math.min(longestPause, firstPause * 2 ** failures)
  return full * (0.5 + Math.random() / 2)
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal.addEventListener("abort", wake)
  })
}
