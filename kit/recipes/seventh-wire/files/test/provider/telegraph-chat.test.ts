import { describe, expect, it } from "vitest"
import { telegraphChat } from "../../packages/core/wires/telegraph-chat.ts"
import { providers } from "../../packages/engine/providers/registry.ts"
import { openServed, settled } from "../host/served.ts"
import { listen, readRequest } from "./loopback.ts"

const { answer } = telegraphChat.example

describe("telegraph-chat", () => {
  it("answers a turn", async () => {
    const asked: unknown[] = []
    const url = await listen(async (request, response) => {
      asked.push(JSON.parse((await readRequest(request)).body.toString()))
      response.writeHead(200, { "content-type": answer.type }).end(answer.bytes)
    })
    const served = await openServed({
      providers: providers({ TELEGRAPH_API_KEY: "key", TELEGRAPH_BASE_URL: url }),
    })
    const { session } = await served.client.sessions.create({ model: "telegraph/morse-1" })
    await served.client.send(session.id, { source: "Is anybody there?" })
    const messages = await settled(served, session.id)
    expect(messages.at(-1)?.parts.map(({ data }) => data.text)).toEqual(["Hello."])
    expect(asked).toEqual([
      expect.objectContaining({
        model: "morse-1",
        messages: expect.arrayContaining([
          { role: "user", content: [{ type: "text", text: "Is anybody there?" }] },
        ]),
      }),
    ])
  })
})
