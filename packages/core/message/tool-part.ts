import { z } from "zod"

export const ToolState = z.enum([
  "input-streaming",
  "input-available",
  "output-available",
  "output-error",
])
export type ToolState = z.infer<typeof ToolState>

/** A call of a tool in an answer: one row from its first letter to its result (SES-001). What a tool
 *  showed the model stands in `blocks`, media by their content id. */
export const ToolPart = z.looseObject({
  type: z.string().regex(/^tool-./),
  tool_call_id: z.string(),
  state: ToolState,
  /** JSON, once all of it has come. */
  input: z.unknown(),
  /** What has come of the input so far, while it streams. */
  input_text: z.string().optional(),
  /** What stood where JSON should have been. */
  invalid: z.string().optional(),
  output: z
    .looseObject({
      data: z.unknown(),
      blocks: z.array(z.looseObject({ type: z.string() })).optional(),
    })
    .optional(),
  error_text: z.string().optional(),
  metadata: z.looseObject({}).optional(),
  /** What the provider wants back with the call. */
  seal: z.looseObject({ api: z.string(), model: z.string() }).optional(),
  initiator: z.enum(["user", "model", "handler"]).optional(),
  /** Set before the tool runs: a call with it and without a result may have run. */
  started_at: z.int().optional(),
  /** It changes nothing, so it may run again. */
  read_only: z.boolean().optional(),
  /** What a person said to it. */
  approval: z.enum(["granted", "denied"]).optional(),
  /** A crash came between its start and its result (the person says retry or skip). */
  interrupted: z.boolean().optional(),
})
export type ToolPart = z.infer<typeof ToolPart>

/** The tool's name; undefined for a part that is no call. */
export function toolNameOf(type: string): string | undefined {
  return type.startsWith("tool-") ? type.slice("tool-".length) : undefined
}

/** A stored part as a call, if it is one. */
export function readToolPart(data: unknown): ToolPart | undefined {
  return ToolPart.safeParse(data).data
}

/** Whether nothing has come of the call yet. */
export function isOpen({ state }: Pick<ToolPart, "state">): boolean {
  return state === "input-streaming" || state === "input-available"
}
