/** An answer the caller must hear, not a mistake of ours: it crosses threads and becomes one HTTP or
 *  ACP error at the door. */
export type RefusalCode =
  | "not_found"
  | "conflict"
  | "invalid"
  | "stale"
  | "too_large"
  | "unknown_model"
  | "missing_arguments"
  | "untrusted"
  | "shell_approval"
  | "storage_failed"

export interface RefusalDetail {
  readonly path: string
  readonly message: string
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: readonly RefusalDetail[]

  constructor(code: RefusalCode, message: string, details: readonly RefusalDetail[] = []) {
    super(message)
    this.name = "Refusal"
    this.code = code
    this.details = details
  }
}
