// The terminal program: what its keys and commands do is what they say.

import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { ANTHROPIC, newestWords, startModel } from "./outside/model.ts"
import { startServer, until } from "./outside/product.ts"
import { openScreen } from "./outside/screen.ts"

/** A model that ends its answer to whoever says "wait" when it is told to. */
async function waitingModel() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const model = await startModel((body) =>
    newestWords(body).includes("wait")
      ? { text: "half of it", after: promise }
      : `heard ${newestWords(body).slice(0, 200)}`,
  )
  return { model, release: resolve }
}

describe.skipIf(missing("tmux"))("the terminal program", () => {
  it("[TRM-03] /side asks the question that stands behind it (adopters 11)", async () => {
    const model = await startModel(() => "four")
    const server = await startServer({ environment: model.environment })
    const screen = openScreen(server.folders, ["-m", ANTHROPIC])
    await screen.shows("ready")
    screen.type("hello", "Enter")
    await screen.shows("four")
    screen.type("/side what is 2+2", "Enter")
    await screen.shows(/sidecar ·/)
    await until(() => model.texts.some((text) => text.includes("what is 2+2")))
    await screen.shows("> what is 2+2")
  })

  it("[TRM-03] Escape closes the x-ray, then stops the answer and says so; a steered message says that it steers (adopters 11)", async () => {
    const { model, release } = await waitingModel()
    const server = await startServer({ environment: model.environment })
    const screen = openScreen(server.folders, ["-m", ANTHROPIC])
    await screen.shows("ready")
    screen.type("please wait", "Enter")
    await screen.shows("half of it")
    screen.type("steer this", "C-s")
    await screen.shows(/steers.*steer this/)
    screen.type("a draft", "C-x")
    await screen.shows("used with the history")
    screen.type("", "Escape")
    await until(() => !screen.text.includes("used with the history"), "the x-ray was closed")
    expect(screen.text).toContain("answering")
    screen.type("", "Escape")
    await screen.shows("stopped")
    release()
  })
})
