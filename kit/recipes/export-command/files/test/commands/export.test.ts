import { describe, expect, it } from "vitest"
import { newSession, openServed, settled } from "../host/served.ts"

describe("/export", () => {
  it("shows the conversation as Markdown", async () => {
    const served = await openServed({ script: [{ text: "It is a boat." }] })
    const session = await newSession(served)
    const empty = await served.client.send(session, { source: "/export" })
    expect(empty.shown).toEqual([{ command: "/export", text: "Nothing was said yet." }])
    await served.client.send(session, { source: "What floats?" })
    await settled(served, session)
    const { message, shown } = await served.client.send(session, { source: "/export" })
    expect(message).toBeNull()
    expect(shown).toEqual([
      { command: "/export", text: "## user\n\nWhat floats?\n\n## assistant\n\nIt is a boat." },
    ])
  })
})
