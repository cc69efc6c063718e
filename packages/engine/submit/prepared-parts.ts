import type { BlobStore } from "compositor-files/blobs/blobs"
import type { ScratchQuota } from "compositor-files/workspace/scratch"
import { kindOfMime } from "compositor-files/kinds/sniff"
import type { readWorkspaceFile } from "compositor-files/workspace/workspace"
import {
  type DeclaredRoute,
  isDeclaredRoute,
  type SentFile,
} from "compositor-core/file/declared-route"
import type { PartHandle } from "compositor-core/parts/define-part"
import { definitionOf, openPart, type Part, writePart } from "compositor-core/parts/table"
import { captureRange, LOAD_LIMITS, type Sources } from "../loading/load.ts"
import { INLINE_ATTACHMENT_BYTES } from "compositor-core/message/limits"
import type { ModelChoice } from "compositor-core/message/message"
import { judge } from "../policy/judge.ts"
import { newCapture } from "../store/capture.ts"
import type { NewBlob, NewCapture, NewPart, Store } from "../store/store.ts"
import type { InlineLedger } from "./inline-ledger.ts"
import type { SubmissionContext } from "./submission-context.ts"
import { type PreparedPart, preparePart } from "./prepare-part.ts"
import type { NamedPart } from "./resolve.ts"
import { type ScratchCopy, withoutCopy } from "./scratch-budget.ts"

export interface PrepareDependencies {
  readonly store: Pick<Store, "blob">
  readonly blobs: BlobStore
  readonly read: typeof readWorkspaceFile
  /** Who cuts pages, cells and entries out of files; without, they are cut when the message fires. */
  readonly formats?: Pick<Sources, "slice"> | undefined
  /** How much the parts of a session may carry; without, only each part is held to a limit. */
  readonly inline?: Pick<InlineLedger, "admits"> | undefined
  /** How a file reaches a model; undefined where that model is not known (decision 10). */
  readonly route?:
    | ((file: SentFile, model: ModelChoice | null) => DeclaredRoute | undefined)
    | undefined
  /** How much the copies of a message's files may take where it is answered (CMPH-015). */
  readonly scratch?: ((place: SubmissionContext) => Promise<ScratchQuota>) | undefined
}

export interface PreparedParts {
  readonly parts: NewPart[]
  readonly captures: NewCapture[]
}

/** The parts as they are persisted, and what is kept of the files they select from. What was persisted
 *  before stays as it is. */
export async function preparedParts(
  rooms: PrepareDependencies,
  place: SubmissionContext,
  parts: readonly NamedPart[],
  kept: ReadonlySet<string> = NONE,
): Promise<PreparedParts> {
  const prepared = await Promise.all(
    parts.map(async ({ id, part }, at) => ({
      id,
      ...(await preparePart(
        part,
        { ...rooms, inline: inlineFor(rooms, place, id) },
        `/parts/${at}`,
      )),
    })),
  )
  const routes = prepared.map((each) => routed(each, rooms, place))
  const fitted = await fittedToScratch(routes, rooms, place)
  const chosen = prepared.filter((each) => !kept.has(each.id) && isSelection(each))
  return {
    parts: fitted.map((each, at) => {
      const before = parts[at]
      return newPart(before && kept.has(each.id) ? { ...each, part: before.part } : each)
    }),
    captures: await captureSelections(rooms, place, chosen),
  }
}

const NONE: ReadonlySet<string> = new Set()

/** A file says how it was to reach the model; what a surface says of that counts for nothing. */
function routed<Each extends PreparedPart>(
  each: Each,
  rooms: PrepareDependencies,
  place: SubmissionContext,
): Each {
  const [handle] = definitionOf(each.part).handles(each.part)
  if (!handle || definitionOf(each.part).load(each.part).length === 0) return each
  const { route: _, ...data } = writePart(each.part)
  const route = each.blob
    ? rooms.route?.(sentFile(each.part, handle, each.blob), place.model ?? null)
    : undefined
  return { ...each, part: openPart({ ...data, type: data.type, ...(route ? { route } : {}) }) }
}

async function fittedToScratch<Each extends PreparedPart>(
  parts: readonly Each[],
  rooms: PrepareDependencies,
  place: SubmissionContext,
): Promise<readonly Each[]> {
  const copies = parts.flatMap(copyOf)
  if (copies.length === 0 || !rooms.scratch) return parts
  const left = withoutCopy(copies, await rooms.scratch(place))
  return parts.map((each) =>
    each.blob && left.has(each.blob.content_id) ? withTrace(each, NO_ROOM) : each,
  )
}

const NO_ROOM = "there is no room for a copy of it in scratch"

function copyOf({ part, blob }: PreparedPart, at: number): ScratchCopy[] {
  const [handle] = definitionOf(part).handles(part)
  if (!blob || !handle) return []
  const { name, size } = sentFile(part, handle, blob)
  const route = declaredRoute(part)
  return [{ content_id: blob.content_id, name, size, route, path: `/parts/${at}` }]
}

function declaredRoute(part: Part): DeclaredRoute | undefined {
  const { route } = writePart(part)
  return isDeclaredRoute(route) ? route : undefined
}

function withTrace<Each extends PreparedPart>(each: Each, sentence: string): Each {
  const route = declaredRoute(each.part)
  if (!route) return each
  const told = { ...route, trace: [...route.trace, sentence] }
  return { ...each, part: openPart({ ...writePart(each.part), route: told }) }
}

function sentFile(part: Part, { name }: PartHandle, { mime, size }: NewBlob): SentFile {
  const { condition } = writePart(part)
  const known = condition === "encrypted" || condition === "damaged" ? condition : undefined
  return { name, mime, size, kind: kindOfMime(mime), condition: known }
}

function inlineFor(
  { inline }: PrepareDependencies,
  { session_id }: SubmissionContext,
  part_id: string,
) {
  return async (size: number) =>
    inline && session_id !== null
      ? inline.admits(session_id, part_id, size)
      : size <= INLINE_ATTACHMENT_BYTES
}

export function newPart({ id, part, blob }: PreparedPart & { id: string }): NewPart {
  const data = writePart(part)
  return { id, type: data.type, data_json: JSON.stringify(data), blob }
}

/** Lines, pages or cells that someone chose (BEY-08). */
function isSelection({ part }: PreparedPart): boolean {
  if (writePart(part).ingress !== undefined) return false
  const [request] = definitionOf(part).load(part)
  if (!request || !("place" in request)) return false
  const { range, fragment } = request.place
  return range !== undefined || fragment !== undefined
}

// The user selected this as it is now; whole files are read when the message fires.
async function captureSelections(
  rooms: PrepareDependencies,
  { workspace_root, policy }: SubmissionContext,
  selections: readonly (PreparedPart & { id: string })[],
): Promise<NewCapture[]> {
  const sources: Sources = {
    ...rooms.formats,
    workspace_root,
    read: rooms.read,
    blobs: rooms.blobs,
    captured: () => undefined,
    limits: LOAD_LIMITS,
    ingress: (arrival) => judge(policy, arrival),
  }
  const captures = await Promise.all(selections.map((part) => captureRange(part, sources)))
  return captures.filter((capture) => capture !== null).map(newCapture)
}
