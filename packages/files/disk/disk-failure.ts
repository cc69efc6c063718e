import type { FileHandle } from "node:fs/promises"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { Refusal } from "compositor-core/message/refusal"

/** The disk could not sync. What it was to keep may be gone, and asking again would say it is there. */
export class SyncFailed extends Error {
  override readonly name = "SyncFailed"

  constructor(cause: unknown) {
    super(`the disk failed to sync; restart after checking it (${String(cause)})`, { cause })
  }
}

export async function syncFile(handle: FileHandle) {
  await handle.sync().catch((error: unknown) => {
    throw new SyncFailed(error)
  })
}

/** What a caller is told when the disk would not take something; any other error is itself. */
export function storageFailure(error: unknown): unknown {
  return error instanceof SyncFailed || isSystemError(error) ? notStored(error) : error
}

/** Where the error can only be the disk's, whatever it is called. */
export function notStored(error: unknown): Refusal {
  return new Refusal("storage_failed", `it was not stored: ${errorMessage(error)}`)
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && FAILURES.has(codeOf(error))
}

const FAILURES: ReadonlySet<string> = new Set(["ENOSPC", "EIO", "EDQUOT", "EROFS", "EFBIG"])

function codeOf(error: Error): string {
  return errorCode(error) ?? ""
}
