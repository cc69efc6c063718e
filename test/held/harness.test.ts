import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { ANTHROPIC, callInTurn, startModel } from "../attacks/outside/model.ts"
import { run, runInTerminal, startServer } from "../attacks/outside/product.ts"
import { openScreen } from "../attacks/outside/screen.ts"

describe("the product from outside", () => {
  it("answers over HTTP, with a model and its tools behind it", async () => {
    const model = await startModel(callInTurn({ name: "read", input: { path: "a.txt" } }))
    const server = await startServer({
      files: { "workspace/a.txt": "alpha beta" },
      environment: model.environment,
    })
    const session = await server.session(ANTHROPIC)
    expect((await server.send(session, "hello")).status).toBe(201)
    await server.settled(session)
    expect(model.bodies).toHaveLength(2)
    expect(model.texts[1]).toContain("alpha beta")
    const { out } = await run(server.folders, ["sessions"])
    expect(out).toContain(session)
    const { out: shown } = await runInTerminal(server.folders, ["sessions"])
    expect(shown).toContain(session)
  })

  it.skipIf(missing("tmux"))("shows itself in a terminal", async () => {
    const server = await startServer()
    const screen = openScreen(server.folders)
    screen.type("hello there", "Enter")
    await screen.shows("mirror")
  })
})
