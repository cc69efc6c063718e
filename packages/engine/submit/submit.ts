import { recordOf } from "compositor-core/message/untyped"
import type { CommandPart } from "compositor-core/parts/command"
import { chipOf, definitionOf, openPart, type Part, writePart } from "compositor-core/parts/table"
import type { readWorkspaceFile } from "compositor-files/workspace/workspace"
import type { BlobStore } from "compositor-files/blobs/blobs"
import { NamingBlobs } from "compositor-files/blobs/blobs-behind"
import type { Catalog } from "compositor-core/catalog/catalog"
import type { Skill } from "compositor-core/catalog/skill"
import type { QueueEffect } from "compositor-core/commands/queue-effect"
import { keepParts, partOf } from "compositor-core/compose/keep-parts"
import { newId } from "compositor-core/message/id"
import { type Mode, type ModelChoice, SCHEMA_VERSION } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import { cleanTitle, type Metadata, type StoredPart } from "compositor-core/message/row"
import type { IngressPolicy } from "../policy/policy.ts"
import type { Appended, MessageChanged, Store } from "../store/store.ts"
import type { TriggerEnvelope } from "compositor-core/triggers/trigger"
import { admitMetadata } from "./admit.ts"
import { digestInSlices, digestOf } from "./digest.ts"
import {
  newPart,
  type PreparedParts,
  preparedParts,
  type PrepareDependencies,
} from "./prepared-parts.ts"
import {
  type SubmissionContext,
  openSubmissionContext,
  resolvedIn,
  type SessionActions,
} from "./submission-context.ts"
import { isBlank, type NamedPart, type Resolved, type Unresolved } from "./resolve.ts"
import type { ServerPartDependencies } from "./server-parts.ts"
import type { UsedIn } from "./completion-usage.ts"

export interface SubmitDependencies {
  readonly store: Pick<
    Store,
    "append" | "changeQueued" | "blob" | "session" | "message" | "history"
  >
  readonly blobs: BlobStore
  readonly read: typeof readWorkspaceFile
  /** Who cuts pages, cells and entries out of files. */
  readonly formats?: PrepareDependencies["formats"]
  /** How much the parts of a session may carry. */
  readonly inline?: PrepareDependencies["inline"]
  /** How a file reaches a model. */
  readonly route?: PrepareDependencies["route"]
  /** How much the copies of a message's files may take. */
  readonly scratch?: PrepareDependencies["scratch"]
  /** How long a message is left to whoever edits it; without, as long as usual. */
  readonly editing_ms?: number | undefined
  /** The commands that can be typed in a session, or in a workspace. */
  catalog(
    at: Pick<SubmissionContext, "session_id" | "workspace_root" | "agent">,
  ): Promise<Pick<Catalog, "get" | "list">>
  /** The skills that were found there, by name. */
  skills(workspace_root: string | null): Promise<ReadonlyMap<string, Skill>>
  /** What may come in there. */
  policy(workspace_root: string | null): IngressPolicy
  /** Run an approved command where it can hurt nobody. */
  shell(workspace_root: string | null, command: string): Promise<string>
  /** What the servers of a workspace give; without, none is connected. */
  readonly servers?: ((workspace_root: string | null) => ServerPartDependencies) | undefined
  /** What built-in commands may ask for in a session. */
  actions(at: Pick<SubmissionContext, "session_id" | "workspace_root">): SessionActions
  /** Hear what a message names. */
  used(where: UsedIn, parts: readonly NamedPart[]): void
  /** Who claims the message when its session is idle; null where no turns run. */
  readonly owner: string | null
}

export interface Submission extends Unresolved {
  readonly session_id: string
  readonly message_id?: string | undefined
  readonly mode?: Mode | undefined
  readonly model?: ModelChoice | undefined
  readonly position?: string | undefined
  readonly expected_turn_id?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Where no human sent it: what did (TRG-001). */
  readonly trigger?: TriggerEnvelope | undefined
}

/** What a submission came to. A message that only showed something leaves no row. */
export interface Submitted {
  readonly message: Appended | null
  readonly actions: readonly Appended[]
  readonly shown: Resolved["shown"]
  readonly notices: Resolved["notices"]
}

const TITLE_CHARACTERS = 80

