import { cleanTitle } from "../message/row.ts"
import { defineCommand, optionalArgument } from "./define-command.ts"

export const branchCommand = defineCommand({
  name: "branch",
  aliases: ["fork"],
  about: "Continue from here in a new session",
  arguments: [optionalArgument("title", "what to call the new session")],
  when: "queued",
  perform: ({ typed }) => ({ type: "branch", title: cleanTitle(typed) || null }),
  example: "/branch another way",
})
