import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { docx } from "../files/convert/samples.ts"
import { zipOf } from "../files/convert/zip.ts"
import { missing } from "../machine.ts"
import { openBrowser, PICTURE, Theatre, Visitor } from "./stage.ts"

const SHELF = "At hand: commands, files, agents, memory"
const SERVER = join(
  import.meta.dirname,
  "..",
  "..",
  "node_modules",
  "@modelcontextprotocol",
  "server-everything",
  "dist",
  "index.js",
)

describe.skipIf(missing("chromium"))("files, servers and agents, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  async function visit() {
    const theatre = await Theatre.open()
    const visitor = await Visitor.come(browser, theatre.link)
    const shelf = async (tab: string) => {
      if ((await visitor.panel("At hand").count()) === 0) await visitor.choose("More", SHELF)
      await visitor.panel("At hand").getByRole("tab", { name: tab, exact: true }).click()
      return visitor.panel("At hand").getByRole("tabpanel")
    }
    return { theatre, visitor, shelf }
  }

  it("[BEY-01][BEY-08] browses files, shows what a model gets of each, looks inside and takes along", async () => {
    const { theatre, visitor, shelf } = await visit()
    const { workspace } = theatre
    await writeFile(join(workspace, "bundle.zip"), zipOf([{ name: "in/a.txt", data: "inside" }]))
    const words = "<w:p><w:r><w:t>Written in Word</w:t></w:r></w:p>"
    await writeFile(join(workspace, "letter.docx"), docx(words))
    await writeFile(join(workspace, ".env"), "KEY=never")
    await visitor.composer.click()
    await visitor.hand("paste", PICTURE)
    await visitor.sees(visitor.chips, "native")
    await visitor.send("look at this")
    await visitor.sees(visitor.answers, "That is all of it.")
    const files = await shelf("Files")
    await visitor.sees(files, "shot.png")
    expect(await files.getByText(".env").count()).toBe(0)
    expect(await visitor.barriers()).toEqual([])
    await files.getByRole("button", { name: /^src\// }).click()
    await files.getByRole("button", { name: /^deep\// }).click()
    await files.getByRole("button", { name: /engine\.ts/ }).click()
    await visitor.sees(files, "export const engine = 1")
    await visitor.sees(files, "inlined")
    expect(await visitor.barriers()).toEqual([])
    await files.getByRole("button", { name: "Put into the draft" }).click()
    await visitor.sees(visitor.chipsInText, "@src/deep/engine.ts")
    const [download] = await Promise.all([
      visitor.page.waitForEvent("download"),
      files.getByRole("button", { name: "Download", exact: true }).click(),
    ])
    expect(await text(await download.createReadStream())).toContain("export const engine")
    await files.getByRole("button", { name: "Back to the files" }).click()
    await files.getByRole("button", { name: "Workspace" }).click()
    await files.getByRole("button", { name: /bundle\.zip/ }).click()
    await files.getByRole("button", { name: "Look inside" }).click()
    await visitor.sees(files, "in/a.txt")
    await files.getByRole("button", { name: "Put in/a.txt into the draft" }).click()
    await visitor.sees(visitor.chipsInText, "@bundle.zip!/in/a.txt")
    await files.getByRole("button", { name: "Back to the files" }).click()
    await files.getByRole("button", { name: /letter\.docx/ }).click()
    await files.getByRole("button", { name: "Take the text out" }).click()
    await visitor.sees(files, "Written in Word")
  }, 120_000)

  it("[MCP-001] shows what a server offers once its file is trusted, and starts it anew", async () => {
    const { theatre, visitor, shelf } = await visit()
    const everything = { command: process.execPath, args: [SERVER, "stdio"] }
    const broken = { command: process.execPath, args: ["-e", "process.exit(1)"] }
    await writeFile(
      join(theatre.workspace, ".mcp.json"),
      JSON.stringify({ mcpServers: { everything, broken } }),
    )
    await visitor.composer.waitFor()
    const servers = await shelf("MCP")
    const card = servers.getByRole("listitem").filter({ hasText: "everything" }).first()
    await visitor.sees(card, "not trusted yet")
    await card.getByRole("button", { name: "Trust", exact: true }).click()
    await visitor.sees(card, "ready")
    await visitor.sees(servers, "not reached")
    await card.getByText("What it offers").click()
    await visitor.sees(card, "everything_echo")
    expect(await visitor.barriers()).toEqual([])
    await card.getByRole("button", { name: "Reconnect everything" }).click()
    await visitor.notice("everything was started anew.")
    await card
      .getByRole("button", { name: /^Put .* into the draft$/ })
      .first()
      .click()
    await expect.poll(() => visitor.chips.count()).toBe(1)
  }, 90_000)

  it("lists who can answer, trusts one of the project, and lets it take over", async () => {
    const { theatre, visitor, shelf } = await visit()
    await mkdir(join(theatre.workspace, ".agents", "agents"), { recursive: true })
    await writeFile(
      join(theatre.workspace, ".agents", "agents", "critic.md"),
      "---\ndescription: Finds faults\ntools: [read]\n---\nYou find faults, and name the line.\n",
    )
    await visitor.send("hello")
    await visitor.sees(visitor.answers, "That is all of it.")
    const agents = await shelf("Agents")
    const card = agents.getByRole("listitem").filter({ hasText: "critic" })
    await visitor.sees(
      agents.getByRole("listitem").filter({ hasText: "assistant" }),
      "Answers here",
    )
    await card.getByRole("button", { name: "Trust", exact: true }).click()
    await card.getByRole("button", { name: "Let it answer here" }).click()
    await visitor.sees(card, "Answers here")
    await card.getByText("Its instructions").click()
    await visitor.sees(card, "You find faults, and name the line.")
    expect(await visitor.barriers()).toEqual([])
    await visitor.send("and now?")
    await visitor.sees(visitor.answers, "You said: and now?")
    const [session] = (await theatre.client.sessions.list()).sessions
    const { turns } = await theatre.client.turns(session?.id ?? "")
    expect(turns.map(({ agent }) => agent)).toEqual(["assistant", "critic"])
  })

  it("[SES-030] draws a summary as what it is, and what it says when asked", async () => {
    const { visitor } = await visit()
    for (const text of ["hello", "and again"]) {
      await visitor.send(text)
      await visitor.sees(visitor.answers, `You said: ${text}`)
    }
    await visitor.send("/compact")
    await visitor.log.getByText(/^Summarised here/).click()
    await visitor.sees(visitor.log.locator("details[open]"), "That is all of it.")
    expect(await visitor.barriers()).toEqual([])
  })
})
