import { z } from "zod"
import { MAX_PARTS } from "../message/limits.ts"
import { AnyPartData } from "./read-part.ts"

/** A message as a surface hands it over: typed parts in the order they are read (CMP-001, CMP-003). */
export const UserMessage = z.object({
  role: z.literal("user").default("user"),
  parts: z.array(AnyPartData).min(1, "a message needs at least one part").max(MAX_PARTS),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type UserMessage = z.infer<typeof UserMessage>