/** What the store writes into a message's metadata; a surface may not (PER-006). */
const RESERVED = [
  "queued_at",
  "queue_enqueued_at",
  "queue_canceled_at",
  "model",
  "turn_id",
  "finish",
  "superseded",
  "steered",
  "action",
  "host",
  "usage",
  "system_prompt_digest",
  "hidden_at",
  "instructions",
  "snapshot_id",
  "snapshot_ids",
  "purged_at",
  "editing_until",
  "trigger",
]

/** The one way in, for every surface and every trigger: the message is resolved and admitted, then
 *  persisted, and nothing else has happened before it is on disk (CMP-130). */
export async function submit(
  rooms: SubmitDependencies,
  submission: Submission,
): Promise<Submitted> {
  refuseReserved(submission.metadata)
  const place = await openSubmissionContext(rooms, submission)
  const { parts, actions, shown, notices } = await resolvedIn(rooms, place, submission)
  rooms.used({ workspace_root: place.workspace_root, session_id: submission.session_id }, parts)
  const message_id = submission.message_id ?? newId("msg")
  const only = actions.length > 0 && parts.every(({ part }) => isBlank(part))
  const rows: Appended[] = []
  for (const [at, { action, part }] of actions.entries())
    rows.push(
      await appendAction(rooms, submission, { action, part, id: rowId(message_id, only, at) }),
    )
  if (only || parts.length === 0)
    return { message: rows.shift() ?? null, actions: rows, shown, notices }
  const message = await appendMessage(rooms, place, { submission, message_id, parts })
  return { message, actions: rows, shown, notices }
}

/** What a draft would come to: resolved and admitted as a message is, and nothing kept (BEY-01). */
export async function preview(
  rooms: SubmitDependencies,
  workspace_root: string | null,
  draft: Unresolved & { readonly session_id?: string | undefined },
): Promise<Resolved> {
  const policy = rooms.policy(workspace_root)
  const place = { session_id: draft.session_id ?? null, workspace_root, policy }
  return resolvedIn(rooms, place, { ...draft, is_preview: true })
}

export interface QueuedEdit {
  readonly session_id: string
  readonly message_id: string
  readonly parts?: readonly Part[] | undefined
  readonly metadata?: Metadata | undefined
  readonly position?: string | undefined
  readonly after?: string | null | undefined
  readonly state?: "queued" | "paused" | "editing" | undefined
}

/** Change a message that still waits; its new parts come in by the same way as its first ones. */
export async function editQueued(
  rooms: SubmitDependencies,
  edit: QueuedEdit,
): Promise<MessageChanged> {
  refuseReserved(edit.metadata)
  const blobs = new NamingBlobs(rooms.blobs)
  const said = edit.parts && (await editedParts({ ...rooms, blobs }, edit, edit.parts))
  const metadata = edit.metadata && (await admitMetadata(rooms.policy(null), edit.metadata))
  const changed = await rooms.store.changeQueued({
    session_id: edit.session_id,
    message_id: edit.message_id,
    ...said,
    ...(metadata === undefined ? {} : { metadata }),
    ...(edit.position === undefined ? {} : { position: edit.position }),
    ...(edit.after === undefined ? {} : { after: edit.after }),
    ...(edit.state === undefined ? {} : { state: edit.state }),
    ...(rooms.editing_ms === undefined ? {} : { lease_ms: rooms.editing_ms }),
  })
  await blobs.named()
  return changed
}

async function editedParts(
  rooms: SubmitDependencies,
  { session_id, message_id }: QueuedEdit,
  parts: readonly Part[],
): Promise<PreparedParts> {
  const before = await rooms.store.message(session_id, message_id)
  const kept = keptParts(before?.parts ?? [], parts)
  const place = await openSubmissionContext(rooms, { session_id, parts })
  const resolved = await resolvedIn(rooms, place, { parts, kept })
  if (resolved.actions.length > 0)
    throw new Refusal("invalid", "a message that waits cannot become a command to its session")
  const ids = new Set([...kept.values()].flat().map(({ id }) => id))
  return preparedParts(rooms, place, resolved.parts, ids)
}

/** What was in the message before, by its place in the edit. */
function keptParts(
  before: readonly StoredPart[],
  parts: readonly Part[],
): Map<number, NamedPart[]> {
  const kept = new Map<number, NamedPart[]>()
  for (const [at, edited] of keepParts(before, parts.map(writePart)).entries())
    if (edited.type === "kept")
      kept.set(
        at,
        edited.rows.map((row) => ({ id: row.id, part: openPart(partOf(row)) })),
      )
  return kept
}

