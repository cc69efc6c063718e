import { join } from "node:path"
import { expect, it } from "vitest"
import { FAKE_SECRETS } from "../policy/fake-secrets.ts"
import { type Desk, openDesk, seen, write } from "./house.ts"

const KINDS = new Map(FAKE_SECRETS.map((fake) => [fake.kind, fake]))

it("[BEY-04] knows at least twenty kinds of secrets", () => {
  expect(KINDS.size).toBeGreaterThanOrEqual(20)
})

it.each([...KINDS.values()])(
  "[BEY-04] keeps $kind out of a paste, a file and an editor's state, and says so",
  async ({ secret, text = secret }) => {
    const desk = await openDesk()
    await write(join(desk.workspace, "notes.txt"), `before\n${text}\nafter\n`)
    await desk.host.submit({
      session_id: desk.session,
      parts: [
        { type: "text", text: `look:\n${text}\n` },
        { type: "file-ref", ref: { kind: "path", path: "notes.txt" } },
        { type: "editor-context", kind: "selection", payload: { text }, emitted_at: 1 },
      ],
    })
    expect((await seen(desk)).join("\n")).not.toContain(secret)
    for (const { outcome, reason } of await receipts(desk))
      expect(outcome === "denied" || /removed|secret/.test(reason), `${outcome}: ${reason}`).toBe(
        true,
      )
  },
)

async function receipts({ host, session }: Desk) {
  const [turn] = await host.store.turns(session)
  return host.store.receipts(session, turn?.id ?? "")
}
