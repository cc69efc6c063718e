import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { ANTHROPIC, startModel } from "./outside/model.ts"
import { run, startServer, until } from "./outside/product.ts"
import { openScreen } from "./outside/screen.ts"

describe("an answer that a crash cut in two", () => {
  it.skipIf(missing("tmux"))(
    "[SES-061] is marked at the cut: by the server, the command line and the terminal (adopters 11)",
    async () => {
      const never = new Promise<void>(() => undefined)
      const model = await startModel((_, count) =>
        count === 1 ? { text: "the first half", after: never } : "the whole answer",
      )
      const before = await startServer({ environment: model.environment })
      const session = await before.session(ANTHROPIC, { title: "Cut" })
      await before.send(session, "tell me")
      await until(
        async () => JSON.stringify(await before.messages(session)).includes("the first half"),
        "half of the answer was kept",
      )
      await before.stop("SIGKILL")
      const { folders } = before
      const server = await startServer({ folders, environment: model.environment })
      await until(
        async () => JSON.stringify(await server.messages(session)).includes("the whole answer"),
        "the turn was asked again",
      )
      await server.settled(session)
      const answers = (await server.messages(session)).filter(({ role }) => role === "assistant")
      expect(answers.map(({ metadata }) => metadata.finish)).toEqual(["interrupted", "stop"])
      const inspected = await run(folders, ["inspect", session])
      expect(inspected.out).toMatch(/answer msg_\w+ \(cut off by a crash\)\n[^]*the first half/)
      const screen = openScreen(folders, ["-s", session], { environment: model.environment })
      const shown = await screen.shows("the whole answer")
      expect(shown).toMatch(/the first half[^]*cut off by a crash[^]*the whole answer/)
    },
  )
})
