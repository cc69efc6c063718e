import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { makeFolders, run, startServer } from "../outside/product.ts"
import { type Visit, visit } from "./browser.ts"

const SKILL = "---\nname: tidy\ndescription: Load it to tidy up.\n---\n\n# Tidy\n\nPut it away.\n"
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** The X-ray is open and shows what the model receives of the draft. */
async function xraySees(person: Visit, words: string): Promise<void> {
  const pane = person.page.getByRole("complementary", { name: "X-ray" })
  await pane.getByText(words).first().waitFor()
  expect(person.faults).toEqual([])
}

describe.skipIf(missing("chromium"))("what breaks", { timeout: 180_000 }, () => {
  it("[PAG-001] draws a draft that brings a skill, after a reload and on a second device too (F1)", async () => {
    const server = await startServer({ files: { "workspace/.agents/skills/tidy/SKILL.md": SKILL } })
    const session = await server.session()
    const link = `${server.link}&session=${session}`
    const first = await visit(link)
    await first.write("use @skill:pdf please")
    await first.button("X-ray").click()
    await xraySees(first, "Result of skill")
    await xraySees(first, "use")
    await first.page.reload()
    await xraySees(first, "Result of skill")
    await expect
      .poll(async () => (await server.get(`/v1/sessions/${session}/draft`)).text)
      .toMatch(/skill:pdf/)
    const second = await visit(link)
    await second.button("X-ray").click()
    await xraySees(second, "Result of skill")
  })

  it("[PAG-001] prints the dry run of a message that brings a skill (F1, in the command line)", async () => {
    const folders = await makeFolders()
    const message = { parts: [{ type: "mention", target: { kind: "skill", name: "pdf" } }] }
    const { code, out, error } = await run(folders, ["lower"], { stdin: JSON.stringify(message) })
    expect(error).not.toContain("undefined")
    expect(out).toContain("result of skill")
    expect(code).toBe(0)
  })

  it("[PAG-001] draws a dry run of every kind of block, in any order and depth (F1)", async () => {
    const server = await startServer()
    const seed = Date.now() % 1_000_000
    const { blocks, kinds } = randomBlocks(seed, 150)
    const person = await visit(server.link)
    await person.page.route("**/v1/lower", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      await route.fulfill({
        response,
        json: { ...answer, prompt: { messages: [{ role: "user", blocks }] } },
      })
    })
    await person.write("anything")
    await person.button("X-ray").click()
    const items = person.page.getByRole("complementary", { name: "X-ray" }).locator("ol > li")
    await expect.poll(() => items.count(), { message: `seed ${seed}` }).toBe(blocks.length)
    expect(kinds.size).toBe(8)
    expect(person.faults, `seed ${seed}`).toEqual([])
  })

  it("[PAG-001] closes a pane that cannot be drawn and says so, and the page goes on (F1)", async () => {
    const server = await startServer()
    const session = await server.session()
    await server.send(session, "first words")
    await server.settled(session)
    const person = await visit(`${server.link}&session=${session}`)
    const { page } = person
    const pane = (name: string) => page.getByRole("complementary", { name, exact: true })
    await page.getByRole("article", { name: "Assistant" }).waitFor()

    await page.route("**/v1/lower", (route) => route.fulfill({ json: { receipts: 7, prompt: {} } }))
    await person.write("kept words")
    await person.button("X-ray").click()
    await page.getByText("X-ray could not be shown and was closed.").waitFor()
    await person.button("Dismiss").click()
    await expect.poll(() => pane("X-ray").count()).toBe(0)
    await expect.poll(() => person.composer.textContent()).toContain("kept words")
    await page.reload()
    await page.getByRole("article", { name: "Assistant" }).waitFor()
    await expect.poll(() => person.composer.textContent()).toContain("kept words")

    await page.route(`**/v1/sessions/${session}/inspect**`, (route) =>
      route.fulfill({ json: { timeline: 3 } }),
    )
    await person.button("More").click()
    await page.getByRole("menuitem", { name: "Inspector" }).click()
    await page
      .getByText(/could not be shown/)
      .first()
      .waitFor()
    await page.keyboard.press("Escape")

    await page.route("**/v1/agents**", (route) => route.fulfill({ json: { agents: 5 } }))
    await person.button("More").click()
    await page.getByRole("menuitem", { name: /^At hand/ }).click()
    await page.getByRole("tab", { name: "Agents" }).click()
    await pane("At hand")
      .getByText(/could not be shown/)
      .waitFor()
    await page.getByRole("tab", { name: "Commands" }).click()
    await pane("At hand").getByText("/compact").first().waitFor()
  })

  it("[PAG-001] puts a note in the place of a message that cannot be drawn (F1)", async () => {
    const server = await startServer()
    const session = await server.session()
    for (const words of ["one", "two"]) {
      await server.send(session, words)
      await server.settled(session)
    }
    const person = await visit(server.link)
    await person.page.route(`**/v1/sessions/${session}/messages?**`, async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      answer.messages[0].parts[0].data = { type: "file-ref" }
      answer.messages[0].parts[0].type = "file-ref"
      await route.fulfill({ response, json: answer })
    })
    await person.page.goto(`${server.url}/#/${session}`)
    await person.page.getByRole("article", { name: "You" }).getByText("two").waitFor()
    await person.page.getByText(/This could not be shown/).waitFor()
    await person.send("three")
    await person.page.getByRole("article", { name: "You" }).getByText("three").waitFor()
  })

  it("[PAG-001] puts a note in the place of a thread whose script does not come", async () => {
    const server = await startServer()
    const session = await server.session()
    await server.send(session, "one")
    await server.settled(session)
    const person = await visit(server.link)
    await person.write("a draft")
    await person.page.route("**/assets/log-*.js", (route) => route.abort())
    await person.page.goto(`${server.url}/#/${session}`)
    await person.page.getByText(/This could not be shown/).waitFor()
    await person.button("New session").click()
    await person.composer.getByText("a draft").waitFor()
  })
})

/** Blocks of every kind, nested as results are. A small generator keeps a seed worth printing. */
function randomBlocks(seed: number, count: number) {
  let state = seed || 1
  const below = (limit: number) => {
    state = (Math.imul(state, 48_271) >>> 0) % 0x7fffffff
    return state % limit
  }
  const kinds = new Set<string>()
  const media = () => ({
    mime: "image/png",
    name: "a".repeat(below(60)),
    size: below(1e7),
    content_id: `sha256:${PNG.slice(0, 10)}`,
  })
  const makers = [
    () => ({ type: "text", text: "x\n".repeat(below(30)) }),
    () => ({ type: "image", media: media(), width: below(9), height: below(9) }),
    () => ({ type: "audio", media: media() }),
    () => ({ type: "video", media: media() }),
    () => ({ type: "document", media: media() }),
    () => ({ type: "reasoning", text: "hm" }),
    () => ({
      type: "tool-call",
      id: "c",
      name: "skill",
      input: [null, "s", { a: [1] }, 7][below(4)],
    }),
    (depth: number): { type: string } & Record<string, unknown> => ({
      type: "tool-result",
      id: "c",
      name: "skill",
      blocks: depth > 2 ? [] : Array.from({ length: below(4) }, () => make(depth + 1)),
      is_error: below(2) === 0,
    }),
  ]
  const make = (depth: number): { type: string } => {
    const block = makers[below(makers.length)]?.(depth) ?? { type: "text", text: "" }
    kinds.add(block.type)
    return block
  }
  return { blocks: Array.from({ length: count }, () => make(0)), kinds }
}
