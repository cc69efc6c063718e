import { defineCommand, optionalArgument } from "./define-command.ts"

export const compactCommand = defineCommand({
  name: "compact",
  aliases: [],
  about: "Summarise the conversation so far to make room",
  arguments: [optionalArgument("focus", "what the summary should keep")],
  when: "queued",
  perform: ({ typed }) => ({ type: "compact", focus: typed === "" ? null : typed }),
  example: "/compact the decisions",
})
