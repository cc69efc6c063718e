import type { StoredMessage } from "compositor-core/message/row"
import type { Claim, Store } from "../store/store.ts"

/** The hook `message.user`: hears of each user's message that fires, before the model does. A host
 *  that can put the world back says under which id it kept it, and a rewind names that id (SES-011). */
export type MessageUser = (fired: FiredMessage) => Promise<{ readonly snapshot_id: string } | void>

export interface FiredMessage {
  readonly session_id: string
  readonly turn_id: string
  readonly workspace_root: string | null
  readonly message: StoredMessage
  /** Aborts when the turn is to stop, or when the hook took too long. */
  readonly signal: AbortSignal
}

export interface FiredRooms {
  readonly store: Pick<Store, "message" | "recordSnapshot">
  readonly message_user?: MessageUser | undefined
}

interface Fired {
  readonly claim: Claim
  readonly message_ids: readonly string[]
  readonly signal: AbortSignal
}

/** A hook that hangs must not hold its message. */
const HOOK_MS = 60_000
const MAX_SNAPSHOT_ID = 200

/** Tell the host of messages that fired. Each is told once, whoever goes on with the turn; a hook that
 *  fails is a notice, and the message is answered all the same. */
export async function tellFired(rooms: FiredRooms, { message_ids, ...about }: Fired) {
  const { message_user } = rooms
  if (!message_user) return
  for (const id of message_ids) await tellOne({ ...rooms, message_user }, id, about)
}

async function tellOne(
  { store, message_user }: FiredRooms & { readonly message_user: MessageUser },
  message_id: string,
  { claim, signal }: Omit<Fired, "message_ids">,
) {
  const { turn, workspace_root } = claim
  const { session_id, id: turn_id, fence } = turn
  const message = await store.message(session_id, message_id)
  if (!message || "snapshot_id" in message.metadata) return
  const key = { turn_id, fence, message_id }
  // On disk before the hook is called: after a crash nobody knows how far it came.
  await store.recordSnapshot({ ...key, snapshot_id: null })
  const about = { session_id, turn_id, workspace_root, message }
  const came = await asked(message_user, about, signal)
  if (came) await store.recordSnapshot({ ...key, ...came })
}

type Came =
  | { readonly snapshot_id: string }
  | { readonly snapshot_id: null; readonly notice: string }
  | undefined

async function asked(
  hook: MessageUser,
  about: Omit<FiredMessage, "signal">,
  stop: AbortSignal,
): Promise<Came> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(HOOK_MS)])
  try {
    const answer = await Promise.race([hook({ ...about, signal }), aborted(signal)])
    if (!answer) return undefined
    return { snapshot_id: checked(answer.snapshot_id) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { snapshot_id: null, notice: `No snapshot was kept for this message: ${why}` }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
}

function checked(id: unknown): string {
  if (typeof id === "string" && id !== "" && id.length <= MAX_SNAPSHOT_ID) return id
  throw new Error(
    `its snapshot_id must be 1 to ${MAX_SNAPSHOT_ID} characters, not ${JSON.stringify(id)?.slice(0, 80)}`,
  )
}
