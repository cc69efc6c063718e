import { z } from "zod"
import { ModelChoice } from "../message/message.ts"
import { Flag } from "./fields.ts"
import { route } from "./route.ts"

export const Info = z.object({
  version: z.string(),
  /** Told to the operator. */
  data: z.string().optional(),
  pid: z.int().optional(),
  /** Told to a principal: who it is, and where it may work. */
  principal: z.string().optional(),
  workspaces: z.array(z.string()).optional(),
  workspace: z.string().nullable(),
  default_model: ModelChoice,
  limits: z.object({ inline_attachment_bytes: z.int(), max_upload_bytes: z.int() }),
})
export type Info = z.infer<typeof Info>

export const ImportAnswer = z.object({
  rows: z.int(),
  blobs: z.int(),
  /** Sessions whose messages wait until somebody lets one go. */
  held: z.array(z.string()),
  /** Entities whose names were taken, by the names that they have now. */
  renamed: z.array(z.string()),
})
export type ImportAnswer = z.infer<typeof ImportAnswer>

export const server = {
  getInfo: route("GET /v1/info", {
    about: "What this server is and where it keeps things",
    answer: Info,
  }),
  exportFolder: route("GET /v1/export", {
    about: "The folder, or one session, as JSON lines",
    query: z.object({ session: z.string().max(64).optional(), blobs: Flag.optional() }),
  }),
  importFolder: route("POST /v1/import", {
    about: "Write exported JSON lines into this folder; all or nothing",
    answer: ImportAnswer,
  }),
  vacuum: route("POST /v1/vacuum", {
    about: "Give back the space of what was deleted",
    answer: z.object({ ok: z.literal(true) }),
  }),
}
