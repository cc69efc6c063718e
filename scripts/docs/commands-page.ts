// The built-in commands, as their definitions say them.

import type { CommandDefinition } from "../../packages/core/commands/define-command.ts"
import { BUILT_IN_COMMANDS } from "../../packages/core/commands/table.ts"

const MOMENTS: Readonly<Record<CommandDefinition["when"], string>> = {
  queued: "acts on the session, in its turn in the queue",
  "at-once": "shows something at once",
  composes: "becomes parts of the message",
}

export function commandsPage(): string {
  const rows = BUILT_IN_COMMANDS.map(
    ({ name, aliases, about, arguments: declared, when, example }) => {
      const names = [name, ...aliases].map((each) => `\`/${each}\``).join(", ")
      const given = declared.map((each) => (each.required ? each.name : `[${each.name}]`)).join(" ")
      return `| ${names} | ${given} | ${about} | ${MOMENTS[when]} | \`${example}\` |`
    },
  )
  return [
    "# Built-in commands",
    "",
    "Made from the files in `packages/core/commands`.",
    "",
    "| command | arguments | what it does | when | example |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n")
}
