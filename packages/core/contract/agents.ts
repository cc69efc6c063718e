import { z } from "zod"
import { ModelChoice } from "../message/message.ts"
import { CommandsQuery } from "./fields.ts"
import { route } from "./route.ts"

const Names = z.union([z.literal("all"), z.array(z.string())])

/** An agent and where it is from. */
export const ListedAgent = z.object({
  type: z.string(),
  description: z.string().optional(),
  scope: z.enum(["builtin", "host", "project", "user"]),
  /** Of one that is not trusted, nothing but its name is used. */
  trusted: z.boolean(),
  path: z.string().optional(),
  digest: z.string().optional(),
  faults: z.array(z.string()).optional(),
  model: ModelChoice.optional(),
  prompt: z.string().optional(),
  tools: Names.optional(),
  skills: Names.optional(),
  /** Which editor state goes along with a message. */
  context: z
    .object({
      kinds: z.record(z.string(), z.string()),
      repeat: z.enum(["always", "once", "delta"]),
      max_parts: z.int(),
      max_characters: z.int(),
    })
    .optional(),
  /** What a drop or a paste becomes; the first rule that fits. */
  gestures: z
    .array(
      z.object({
        mime: z.string().optional(),
        in_workspace: z.boolean().optional(),
        becomes: z.enum(["reference", "attachment"]),
      }),
    )
    .optional(),
})
export type ListedAgent = z.infer<typeof ListedAgent>

export const agents = {
  listAgents: route("GET /v1/agents", {
    about: "Who can answer in a workspace, and what each may do",
    query: z.object(CommandsQuery),
    answer: z.object({ agents: z.array(ListedAgent) }),
  }),
}
