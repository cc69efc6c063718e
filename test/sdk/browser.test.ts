import { describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import { png, temporaryFolder } from "../build.ts"
import { connectChromium } from "../chromium.ts"
import { missing } from "../machine.ts"
import { look } from "../session/tools.ts"
import { servePage, shelfOf } from "./page.ts"

/** A server whose model looks once and then says what it was told; and a page of an example. */
async function stand(example: string, shelf: string) {
  const folder = await temporaryFolder()
  const held = Promise.withResolvers<void>()
  const model = scriptedProvider(({ newest }) => {
    const blocks = newest?.blocks ?? []
    const words = blocks
      .map((block) => ("text" in block ? block.text : `<${block.type}>`))
      .join("|")
    if (words.includes("hold")) return [{ text: "begun" }, { wait: held.promise }]
    if (words === "look") return [{ call: { id: "c1", name: "look", input: { at: "a" } } }]
    return [{ text: "You " }, { text: `said: ${words}` }]
  })
  const running = await serve({
    data: folder,
    workspace: folder,
    environment: {},
    providers: new Map([["mirror", model]]),
    tools: [look()],
    registered: false,
  })
  const browser = await connectChromium()
  onTestFinished(async () => {
    held.resolve()
    await browser.close()
    await running.close()
  })
  const client = createClient({ url: running.url, token: running.token })
  const { session } = await client.sessions.create({})
  const url = await servePage(example, shelf, running.url)
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${url}/#token=${running.token}&session=${session.id}`)
  const say = async (words: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(words)
    await page.getByRole("button", { name: "Send" }).click()
  }
  const answer = (words: string) =>
    page.locator('[data-role="assistant"]').filter({ hasText: words }).last().waitFor()
  const kept = async () => {
    const { messages } = await client.messages(session.id, { limit: 100 })
    return messages.map(({ role, parts }) => [role, parts.map(({ data }) => data)] as const)
  }
  return { page, say, answer, kept, client, session: session.id }
}

const AI = shelfOf("@ai-sdk/react")
const UI = shelfOf("@assistant-ui/react")

describe.skipIf(missing("chromium"))("examples in a browser", { timeout: 120_000 }, () => {
  it.skipIf(AI === undefined)(
    "[BEY-10] lets the AI SDK's useChat drive a session end to end",
    async () => {
      const { page, say, answer, kept, client, session } = await stand("ai-sdk", AI ?? "")
      await say("/search cats")
      await answer("You said: cats")
      await page.getByLabel("Files").setInputFiles({
        name: "a.png",
        mimeType: "image/png",
        buffer: png(2, 2),
      })
      await say("see this")
      await answer("You said: see this|<image>")
      await say("look")
      await answer('look "saw a"')
      expect(await kept()).toMatchObject([
        [
          "user",
          [
            { type: "command", id: "/search" },
            { type: "text", intent: "search" },
          ],
        ],
        ["assistant", [{ type: "text", text: "You said: cats" }]],
        ["user", [{ type: "text" }, { type: "file-attachment", name: "a.png", mime: "image/png" }]],
        ["assistant", [{ text: "You said: see this|<image>" }]],
        ["user", [{ text: "look" }]],
        ["assistant", [{ type: "tool-look", state: "output-available" }]],
        ["assistant", [{ type: "text" }]],
      ])
      await say("hold on")
      await answer("begun")
      await page.getByRole("button", { name: "Stop" }).click()
      await expect.poll(async () => (await client.status(session)).state).toBe("idle")
    },
  )

  it.skipIf(UI === undefined)(
    "[BEY-10] lets assistant-ui's runtime drive a session end to end",
    async () => {
      const { say, answer, kept } = await stand("assistant-ui", UI ?? "")
      await say("hello there")
      await answer("You said: hello there")
      await say("/search dogs")
      await answer("You said: dogs")
      expect(await kept()).toMatchObject([
        ["user", [{ type: "text", text: "hello there" }]],
        ["assistant", [{ text: "You said: hello there" }]],
        [
          "user",
          [
            { type: "command", id: "/search" },
            { type: "text", intent: "search" },
          ],
        ],
        ["assistant", [{ text: "You said: dogs" }]],
      ])
    },
  )
})
