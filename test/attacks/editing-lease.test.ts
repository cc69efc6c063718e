import { describe, expect, it } from "vitest"
import { ANTHROPIC, newestWords, startModel } from "./outside/model.ts"
import { startServer, until } from "./outside/product.ts"

describe("a message that was left in the middle of an edit", () => {
  it("[QUE-008] goes back to the queue after its lease, with all behind it in order, unless its editor says that it goes on (documents-000 F14)", async () => {
    const gate = Promise.withResolvers<void>()
    const model = await startModel((body) =>
      newestWords(body).includes("please wait") ? { text: "done", after: gate.promise } : "done",
    )
    const server = await startServer({
      files: { "data/config.json": JSON.stringify({ queue: { editing_seconds: 2 } }) },
      environment: model.environment,
    })
    const session = await server.session(ANTHROPIC)
    await server.send(session, "please wait")
    await until(() => model.bodies.length === 1, "the model was asked")
    const first = (await server.send(session, "first", { mode: "queued" })).json.message.id
    await server.send(session, "second", { mode: "queued" })
    const edit = (body: object) =>
      server.call("PATCH", `/v1/sessions/${session}/queue/${first}`, body)
    const stateOf = async () =>
      (await server.get(`/v1/sessions/${session}/queue`)).json.queue.find(
        ({ id }: { id: string }) => id === first,
      )
    const held = await edit({ state: "editing" })
    const lease = held.json.message.metadata.editing_until
    expect((await stateOf()).metadata.editing_until).toBe(lease)
    // An editor that is alive says so, and has it for longer.
    let renewed = lease
    await until(async () => {
      renewed = (await edit({ state: "editing" })).json.message.metadata.editing_until
      return renewed > lease
    }, "the lease was renewed")
    // Then it falls silent, while the turn before still runs.
    await until(async () => (await stateOf()).state === "queued", "it went back", 20_000)
    expect(Date.now()).toBeGreaterThanOrEqual(renewed)
    gate.resolve()
    await server.settled(session)
    expect(model.bodies.map(newestWords).map((words) => /first|second/.exec(words)?.[0])).toEqual([
      undefined,
      "first",
      "second",
    ])
    // Whoever saves now is told that it was sent; their words are still theirs.
    const late = await edit({ source: "first, but better", state: "queued" })
    expect(late.status).toBe(409)
  })
})
