import { z } from "zod"
import { MAX_PATH_CHARACTERS } from "../message/limits.ts"
import { editorContextPart } from "../parts/editor-context.ts"
import { SCHEMAS } from "../parts/schemas.ts"
import type { PromptMessage } from "../model/prompt.ts"
import { Receipt } from "../model/receipt.ts"
import {
  ApprovedShell,
  Fault,
  ModelParameter,
  Parts,
  WrittenPart,
  SessionId,
  Typed,
} from "./fields.ts"
import { route, type SentRequest } from "./route.ts"

const LowerBody = z.strictObject({
  message: z.object({
    role: z.literal("user").optional(),
    parts: Parts.optional(),
    ...Typed,
  }),
  model: ModelParameter.optional(),
  api: z.string().max(64).optional(),
  session_id: SessionId.optional(),
  workspace_root: z.string().max(MAX_PATH_CHARACTERS).nullable().optional(),
  policy: z
    .object({
      file_refs: z.enum(["auto", "inline", "descriptor"]).default("auto"),
      /** What the message may cost (BEY-12). */
      budget_tokens: z.int().min(0).optional(),
    })
    .optional(),
  /** The request as it would go out; media make it large. */
  with_body: z.boolean().default(true),
  contexts: z.array(editorContextPart.schema(SCHEMAS)).max(64).optional(),
  approved_shell: ApprovedShell,
})
export type LowerBody = SentRequest<typeof LowerBody>

/** How full the model's context would be, the session's history included. */
export const ContextFill = z.object({
  limit_tokens: z.int(),
  /** What the session holds already, the system prompt and this message. */
  used_tokens: z.int(),
  /** Whether the provider counted this message, or it was estimated. */
  exact: z.boolean(),
})
export type ContextFill = z.infer<typeof ContextFill>

/** What a model would be sent. */
export const DryRun = z.object({
  api: z.string(),
  model: z.string(),
  /** The request as it would go out, or null when it was not asked for. */
  body: z.unknown(),
  prompt: z.object({ messages: z.array(z.custom<PromptMessage>()) }),
  /** One for each part. */
  receipts: z.array(Receipt),
  tokens: z.int(),
  bytes: z.int(),
  context: ContextFill,
  capabilities_revision: z.string(),
})
export type DryRun = z.infer<typeof DryRun>

export const LowerAnswer = DryRun.extend({
  /** The draft as it would be stored: what was typed and what it came to. */
  parts: z.array(WrittenPart),
  warnings: z.array(Fault),
})
export type LowerAnswer = z.infer<typeof LowerAnswer>

export const lowering = {
  lowerDraft: route("POST /v1/lower", {
    about: "What a model would be sent, and what would become of each part; nothing is kept",
    body: LowerBody,
    answer: LowerAnswer,
  }),
  inspectMessage: route("GET /v1/sessions/:id/inspect", {
    about: "Every stage of one message, or of the session's last one",
    query: z.object({ message: z.string().max(64).optional() }),
    answer: z.looseObject({ message_id: z.string().nullable() }),
  }),
}
