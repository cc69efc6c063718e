import type { Capabilities, MediaKind } from "../model/capabilities.ts"

/** How much of a file is put into the message (decision 3). Under every policy a range is shown,
 *  because the user selected it. */
export interface Policy {
  readonly file_refs: "auto" | "inline" | "descriptor"
}

export const DEFAULT_POLICY: Policy = { file_refs: "auto" }

interface TextLimits {
  /** One whole file. */
  readonly file_bytes: number
  /** All files of one message together. */
  readonly message_bytes: number
}

const KILOBYTE = 1024

export const TEXT_LIMITS: Readonly<Record<Policy["file_refs"], TextLimits>> = {
  auto: { file_bytes: 32 * KILOBYTE, message_bytes: 128 * KILOBYTE },
  inline: { file_bytes: 256 * KILOBYTE, message_bytes: 1024 * KILOBYTE },
  descriptor: { file_bytes: 32 * KILOBYTE, message_bytes: 128 * KILOBYTE },
}

/** What the parts before this one have used up. */
export interface Spent {
  readonly text_bytes: number
  readonly media_bytes: number
  readonly media_count: Readonly<Record<MediaKind, number>>
}

export const NOTHING_SPENT: Spent = {
  text_bytes: 0,
  media_bytes: 0,
  media_count: { image: 0, pdf: 0, office: 0, audio: 0, video: 0 },
}

/** What a part is lowered under. */
export interface Circumstances {
  readonly capabilities: Capabilities
  readonly policy: Policy
  readonly spent: Spent
}
