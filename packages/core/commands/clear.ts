import { defineCommand } from "./define-command.ts"

export const clearCommand = defineCommand({
  name: "clear",
  aliases: [],
  about: "Start afresh in this session; what was said is kept, not shown to the model",
  arguments: [],
  when: "queued",
  perform: () => ({ type: "clear" }),
  example: "/clear",
})