function refuseReserved(metadata: Metadata | undefined) {
  refuseOtherVersion(metadata)
  const taken = RESERVED.filter((key) => metadata && key in metadata)
  if (taken.length === 0) return
  const details = taken.map((key) => ({ path: `/metadata/${key}`, message: "is set by the store" }))
  throw new Refusal("invalid", `metadata may not say ${taken.join(", ")}`, details)
}

/** A message may say the version that it was written in, if it is one that is read here (CMP-120). */
function refuseOtherVersion(metadata: Metadata | undefined) {
  const version = metadata?.schema_version
  if (version === undefined || version === SCHEMA_VERSION) return
  const message = `messages of schema_version ${SCHEMA_VERSION} are read here, not ${JSON.stringify(version)}`
  throw new Refusal("invalid", message, [{ path: "/metadata/schema_version", message }])
}

function metadataOf({ metadata, model, trigger }: Submission): Metadata {
  return {
    ...metadata,
    schema_version: SCHEMA_VERSION,
    ...(model ? { model } : {}),
    ...(trigger ? { trigger } : {}),
  }
}

/** The first words as they were typed, for a session that has no name yet. */
function titleOf(parts: readonly NamedPart[], metadata: Metadata | undefined): string | null {
  const input = recordOf(metadata?.composer_input)
  const words = parts.find(({ part }) => chipOf(part).look === "words")
  const said = words && definitionOf(words.part).words(words.part)
  const text = typeof input.source === "string" ? input.source : said
  const [line = ""] =
    text
      ?.slice(0, 4 * TITLE_CHARACTERS)
      .trimStart()
      .split("\n", 1) ?? []
  const title = cleanTitle(line)
    .slice(0, TITLE_CHARACTERS + 1)
    .trimEnd()
    .toWellFormed()
  if (title === "") return null
  return title.length <= TITLE_CHARACTERS ? title : `${title.slice(0, -2).toWellFormed()}…`
}

// The rows of one submission have ids that follow from its own, so that a retry finds them all.
function rowId(message_id: string, only: boolean, at: number): string {
  if (only && at === 0) return message_id
  const tail = digestOf([message_id, at])
    .replace(/[^0-9A-Za-z]/g, "0")
    .slice(0, 11)
  return `${message_id.slice(0, -11)}${tail}`
}

interface ActionRow {
  readonly id: string
  readonly action: QueueEffect
  readonly part: CommandPart
}

/** What acts on the session waits its turn like any message (decision 6). */
function appendAction(
  rooms: SubmitDependencies,
  submission: Submission,
  { id, action, part }: ActionRow,
) {
  const mode = submission.mode === "steer" ? "immediate" : (submission.mode ?? "immediate")
  return rooms.store.append({
    session_id: submission.session_id,
    message_id: id,
    metadata: { schema_version: SCHEMA_VERSION, action },
    digest: digestOf([action, part]),
    parts: [newPart({ id: newId("prt"), part, blob: null })],
    captures: [],
    mode,
    position: submission.position ?? null,
    expected_turn_id: null,
    title: null,
    owner: rooms.owner,
  })
}

interface MessageRow {
  readonly submission: Submission
  readonly message_id: string
  readonly parts: readonly NamedPart[]
}

async function appendMessage(
  rooms: SubmitDependencies,
  place: SubmissionContext,
  row: MessageRow,
): Promise<Appended> {
  const { submission, message_id } = row
  const addressed = submission.model ? { ...place, model: submission.model } : place
  const blobs = new NamingBlobs(rooms.blobs)
  const { parts, captures } = await preparedParts({ ...rooms, blobs }, addressed, row.parts)
  const metadata = submission.metadata && (await admitMetadata(place.policy, submission.metadata))
  const appended = await rooms.store.append({
    session_id: submission.session_id,
    message_id,
    metadata: metadataOf({ ...submission, metadata }),
    digest: await digestInSlices([submission.parts.map(writePart), submission.metadata ?? {}]),
    parts,
    captures,
    mode: submission.mode ?? "immediate",
    position: submission.position ?? null,
    expected_turn_id: submission.expected_turn_id ?? null,
    title: titleOf(row.parts, metadata),
    owner: rooms.owner,
  })
  await blobs.named()
  return appended
}
