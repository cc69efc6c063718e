import type { Capabilities, MediaKind } from "../model/capabilities.ts"
import type { Demotions } from "./plan.ts"
import type { Reach } from "./route.ts"

/** What lowering is held to, but for what an agent does itself. */
export interface LoweringPolicy {
  /** How much of a file is put into the message (decision 3). Under every policy a range is shown,
   *  because the user selected it. */
  readonly file_refs: "auto" | "inline" | "descriptor"
  /** Content ids that this model refused before (BEY-02). */
  readonly refused?: ReadonlySet<string> | undefined
  /** Parts whose media make room for newer ones; see `plan.ts`. */
  readonly demoted?: Demotions | undefined
  /** What one message may cost (BEY-12); what the user typed is sent whatever it costs. */
  readonly budget_tokens?: number | undefined
  /** The model is made to think within a budget of tokens; see `acceptsSyntheticCall`. */
  readonly thinking_budget?: boolean | undefined
  /** Tools that receive a kind of editor context instead of the model, by that kind (CMP-113). */
  readonly claimed?: Readonly<Record<string, string>> | undefined
  /** What the agent has to read files with (BIN-003, BIN-004). */
  readonly reach?: Reach | undefined
  /** Set where a wire makes one string of a message: the host's markers carry it, and everything else
   *  is escaped wherever it looks like one (TRU-002). */
  readonly nonce?: string | undefined
  /** The host itself wrote the text, so that its markers stay. */
  readonly host_wrote?: boolean | undefined
}

interface TextLimits {
  /** One whole file. */
  readonly file_bytes: number
  /** All files of one message together. */
  readonly message_bytes: number
}

const KILOBYTE = 1024

export const TEXT_LIMITS: Readonly<Record<LoweringPolicy["file_refs"], TextLimits>> = {
  auto: { file_bytes: 32 * KILOBYTE, message_bytes: 128 * KILOBYTE },
  inline: { file_bytes: 256 * KILOBYTE, message_bytes: 1024 * KILOBYTE },
  descriptor: { file_bytes: 32 * KILOBYTE, message_bytes: 128 * KILOBYTE },
}

/** What the parts before this one have used up. */
export interface Spent {
  readonly text_bytes: number
  readonly media_bytes: number
  readonly media_count: Readonly<Record<MediaKind, number>>
  readonly kind_bytes: Readonly<Record<MediaKind, number>>
}

const NONE: Readonly<Record<MediaKind, number>> = {
  image: 0,
  pdf: 0,
  office: 0,
  audio: 0,
  video: 0,
}

export const NOTHING_SPENT: Spent = {
  text_bytes: 0,
  media_bytes: 0,
  media_count: NONE,
  kind_bytes: NONE,
}

/** What a part is lowered under. */
export interface Circumstances {
  readonly part_id: string
  readonly capabilities: Capabilities
  readonly policy: LoweringPolicy
  readonly spent: Spent
}
