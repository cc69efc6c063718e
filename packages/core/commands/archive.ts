import { defineCommand } from "./define-command.ts"
import { archiveSession } from "./queue-effect.ts"

export const archiveCommand = defineCommand({
  name: "archive",
  aliases: [],
  about: "Put this session away; it can be brought back",
  arguments: [],
  when: "queued",
  perform: archiveSession,
  example: "/archive",
})
