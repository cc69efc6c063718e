import type { Client } from "../../packages/client/client.ts"
import type { CommandDefinition } from "../../packages/core/commands/define-command.ts"
import { BUILT_IN_COMMANDS } from "../../packages/core/commands/table.ts"

/** A line to type for each built-in command that acts at one of these moments. */
export function examples(...moments: readonly CommandDefinition["when"][]): string[] {
  return BUILT_IN_COMMANDS.filter(({ when }) => moments.includes(when)).map(
    ({ example }) => example,
  )
}

/** The end of what a command shows in a session of its own, as HTTP tells it. */
export async function endOfShown(client: Client, source: string): Promise<string> {
  const { session } = await client.sessions.create({})
  const { shown } = await client.send(session.id, { source })
  return (shown[0]?.text.trimEnd().split("\n").at(-1) ?? "").slice(0, 60).trimEnd()
}
