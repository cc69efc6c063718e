import type { Freshness, TextFile } from "compositor-core/file/loaded-file"
import type { LoadedPart } from "compositor-core/lower/loaded-part"
import { readAll } from "compositor-files/blobs/blocks"
import { decodeText } from "compositor-files/kinds/sniff"
import type { Receipt } from "compositor-core/model/receipt"
import { pathTarget } from "./capture-target.ts"
import { unifiedDiff } from "./diff.ts"
import type { Sources } from "./sources.ts"

/** A whole file that the model was shown before. */
export interface Earlier {
  readonly content_id: string
  /** When its message was sent, in epoch milliseconds. */
  readonly shown_at: number
}

/** How a file differs from the one that was shown last (BEY-03); undefined where it was not shown, or
 *  where the file itself says it as shortly. */
export async function freshness(
  path: string,
  file: Pick<TextFile, "content_id" | "text">,
  { earlier, blobs, limits }: Pick<Sources, "earlier" | "blobs" | "limits">,
): Promise<Freshness | undefined> {
  const known = earlier?.(path)
  if (!known || file.content_id === null) return undefined
  const { shown_at, content_id } = known
  if (content_id === file.content_id) return { type: "unchanged", shown_at }
  // What was shown may have been deleted since; then the file is shown again.
  const bytes = await readAll(blobs.open(content_id), limits.text_bytes).catch(() => undefined)
  const before = bytes && decodeText(bytes)
  return before === undefined ? undefined : describeChange(before, file.text, shown_at)
}

/** The difference, where it is smaller than half of the file. */
export function describeChange(
  before: string,
  after: string,
  shown_at: number,
): Freshness | undefined {
  const diff = unifiedDiff(before, after)
  if (diff === undefined || diff === "" || diff.length * 2 >= after.length) return undefined
  return { type: "changed", shown_at, diff }
}

/** What the model has seen of files once it was also sent these parts. Only what it was shown whole
 *  counts: by the text, or by a difference to what it had. */
export function rememberShown(
  known: ReadonlyMap<string, Earlier>,
  parts: readonly LoadedPart[],
  about: { readonly receipts: readonly Receipt[]; readonly shown_at: number },
): ReadonlyMap<string, Earlier> {
  let next: Map<string, Earlier> | undefined
  parts.forEach((part, at) => {
    const content_id = shownWhole(part, about.receipts[at])
    const target = content_id === undefined ? undefined : pathTarget(part)
    if (content_id === undefined || !target) return
    next ??= new Map(known)
    next.set(target.path, { content_id, shown_at: about.shown_at })
  })
  return next ?? known
}

function shownWhole({ file }: LoadedPart, receipt: Receipt | undefined): string | undefined {
  if (receipt?.outcome !== "inlined" || file?.type !== "text") return undefined
  if (file.range || file.place !== undefined || file.extracted) return undefined
  return file.content_id ?? undefined
}
