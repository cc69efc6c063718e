import type { readWorkspaceFile } from "../files/workspace.ts"
import type { BlobStore } from "../files/blobs.ts"
import { captureRange, LOAD_LIMITS, type Sources } from "../lower/load.ts"
import { newId } from "../message/id.ts"
import { type Mode, type ModelChoice, SCHEMA_VERSION } from "../message/message.ts"
import type { FileRefPart, MentionPart, Part, TextPart, UnknownPart } from "../message/part.ts"
import { Refusal } from "../message/refusal.ts"
import type { Metadata } from "../message/row.ts"
import { newCapture } from "../store/capture.ts"
import type { Appended, MessageChanged, NewCapture, NewPart, Store } from "../store/store.ts"
import { digestOf } from "./digest.ts"
import { type PreparedPart, preparePart } from "./prepare-part.ts"

export interface SubmitRooms {
  readonly store: Pick<Store, "append" | "changeQueued" | "blob" | "session">
  readonly blobs: BlobStore
  readonly read: typeof readWorkspaceFile
  /** Who claims the message when its session is idle; null where no turns run. */
  readonly owner: string | null
}

export interface Submission {
  readonly session_id: string
  readonly message_id?: string | undefined
  readonly parts: readonly (Part | UnknownPart)[]
  readonly mode?: Mode | undefined
  readonly model?: ModelChoice | undefined
  readonly position?: string | undefined
  readonly expected_turn_id?: string | undefined
  readonly metadata?: Metadata | undefined
}

const TITLE_CHARACTERS = 80

/** What the store writes into a message's metadata; a surface may not (PER-006). */
const RESERVED = [
  "schema_version",
  "queued_at",
  "queue_enqueued_at",
  "queue_canceled_at",
  "model",
  "turn_id",
  "finish",
  "superseded",
  "usage",
  "system_prompt_digest",
  "hidden_at",
  "purged_at",
]

/** The one way in, for every surface and every trigger: the message is resolved, then persisted, and
 *  nothing else has happened before it is on disk (CMP-130). */
export async function submit(rooms: SubmitRooms, submission: Submission): Promise<Appended> {
  refuseReserved(submission.metadata)
  const { parts, captures } = await preparedParts(rooms, submission.session_id, submission.parts)
  return rooms.store.append({
    session_id: submission.session_id,
    message_id: submission.message_id ?? newId("msg"),
    metadata: metadataOf(submission),
    digest: digestOf([submission.parts, submission.metadata ?? {}]),
    parts,
    captures,
    mode: submission.mode ?? "immediate",
    position: submission.position ?? null,
    expected_turn_id: submission.expected_turn_id ?? null,
    title: titleOf(submission.parts),
    owner: rooms.owner,
  })
}

export interface QueuedEdit {
  readonly session_id: string
  readonly message_id: string
  readonly parts?: readonly (Part | UnknownPart)[] | undefined
  readonly metadata?: Metadata | undefined
  readonly position?: string | undefined
  readonly after?: string | null | undefined
  readonly state?: "queued" | "paused" | "editing" | undefined
}

/** Change a message that still waits; its new parts come in by the same way as its first ones. */
export async function editQueued(rooms: SubmitRooms, edit: QueuedEdit): Promise<MessageChanged> {
  refuseReserved(edit.metadata)
  const prepared = edit.parts && (await preparedParts(rooms, edit.session_id, edit.parts))
  return rooms.store.changeQueued({
    session_id: edit.session_id,
    message_id: edit.message_id,
    ...prepared,
    ...(edit.metadata === undefined ? {} : { metadata: edit.metadata }),
    ...(edit.position === undefined ? {} : { position: edit.position }),
    ...(edit.after === undefined ? {} : { after: edit.after }),
    ...(edit.state === undefined ? {} : { state: edit.state }),
  })
}

function refuseReserved(metadata: Metadata | undefined) {
  const taken = RESERVED.filter((key) => metadata && key in metadata)
  if (taken.length === 0) return
  const details = taken.map((key) => ({ path: `/metadata/${key}`, message: "is set by the store" }))
  throw new Refusal("invalid", `metadata may not say ${taken.join(", ")}`, details)
}

function metadataOf({ metadata, model }: Submission): Metadata {
  return { ...metadata, schema_version: SCHEMA_VERSION, ...(model ? { model } : {}) }
}

/** The first words, for a session that has no name yet. */
function titleOf(parts: Submission["parts"]): string | null {
  const text = parts.find((part): part is TextPart => part.type === "text")?.text
  const [line = ""] =
    text
      ?.slice(0, 4 * TITLE_CHARACTERS)
      .trimStart()
      .split("\n", 1) ?? []
  const title = line
    .slice(0, TITLE_CHARACTERS + 1)
    .trimEnd()
    .toWellFormed()
  if (title === "") return null
  return title.length <= TITLE_CHARACTERS ? title : `${title.slice(0, -2).toWellFormed()}…`
}

interface Prepared {
  readonly parts: NewPart[]
  readonly captures: NewCapture[]
}

async function preparedParts(
  rooms: SubmitRooms,
  session_id: string,
  parts: readonly (Part | UnknownPart)[],
): Promise<Prepared> {
  const prepared = await Promise.all(
    parts.map((part, at) => preparePart(part, rooms, `/parts/${at}`)),
  )
  const named = prepared.map((part) => ({ id: newId("prt"), ...part }))
  return {
    parts: named.map(newPart),
    captures: await captureRanges(rooms, session_id, named.filter(hasRange)),
  }
}

function newPart({ id, part, blob }: PreparedPart & { id: string }): NewPart {
  return { id, type: part.type, data_json: JSON.stringify(part), blob }
}

function hasRange({ part }: PreparedPart): boolean {
  if (part.type === "mention") return (part as MentionPart).target.range !== undefined
  if (part.type !== "file-ref") return false
  const { ref } = part as FileRefPart
  return ref.kind === "path" && ref.range !== undefined
}

// The user selected these lines as they are now; whole files are read when the message fires.
async function captureRanges(
  rooms: SubmitRooms,
  session_id: string,
  ranged: readonly (PreparedPart & { id: string })[],
): Promise<NewCapture[]> {
  if (ranged.length === 0) return []
  const session = await rooms.store.session(session_id)
  const sources: Sources = {
    workspace_root: session?.workspace_root ?? null,
    read: rooms.read,
    blobs: rooms.blobs,
    captured: () => undefined,
    limits: LOAD_LIMITS,
  }
  const captures = await Promise.all(ranged.map((part) => captureRange(part, sources)))
  return captures.filter((capture) => capture !== null).map(newCapture)
}
