import type { QuotePart } from "compositor-core/parts/quote"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import { isSidecar, type Session, type StoredMessage } from "compositor-core/message/row"
import type { Branch, SessionChanged, Store } from "../store/store.ts"

const BOUNDARY =
  "What stands above is the main conversation, which goes on without this one. This is a side conversation: what is said here stays here unless the user brings it back. Answer it by itself; do not go on with tasks from above."

/** A branch, and where it is a sidecar a note at its beginning that says so (UX-020, BEY-09). */
export async function branchOff(
  store: Pick<Store, "branch">,
  input: Omit<Branch, "id" | "note">,
): Promise<SessionChanged> {
  const sidecar = isSidecar({ parent_id: input.parent_id, metadata: input.metadata })
  const note = { message_id: newId("msg"), part_id: newId("prt"), text: BOUNDARY }
  return store.branch({ ...input, id: newId("ses"), ...(sidecar ? { note } : {}) })
}

interface WantedQuote {
  readonly message_id: string
  /** Of what the message says, in UTF-16 units; all of it when nothing is said. */
  readonly range?: { readonly start: number; readonly end: number } | undefined
}

/** Put something that was said in a sidecar into its parent's draft, as a quote with its source. */
export async function bringBack(
  store: Pick<Store, "session" | "message" | "attachToDraft">,
  session_id: string,
  wanted: WantedQuote,
): Promise<{ session_id: string; part: QuotePart; revision: number; txid: string }> {
  const session = await store.session(session_id)
  if (!session) throw new Refusal("not_found", `there is no session ${session_id}`)
  const parent_id = parentOf(session)
  const message = await store.message(session_id, wanted.message_id)
  if (!message)
    throw new Refusal("not_found", `there is no message ${wanted.message_id} in ${session_id}`)
  const part = quoteOf(session_id, message, wanted)
  const part_json = JSON.stringify(part)
  const saved = await store.attachToDraft({
    session_id: parent_id,
    part_json,
    updated_by: session_id,
  })
  return { session_id: parent_id, part, ...saved }
}

function parentOf({ id, parent_id }: Session): string {
  if (parent_id !== null) return parent_id
  throw new Refusal(
    "conflict",
    `session ${id} is no branch: there is nowhere to bring this back to`,
  )
}

function quoteOf(session_id: string, message: StoredMessage, { range }: WantedQuote): QuotePart {
  const said = wordsOf(message)
  const text = range ? said.slice(range.start, range.end).toWellFormed() : said
  if (text.trim() === "")
    throw new Refusal("invalid", `message ${message.id} says nothing there that could be quoted`)
  return { type: "quote", session_id, message_id: message.id, text, ...(range ? { range } : {}) }
}

function wordsOf({ parts }: StoredMessage): string {
  return parts
    .filter(({ type }) => type === "text")
    .map(({ data }) => (typeof data.text === "string" ? data.text : ""))
    .join("\n")
}
