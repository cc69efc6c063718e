import { describe, expect, it } from "vitest"
import type { CommandDefinition } from "../../packages/core/commands/define-command.ts"
import { BUILT_IN_COMMANDS } from "../../packages/core/commands/table.ts"
import type { SendAnswer } from "../../packages/client/client.ts"
import { newSession, openServed, type Served, settled } from "../host/served.ts"

const FILES = { "workspace/notes.md": "one\n" }

describe.each(BUILT_IN_COMMANDS.map((command) => [command.name, command] as const))(
  "/%s",
  (name, command) => {
    it("[CMP-040] [CMP-045] is read in its example, listed, completed and explained", async () => {
      const served = await openServed({ files: FILES })
      const session = await newSession(served, { workspace_root: served.workspace })
      const { commands } = served.client
      for (const typed of [name, ...command.aliases]) {
        const source = command.example.replace(`/${name}`, `/${typed}`)
        const { nodes } = await commands.parse({ session, source })
        expect(nodes[0]).toMatchObject({ kind: "slash_command", name: typed, start: 0 })
      }
      const listed = (await commands.list({ session })).commands.map((entry) => entry.name)
      expect(listed).toContain(name)
      const source = `/${name.slice(0, -1)}`
      const { items } = await commands.complete({ session, source, cursor: source.length })
      expect(items).toContainEqual(
        expect.objectContaining({ kind: "command", label: name, description: command.about }),
      )
      const help = await served.client.send(session, { source: `/help ${name}` })
      expect(help.shown[0]?.text).toBe(`/${name}  ${command.about}`)
    })

    it("[CMP-041] [CMP-042] does over HTTP what its definition says, and says so", async () => {
      const served = await openServed({ files: FILES })
      const session = await newSession(served, { workspace_root: served.workspace })
      await served.client.send(session, { source: "something to begin with" })
      await settled(served, session)
      const sent = await served.client.send(session, { source: command.example })
      expect(await saidOf[command.when](served, session, sent)).toMatch(/\S/)
    })
  },
)

/** What a user is told, or the message says, by the moment at which a command acts. */
const saidOf: Readonly<
  Record<
    CommandDefinition["when"],
    (served: Served, session: string, sent: SendAnswer) => Promise<string>
  >
> = {
  async queued(served, session, { message }) {
    expect(message?.metadata.action).toMatchObject({ type: expect.any(String) })
    const answer = (await settled(served, session)).at(-1)
    expect(answer?.metadata.host).toBe(true)
    return String(answer?.parts[0]?.data.text)
  },
  async "at-once"(_, __, { message, shown }) {
    expect(message).toBeNull()
    return shown[0]?.text ?? ""
  },
  async composes(_, __, { message }) {
    const derived = message?.parts.filter(({ data }) => data.derived_from !== undefined)
    expect(derived).not.toHaveLength(0)
    return JSON.stringify(derived)
  },
}
