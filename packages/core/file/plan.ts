import { base64Length } from "../model/media-types.ts"
import type { Capabilities, MediaKind } from "../model/capabilities.ts"

/** Parts whose media are described instead of sent. It only grows for one session and model, so that
 *  what was sent stays as it was. */
export type Demotions = ReadonlySet<string>

/** A medium that goes into a request natively. */
export interface MediaUse {
  readonly part_id: string
  readonly kind: MediaKind
  /** Before base64. */
  readonly bytes: number
  readonly tokens: number
  /** The longest side of an image. */
  readonly side?: number | undefined
}

export interface PlannedMedia extends MediaUse {
  /** Of its message: the highest is the newest. */
  readonly seq: number
}

/** Left of a request for everything that is not media. */
export const REQUEST_RESERVE_BYTES = 1024 * 1024
/** Of a model's context. */
const MEDIA_SHARE = 0.5

/** Which media of a history make room for the rest: oldest messages first, and so many
 *  that half of the limit is free again, so that the prefix of the request rarely breaks. The newest
 *  message gives up no more than it must, its last media first. The same set comes back when nothing
 *  changes. */
export function plan(
  media: readonly PlannedMedia[],
  capabilities: Capabilities,
  kept: Demotions,
): Demotions {
  const sorted = media.filter(({ part_id }) => !kept.has(part_id)).sort((a, b) => a.seq - b.seq)
  const demoted = new Set(kept)
  for (const measure of measuresOf(capabilities)) relieve(sorted, measure, demoted)
  relieveCrowd(sorted, capabilities, demoted)
  return demoted.size === kept.size ? kept : demoted
}

/** Something that a request has only so much of. */
interface Measure {
  readonly limit: number
  readonly of: (medium: PlannedMedia) => number
}

function measuresOf(capabilities: Capabilities): Measure[] {
  const { media, max_request_bytes, context_tokens } = capabilities
  const kinds = Object.entries(media).flatMap(([kind, { max_count, max_total_bytes }]) => {
    const ofKind = (weight: (medium: PlannedMedia) => number) => (medium: PlannedMedia) =>
      medium.kind === kind ? weight(medium) : 0
    return [
      { limit: max_count ?? Infinity, of: ofKind(() => 1) },
      { limit: max_total_bytes ?? Infinity, of: ofKind(({ bytes }) => bytes) },
    ]
  })
  return [
    ...kinds,
    { limit: max_request_bytes - REQUEST_RESERVE_BYTES, of: ({ bytes }) => base64Length(bytes) },
    {
      limit: context_tokens > 0 ? context_tokens * MEDIA_SHARE : Infinity,
      of: ({ tokens }) => tokens,
    },
  ]
}

function relieve(sorted: readonly PlannedMedia[], { limit, of }: Measure, demoted: Set<string>) {
  const weights = new Map<string, number>()
  let left = 0
  for (const medium of sorted) {
    if (demoted.has(medium.part_id)) continue
    weights.set(medium.part_id, (weights.get(medium.part_id) ?? 0) + of(medium))
    left += of(medium)
  }
  if (left <= limit) return
  const demoteUntil = (most: number, candidates: readonly PlannedMedia[]) => {
    for (const { part_id } of candidates) {
      if (left <= most) return
      const weight = weights.get(part_id) ?? 0
      if (demoted.has(part_id) || weight === 0) continue
      demoted.add(part_id)
      left -= weight
    }
  }
  const newest = sorted.at(-1)?.seq
  const older = sorted.filter(({ seq }) => seq !== newest)
  demoteUntil(limit / 2, older)
  demoteUntil(limit, sorted.slice(older.length).toReversed())
}

/** Some APIs take only smaller images where there are many: large ones go first, those of the newest
 *  message last. */
function relieveCrowd(
  sorted: readonly PlannedMedia[],
  { media }: Capabilities,
  demoted: Set<string>,
) {
  const crowded = media.image?.crowded
  if (!crowded) return
  const { count, max_side_pixels } = crowded
  const images = () =>
    sorted.filter(({ kind, part_id }) => kind === "image" && !demoted.has(part_id))
  const large = () => images().filter(({ side = 0 }) => side > max_side_pixels)
  if (images().length <= count || large().length === 0) return
  const newest = sorted.at(-1)?.seq
  for (const { part_id, seq } of large()) if (seq !== newest) demoted.add(part_id)
  if (large().length === 0) return
  const older = sorted.filter(({ seq }) => seq !== newest)
  const crowd = { limit: count, of: ({ kind }: PlannedMedia) => (kind === "image" ? 1 : 0) }
  if (older.length > 0 && sorted.length - older.length <= count) relieve(sorted, crowd, demoted)
  if (images().length > count) for (const { part_id } of large()) demoted.add(part_id)
}
