import type { ScratchQuota } from "compositor-files/workspace/scratch"
import type { DeclaredRoute } from "compositor-core/file/declared-route"
import { Refusal } from "compositor-core/message/refusal"

/** A file of a message, as it would lie in scratch. */
export interface ScratchCopy {
  readonly content_id: string
  readonly name: string
  readonly size: number
  readonly route: DeclaredRoute | undefined
  /** Of its part, for who is told that it does not fit. */
  readonly path: string
}

/** The folder of all copies; each then takes a folder and a file. */
const SHARED_FOLDERS = 1
const EACH = 2

/** Whether all that a message brings fits into scratch together, before any of it is stored: what only
 *  tools can read is counted first, and a message whose files nobody could read is refused (CMPH-015).
 *  The answer is which files the model is given itself and that find no room beside those. */
export function withoutCopy(
  copies: readonly ScratchCopy[],
  quota: ScratchQuota,
): ReadonlySet<string> {
  const room = { bytes: quota.bytes, files: quota.files - SHARED_FOLDERS }
  const seen = new Set<string>()
  for (const copy of copies) {
    if (!isForTools(copy) || seen.has(copy.content_id)) continue
    seen.add(copy.content_id)
    if (!reserve(room, copy)) throw tooMuch(copy, quota)
  }
  const left = new Set<string>()
  for (const copy of copies) {
    if (copy.route?.type !== "native" || seen.has(copy.content_id)) continue
    seen.add(copy.content_id)
    if (!reserve(room, copy)) left.add(copy.content_id)
  }
  return left
}

function isForTools({ route }: ScratchCopy): boolean {
  return route?.type === "skill" || route?.type === "tool" || route?.type === "shell"
}

function reserve(room: { bytes: number; files: number }, { size }: ScratchCopy): boolean {
  if (size > room.bytes || EACH > room.files) return false
  room.bytes -= size
  room.files -= EACH
  return true
}

function tooMuch({ name, size, path }: ScratchCopy, { bytes, files }: ScratchQuota): Refusal {
  const message = `${name} (${size} bytes) does not fit into scratch with the other files of this message: ${bytes} bytes and ${files} files may lie there`
  return new Refusal("too_large", message, [{ path, message }])
}
