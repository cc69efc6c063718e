import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, PICTURE, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("the composer, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  async function visit(options: Parameters<typeof Visitor.come>[2] = {}) {
    const theatre = await Theatre.open()
    return { theatre, visitor: await Visitor.come(browser, theatre.link, options) }
  }

  /** A session on show, so that its draft is the server's too. */
  async function visitSession() {
    const { theatre, visitor } = await visit()
    const { session } = await theatre.client.sessions.create({ title: "A draft" })
    await visitor.page.getByRole("link", { name: /A draft/ }).click()
    await visitor.page.getByRole("log").waitFor()
    const source = async () => (await theatre.client.draft.get(session.id)).draft?.source
    return { theatre, visitor, session, source }
  }

  it("[CMP-023][CMP-060] shows what is recognised as chips that one press deletes and undo restores", async () => {
    const { visitor } = await visit()
    const { page, chipsInText } = visitor
    await visitor.write("Read @notes.md#L2-3 with @skill:tidy now")
    await expect.poll(() => chipsInText.allInnerTexts()).toEqual(["@notes.md#L2-3", "@skill:tidy"])
    for (let at = 0; at < " now".length; at++) await page.keyboard.press("Backspace")
    await page.keyboard.press("Backspace")
    await expect.poll(() => chipsInText.allInnerTexts()).toEqual(["@notes.md#L2-3"])
    expect(await visitor.composer.innerText()).toBe("Read @notes.md#L2-3 with ")
    await page.keyboard.press("Control+z")
    await expect.poll(() => chipsInText.count()).toBe(2)
    // An arrow passes a chip whole: what is typed then stands before it.
    await page.keyboard.press("Home")
    for (let at = 0; at < "Read ".length + 1; at++) await page.keyboard.press("ArrowRight")
    await page.keyboard.type(",")
    expect(await visitor.composer.innerText()).toContain("Read @notes.md#L2-3, with")
  })

  it("[CMP-045] offers commands with what they do, by keyboard, and says what comes next", async () => {
    const { visitor } = await visit()
    await visitor.write("/sea")
    await visitor.sees(visitor.offers, /search.*Ask for a search/)
    const active = await visitor.composer.getAttribute("aria-activedescendant")
    expect(active).toBeTruthy()
    expect(await visitor.page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe(
      "true",
    )
    expect(await visitor.barriers()).toEqual([])
    await visitor.page.keyboard.press("Enter")
    await expect.poll(() => visitor.chipsInText.allInnerTexts()).toEqual(["/search"])
    await visitor.sees(visitor.page.getByRole("form"), "next: query")
  })

  it("[BEY-05] asks for what a command needs, and sends it filled in", async () => {
    const { theatre, visitor } = await visit()
    await visitor.write("/search ")
    await visitor.sees(visitor.chipsInText, "/search")
    await visitor.page.keyboard.press("Enter")
    const form = visitor.page.getByRole("dialog", { name: "/search needs something" })
    await form.getByLabel("query").fill("where the engine starts")
    expect(await visitor.barriers()).toEqual([])
    await form.getByRole("button", { name: "Fill in and send" }).click()
    await visitor.sees(visitor.answers, "You said: where the engine starts")
    const [session] = (await theatre.client.sessions.list()).sessions
    const [asked] = (await theatre.client.messages(session?.id ?? "")).messages
    expect(asked?.parts.map(({ data }) => data.intent ?? data.id)).toContain("search")
  })

  it("[CMP-060][CMP-063] finds files, skills and contexts behind an at sign", async () => {
    const { visitor } = await visit()
    await visitor.write("Look at @engi")
    await visitor.sees(visitor.offers, "src/deep/engine.ts")
    await visitor.page.keyboard.press("Tab")
    await expect.poll(() => visitor.chipsInText.allInnerTexts()).toEqual(["@src/deep/engine.ts"])
    await visitor.page.keyboard.type("and @sel")
    await visitor.sees(visitor.offers, "selection")
    await visitor.page.keyboard.press("Escape")
    await expect.poll(() => visitor.offers.count()).toBe(0)
    await visitor.page.keyboard.type("f")
    expect(await visitor.composer.innerText()).toBe("Look at @src/deep/engine.ts and @self")
  })

  it("means a command that was chosen inside the text, and not one that was typed there", async () => {
    const { visitor } = await visit()
    await visitor.write("please /hel")
    await visitor.sees(visitor.offers, /help/)
    await visitor.page.keyboard.press("Enter")
    await expect.poll(() => visitor.chipsInText.allInnerTexts()).toEqual(["/help"])
    await visitor.page.keyboard.press("Enter")
    await visitor.notice("/search")
    await visitor.sees(visitor.answers, "You said: please")
    await visitor.send("never /help anyone")
    await visitor.sees(visitor.answers, "You said: never /help anyone")
  })

  it("turns a long paste into an attachment, and back into exactly that text", async () => {
    const { visitor, source } = await visitSession()
    const line = "0123456789 ünïcödé 👩‍👩‍👧 שלום\n"
    const text = line.repeat(Math.ceil((216 * 1024) / line.length))
    await visitor.composer.click()
    await visitor.pasteText(text)
    await visitor.sees(visitor.chips, "pasted-")
    expect(await visitor.composer.innerText()).not.toContain("0123")
    await visitor.button("Paste as text").click()
    await expect.poll(() => visitor.chips.count()).toBe(0)
    await visitor.page.keyboard.type("end")
    await expect.poll(source, { timeout: 20_000 }).toBe(`${text}end`)
  })

  it("[EA-002] keeps source and spans exact beside a chip: input methods, ZWJ, right to left", async () => {
    const { theatre, visitor, source, session } = await visitSession()
    await visitor.write("@notes.md ")
    await visitor.sees(visitor.chipsInText, "@notes.md")
    await visitor.page.keyboard.press("Backspace")
    const cdp = await visitor.page.context().newCDPSession(visitor.page)
    await visitor.page.keyboard.type(" ")
    await cdp.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 })
    await cdp.send("Input.imeSetComposition", {
      text: "にほん",
      selectionStart: 3,
      selectionEnd: 3,
    })
    await cdp.send("Input.insertText", { text: "日本" })
    await visitor.page.keyboard.insertText(" 👩‍👩‍👧‍👦 שלום @src/deep/engine.ts#L1-2 مرحبا ")
    const whole = "@notes.md 日本 👩‍👩‍👧‍👦 שלום @src/deep/engine.ts#L1-2 مرحبا "
    await expect.poll(source).toBe(whole)
    await expect
      .poll(() => visitor.chipsInText.allInnerTexts())
      .toEqual(["@notes.md", "@src/deep/engine.ts#L1-2"])
    // Directly behind a chip, in front of one, and in between.
    await visitor.page.keyboard.press("Control+Home")
    await cdp.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 })
    await cdp.send("Input.insertText", { text: "火 " })
    await expect.poll(source).toBe(`火 ${whole}`)
    const { nodes } = await theatre.client.commands.parse({
      source: `火 ${whole}`,
      session: session.id,
    })
    for (const { start, end, raw } of nodes as { start: number; end: number; raw: string }[])
      expect(`火 ${whole}`.slice(start, end)).toBe(raw)
    expect(nodes).toHaveLength(2)
  })

  it("holds a thousand chips, and loses none of them to an edit in their midst", async () => {
    const { theatre, visitor, source, session } = await visitSession()
    const text = Array.from({ length: 100 }, (_, row) =>
      Array.from({ length: 10 }, (_, at) => `see @src/f${row}x${at}.ts#L${at + 1}`).join(" "),
    ).join("\n")
    await visitor.composer.click()
    await visitor.page.keyboard.insertText(text)
    await expect.poll(source, { timeout: 60_000 }).toBe(text)
    await visitor.page.keyboard.press("Control+Home")
    for (let at = 0; at < 50; at++) await visitor.page.keyboard.press("ArrowDown")
    await visitor.page.keyboard.type("§")
    await expect.poll(async () => (await source())?.indexOf("§")).toBeGreaterThan(1_000)
    const edited = (await source()) ?? ""
    expect(edited.replace("§", "")).toBe(text)
    const { nodes } = await theatre.client.commands.parse({ source: edited, session: session.id })
    expect(nodes).toHaveLength(1_000)
    const near = visitor.composer.locator(".cm-line", { hasText: "§" }).locator(".cm-chip")
    // Arrow keys go by the lines that are seen: it may have been typed in the midst of one.
    const expected = /.*§.*/.exec(edited)?.[0].match(/@[\w/.#]+/g)
    await expect.poll(() => near.allInnerTexts()).toEqual(expected)
    await visitor.page.keyboard.press("Control+a")
    await visitor.page.keyboard.press("Backspace")
    await visitor.page.keyboard.press("Control+z")
    await expect.poll(source).toBe(edited)
  })

  it("[CMP-003][EA-002] sends a thousand pasted chips, and keeps every source and span", async () => {
    const { theatre, visitor, session, source } = await visitSession()
    const text = Array.from({ length: 1_000 }, (_, at) => `see @src/f${at}.ts#L${at + 1}`).join(" ")
    await visitor.composer.click()
    await visitor.pasteText(text)
    await visitor.button("Paste as text").click()
    await expect.poll(source, { timeout: 60_000 }).toBe(text)
    await visitor.composer.click()
    await visitor.page.keyboard.press("Enter")
    await expect
      .poll(async () => (await theatre.client.messages(session.id)).messages.length, {
        timeout: 30_000,
      })
      .toBeGreaterThan(0)
    const [message] = (await theatre.client.messages(session.id)).messages
    const input = message?.metadata.composer_input as {
      source: string
      nodes: readonly { kind: string; start: number; end: number; raw: string }[]
    }
    expect(input.source).toBe(text)
    const files = input.nodes.filter(({ kind }) => kind === "file")
    expect(files).toHaveLength(1_000)
    for (const { start, end, raw } of input.nodes) expect(text.slice(start, end)).toBe(raw)
    const parts = message?.parts.filter(({ data }) => data.derived_from === undefined) ?? []
    const paths = parts.flatMap(
      ({ data }) => (data.ref as { path?: string } | undefined)?.path ?? [],
    )
    expect(paths).toEqual(Array.from({ length: 1_000 }, (_, at) => `src/f${at}.ts`))
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.log.evaluate((log) => log.scrollTo({ top: 0 }))
    await visitor.button("Show all").click()
    await expect
      .poll(() =>
        visitor.page
          .getByRole("article", { name: "You" })
          .getByText(/^src\//)
          .count(),
      )
      .toBe(1_000)
  }, 90_000)

  it("takes the files of a dropped folder by their paths in it", async () => {
    const { theatre, visitor } = await visit()
    const folder = join(theatre.workspace, "bundle")
    await mkdir(join(folder, "inner"), { recursive: true })
    await writeFile(join(folder, "one.txt"), "one")
    await writeFile(join(folder, "inner", "two.txt"), "two")
    const cdp = await visitor.page.context().newCDPSession(visitor.page)
    await visitor.composer.waitFor()
    const data = { items: [], files: [folder], dragOperationsMask: 1 }
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await cdp.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data })
    await visitor.sees(visitor.chips, "bundle/one.txt")
    await visitor.sees(visitor.chips, "bundle/inner/two.txt")
  })

  it("[CMP-078] takes a thing of another program as a reference to it", async () => {
    const { theatre, visitor } = await visit()
    await visitor.write("what is this?")
    await visitor.pasteText(
      JSON.stringify({ id: "node-7", label: "Login frame", source: "design" }),
      "application/vnd.compositor.entity+json",
    )
    await visitor.sees(visitor.chips, "Login frame")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "node-7")
    const [session] = (await theatre.client.sessions.list()).sessions
    const [asked] = (await theatre.client.messages(session?.id ?? "")).messages
    expect(asked?.parts.at(-1)?.data).toMatchObject({ kind: "ref", payload: { id: "node-7" } })
  })

  it("recalls what was said, and puts a draft aside and takes it up again", async () => {
    const { visitor } = await visit()
    await visitor.send("the first thing @notes.md#L1")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.composer.click()
    await visitor.page.keyboard.press("ArrowUp")
    await visitor.sees(visitor.composer, "the first thing @notes.md#L1")
    await visitor.page.keyboard.press("ArrowDown")
    await expect.poll(() => visitor.composer.innerText()).not.toContain("first")
    await visitor.write("not now")
    await visitor.hand("paste", PICTURE)
    await visitor.page.waitForFunction(() => !document.querySelector("[role=progressbar]"))
    await visitor.page.keyboard.press("Control+s")
    await visitor.notice("put aside")
    expect(await visitor.chips.count()).toBe(0)
    await visitor.button("Drafts that were put aside").click()
    await visitor.button("Take up again").click()
    await visitor.sees(visitor.composer, "not now")
    await visitor.sees(visitor.chips, "shot.png")
  })

  it("writes what is spoken at the cursor, where the browser can hear", async () => {
    const { theatre } = await visit()
    const context = await browser.newContext()
    await context.addInitScript(() => {
      Object.assign(window, {
        SpeechRecognition: class extends EventTarget {
          start() {
            const results = [Object.assign([{ transcript: "hello there" }], { isFinal: true })]
            const heard = Object.assign(new Event("result"), { resultIndex: 0, results })
            setTimeout(() => this.dispatchEvent(heard))
          }
          stop() {
            this.dispatchEvent(new Event("end"))
          }
        },
      })
    })
    const page = await context.newPage()
    await page.goto(theatre.link)
    await page.getByRole("textbox", { name: "Message" }).click()
    await page.keyboard.type("I say ")
    await page.getByRole("button", { name: "Dictate" }).click()
    const written = page.getByRole("textbox", { name: "Message" })
    await written.filter({ hasText: "I say hello there" }).waitFor()
    await page.getByRole("button", { name: "Dictate", pressed: true }).click()
    await page.getByRole("button", { name: "Dictate", pressed: false }).waitFor()
    await context.close()
  })

  it("copies chips as their source, and reads them again where they are pasted", async () => {
    const { visitor } = await visit()
    await visitor.write("@notes.md#L2-3 twice ")
    await visitor.page.keyboard.press("Control+a")
    const copied = await visitor.composer.evaluate((content) => {
      const clipboardData = new DataTransfer()
      content.dispatchEvent(
        new ClipboardEvent("copy", { bubbles: true, cancelable: true, clipboardData }),
      )
      return clipboardData.getData("text/plain")
    })
    expect(copied).toBe("@notes.md#L2-3 twice ")
    await visitor.page.keyboard.press("End")
    await visitor.pasteText(copied)
    await expect
      .poll(() => visitor.chipsInText.allInnerTexts())
      .toEqual(["@notes.md#L2-3", "@notes.md#L2-3"])
  })

  it("fits a phone: nothing is cut off, and Enter is a new line there", async () => {
    const { visitor } = await visit({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await visitor.composer.tap()
    await visitor.page.keyboard.type("first")
    await visitor.page.keyboard.press("Enter")
    await visitor.page.keyboard.type("second")
    expect(await visitor.composer.innerText()).toBe("first\nsecond")
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await visitor.barriers()).toEqual([])
    await visitor.button("Send").tap()
    await visitor.sees(visitor.answers, "You said: first")
  })
})
