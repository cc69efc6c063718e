import { z } from "zod"
import type { Script, ScriptStep } from "../../packages/engine/providers/scripted.ts"
import { defineTool, type Tool, ToolError } from "../../packages/engine/tools/tool.ts"
import type { PromptBlock } from "../../packages/core/model/prompt.ts"

/** What was done, in the order in which it began and ended. */
export type Log = string[]

/** A tool that changes nothing. */
export function look(log: Log = [], wait: Promise<unknown> = Promise.resolve()): Tool {
  return defineTool({
    id: "look",
    aliases: [],
    description: "Looks at something.",
    input: z.object({ at: z.string() }),
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ at }) => at,
    async execute({ at }) {
      log.push(`look ${at} begins`)
      await wait
      log.push(`look ${at} ends`)
      return { data: `saw ${at}` }
    },
  })
}

/** A tool that changes something. */
export function pay(log: Log = [], during: () => Promise<unknown> = async () => undefined): Tool {
  return defineTool({
    id: "pay",
    aliases: [],
    description: "Pays someone.",
    input: z.object({ whom: z.string() }),
    requires: ["net.fetch"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ whom }) => whom,
    async execute({ whom }) {
      log.push(`pay ${whom} begins`)
      await during()
      log.push(`pay ${whom} ends`)
      if (whom === "nobody") throw new ToolError("nobody takes no money")
      return { data: { paid: whom } }
    },
  })
}

export const ask: Tool = defineTool({
  id: "question",
  aliases: [],
  description: "Asks the user.",
  input: z.object({ questions: z.array(z.object({ question: z.string() })) }),
  requires: ["human"],
  read_only: false,
  waits: true,
  consumes: [],
  absent: undefined,
  subject: () => "",
  async execute() {
    throw new Error("a person answers this")
  },
})

export interface Called {
  readonly name: string
  readonly input?: unknown
}

/** A model that makes these calls, one list for each step, and then says what it was told. */
export function caller(...steps: readonly (readonly Called[])[]): Script {
  let at = 0
  return ({ newest }) => {
    const calls = steps[at++]
    if (!calls) return [{ text: (newest?.blocks ?? []).map(told).join(" | ") }]
    return calls.map(
      ({ name, input = {} }, index): ScriptStep => ({
        call: { id: `step${at}call${index}`, name, input },
      }),
    )
  }
}

function told(block: PromptBlock): string {
  if (block.type === "text") return block.text
  if (block.type === "tool-result") {
    const said = block.blocks.map(told).join(", ")
    return block.is_error ? `error: ${said}` : said
  }
  return `<${block.type}>`
}
