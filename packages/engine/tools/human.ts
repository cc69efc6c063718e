import { z } from "zod"
import { defineTool, type Tool, ToolError } from "./tool.ts"

const Question = z.strictObject({
  question: z.string().min(1).max(2000),
  header: z.string().min(1).max(100).optional(),
  options: z.array(z.string().min(1).max(500)).min(1).max(20).optional(),
  multi_select: z.boolean().optional(),
})

/** What a person answers: for every question, what was chosen or written. */
const QuestionAnswers = z.strictObject({
  answers: z.array(z.array(z.string().max(8000)).max(20)).max(10),
})
type QuestionAnswers = z.infer<typeof QuestionAnswers>

/** Said where nobody can be asked (TOL-005). */
export const NOBODY_TO_ASK = "Nobody is there to answer: go on without an answer, or stop."

/** Ask the person; the turn waits for the answer, which the surface gives. */
export function questionTool(): Tool {
  return defineTool({
    id: "question",
    aliases: [],
    description: "Ask the user. Only where their answer changes what you do next.",
    input: z.strictObject({ questions: z.array(Question).min(1).max(10) }),
    requires: ["human"],
    read_only: true,
    waits: true,
    consumes: [],
    absent: undefined,
    subject: () => "",
    execute: async () => {
      throw new ToolError(NOBODY_TO_ASK)
    },
  })
}

const Item = z.strictObject({
  content: z.string().min(1).max(1000),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
})

/** The model's own list of what is to do: each call is the whole list, kept with the call. */
export function todoTool(): Tool {
  return defineTool({
    id: "todo",
    aliases: [],
    description: "Keep the list of what is to do, for yourself and the user: all of it each time.",
    input: z.strictObject({ items: z.array(Item).max(100) }),
    requires: [],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: () => "",
    execute: async ({ items }) => {
      const open = items.filter(({ status }) => status === "pending" || status === "in_progress")
      return { data: { items: items.length, open: open.length } }
    },
  })
}
