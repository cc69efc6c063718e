import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import react from "@vitejs/plugin-react"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, Theatre } from "./stage.ts"

const MIMES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
}

describe.skipIf(missing("chromium"))("the composer in a page of somebody else's", () => {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    browser = await openBrowser()
    folder = await mkdtemp(join(tmpdir(), "compositor-embed-"))
    const { build } = await import("vite")
    await build({
      configFile: false,
      logLevel: "error",
      root: join(import.meta.dirname, "..", "..", "examples", "react"),
      base: "./",
      plugins: [react()],
      build: { outDir: folder, emptyOutDir: true, target: "esnext" },
    })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it("[CMP-004][CMP-070] shows chips there, and sends source, nodes and what the host knows", async () => {
    const theatre = await Theatre.open()
    const { origin } = new URL(theatre.link)
    const page = await browser.newPage()
    await page.route(`${origin}/ticket/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      const path = pathname.replace(/^\/ticket\//, "") || "index.html"
      const body = await readFile(join(folder, path))
      await route.fulfill({ body, contentType: MIMES[extname(path)] ?? "text/plain" })
    })
    const token = /token=([^&]+)/.exec(theatre.link)?.[1] ?? ""
    await page.goto(`${origin}/ticket/#token=${token}`)
    const composer = page.getByRole("textbox", { name: "Answer" })
    await composer.click()
    await page.keyboard.type("They need ")
    await page.getByLabel("Priority").selectOption("high")
    await page.getByRole("button", { name: "Refer to the notes" }).click()
    await page.keyboard.type("to read")
    await expect.poll(() => page.locator(".cm-chip").allInnerTexts()).toEqual(["@notes.md#L1-2"])
    await page.getByText("file @notes.md#L1-2").waitFor()
    await page.keyboard.press("Enter")
    const answers = page.getByRole("list", { name: "Answers" })
    await answers.getByText("line 1").waitFor()
    expect(await answers.innerText()).toContain('"priority":"high"')
    expect(await answers.innerText()).not.toContain("line 3")
    expect(await composer.innerText()).not.toContain("notes.md")
    const [session] = (await theatre.client.sessions.list()).sessions
    const { messages } = await theatre.client.messages(session?.id ?? "")
    const source = "They need @notes.md#L1-2 to read"
    expect(messages[0]?.metadata.composer_input).toMatchObject({ source })
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual([
      "text",
      "file-ref",
      "text",
      "editor-context",
    ])
    await page.close()
  })
})
