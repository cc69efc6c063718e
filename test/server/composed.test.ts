import { expect, it } from "vitest"
import { newSession, openDoor } from "./house.ts"

const KEY = ["AKIA", "IOSFODNN7EXAMPL", "Q"].join("")

it("[BEY-04] sends a typed secret when its author says so, and keeps it out of what is kept beside", async () => {
  const door = await openDoor({ script: [{ text: "ok" }] })
  const session = await newSession(door)
  const send = (json: object) => door.ask("post", `/v1/sessions/${session}/messages`, { json })
  const source = `use ${KEY} /search ${KEY}`
  const { body } = await send({ source, allow_secrets: true })
  const [said, command] = body.message.parts
  expect(said.data).toMatchObject({ text: `use ${KEY} `, ingress: { verdict: "allowed" } })
  expect(JSON.stringify([command, body.message.metadata])).not.toContain(KEY)
  const plain = await send({ source: `use ${KEY}` })
  expect(plain.body.message.parts[0].data.ingress.verdict).toBe("redacted")
})

it("[EA-002] knows the servers whose resources a host completes", async () => {
  const docs = { prefix: "docs", kind: "resource", complete: async () => [] } as const
  const door = await openDoor({ completion_sources: () => [docs] })
  const { body } = await door.ask("post", "/v1/parse", { json: { source: "see @docs:guide" } })
  expect(body.parts[1]).toEqual({
    type: "file-ref",
    ref: { kind: "mcp", server: "docs", uri: "guide" },
  })
})
