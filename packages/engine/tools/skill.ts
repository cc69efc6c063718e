import { z } from "zod"
import { defineTool, type Tool, ToolError } from "./tool.ts"

const Input = z.strictObject({
  name: z.string().min(1).max(255),
  arguments: z.string().max(64_000).optional(),
})

export interface SkillAccess {
  /** The body of a skill as the model is given it; undefined when there is no such skill here. */
  readonly load: (
    name: string,
    options: { readonly arguments?: string; readonly session_id: string },
  ) => Promise<string | undefined>
}

/** The one way by which a skill's body reaches a model (CMP-062). */
export function skillTool(skills: SkillAccess | undefined): Tool {
  return defineTool({
    id: "skill",
    aliases: [],
    description: "Load a skill of the list by its name, and follow what it says.",
    input: Input,
    requires: [],
    read_only: true,
    waits: false,
    consumes: [],
    absent: skills ? undefined : "there are no skills here",
    subject: ({ name }) => name,
    execute: async ({ name, arguments: words }, { session_id }) => {
      const more = words === undefined ? {} : { arguments: words }
      const content = await skills?.load(name, { ...more, session_id })
      if (content === undefined) throw new ToolError(`There is no skill ${name} here.`)
      return { data: { content } }
    },
  })
}
