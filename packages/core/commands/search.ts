import { defineCommand, requiredArgument } from "./define-command.ts"

const produces = { type: "text", intent: "search" } as const

export const searchCommand = defineCommand({
  name: "search",
  aliases: [],
  about: "Ask for a search",
  arguments: [requiredArgument("query", "what to look for")],
  when: "composes",
  produces,
  perform: async ({ typed }) => [{ ...produces, text: typed.trim() }],
  example: "/search the errors",
})
