import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, PICTURE, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("the page, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  async function visit(options: Parameters<typeof Visitor.come>[2] = {}) {
    const theatre = await Theatre.open()
    return { theatre, visitor: await Visitor.come(browser, theatre.link, options) }
  }

  it("sends a message with a pasted image, queues a second while busy, and answers both", async () => {
    const { theatre, visitor } = await visit()
    await visitor.write("hold on, look at this")
    await visitor.hand("paste", PICTURE)
    await visitor.sees(visitor.chips, "shot.png")
    await visitor.page.waitForFunction(() => !document.querySelector("[role=progressbar]"))
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: hold on, look at this")
    await visitor.button("Open shot.png").waitFor()
    await visitor.send("and this comes second")
    await visitor.sees(visitor.queue, "and this comes second")
    expect(await visitor.queue.getByRole("listitem").count()).toBe(1)
    expect(await visitor.log.getByText("and this comes second").count()).toBe(0)
    theatre.release()
    await visitor.sees(visitor.answers, "<image/png shot.png>")
    await visitor.sees(visitor.answers, "You said: and this comes second")
    await visitor.queue.waitFor({ state: "detached" })
    expect(visitor.faults).toEqual([])
  })

  it("[QUE-007] loses nothing when it is reloaded in the middle of an answer", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("hold this")
    await visitor.sees(visitor.answers, "You said: hold this")
    await visitor.send("waits")
    await visitor.sees(visitor.queue, "waits")
    await visitor.write("half a thought")
    await visitor.page.reload()
    await visitor.sees(visitor.answers, "You said: hold this")
    await visitor.sees(visitor.queue, "waits")
    expect(await visitor.composer.innerText()).toBe("half a thought")
    theatre.release()
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.sees(visitor.answers, "You said: waits")
    expect(await visitor.page.getByRole("article", { name: "You" }).count()).toBe(2)
    expect(await visitor.answers.count()).toBe(2)
  })

  it("takes a dropped file, keeps it with the draft through a reload, and lets it go", async () => {
    const { visitor } = await visit()
    await visitor.write("see the file")
    const base64 = btoa("some text")
    await visitor.hand("drop", { name: "plan.txt", type: "text/plain", base64 })
    await visitor.sees(visitor.chips, "plan.txt")
    await visitor.page.waitForFunction(() => !document.querySelector("[role=progressbar]"))
    await visitor.page.reload()
    await visitor.sees(visitor.chips, "plan.txt")
    await visitor.sees(visitor.composer, "see the file")
    await visitor.button("Remove plan.txt").click()
    await visitor.chips.waitFor({ state: "detached" })
  })

  it("tries an upload again that failed, and sends nothing without it", async () => {
    const { visitor } = await visit()
    await visitor.page.route("**/v1/blobs*", (route) => route.abort())
    await visitor.write("with a file")
    await visitor.hand("drop", { name: "plan.txt", type: "text/plain", base64: btoa("plan") })
    await visitor.sees(visitor.chips, "does not answer")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.page.getByRole("region", { name: "Notifications" }), "Try it again")
    await visitor.page.unroute("**/v1/blobs*")
    await visitor.button("Try plan.txt again").click()
    await visitor.sees(visitor.chips, "4 B")
    // While it is still on its way, sending waits for it and says so.
    await visitor.page.waitForFunction(() => !document.querySelector("[role=progressbar]"))
    await visitor.page.waitForTimeout(300)
    await visitor.composer.click()
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.log, "plan.txt")
    await visitor.sees(visitor.answers, "That is all of it.")
  })

  it("lets another model answer", async () => {
    const { visitor } = await visit()
    await visitor.page.getByRole("combobox", { name: "Model" }).click()
    await visitor.page.getByRole("option", { name: /^Scripted/ }).click()
    await visitor.send("who are you?")
    await visitor.sees(visitor.answers, "This is the mirror")
  })

  it("stops an answer and goes on with the queue", async () => {
    const { visitor } = await visit()
    await visitor.send("hold this")
    await visitor.sees(visitor.answers, "You said: hold this")
    await visitor.send("next")
    await visitor.sees(visitor.queue, "next")
    await visitor.button("Stop").click()
    await visitor.sees(visitor.answers, "Stopped")
    await visitor.sees(visitor.answers, "You said: next")
  })

  it("shows what the model will see of a draft, and what it saw of a message", async () => {
    const { visitor } = await visit()
    await visitor.write("Read @notes.md#L2-3 and @gone.md")
    await visitor.page.keyboard.press("Control+.")
    const xray = visitor.page.getByRole("complementary", { name: "X-ray" })
    await visitor.sees(xray, "notes.md:2-3")
    await visitor.sees(xray, "range")
    await visitor.sees(xray, "line 2 line 3")
    await visitor.sees(xray, "failed")
    expect(await xray.getByText("line 4").count()).toBe(0)
    await visitor.page.keyboard.press("Control+.")
    await xray.waitFor({ state: "detached" })
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.button("X-ray: what the model saw of this message").click()
    await visitor.sees(xray, "What the model saw of this message")
    await visitor.sees(xray, "notes.md:2-3")
    await visitor.sees(xray, "range")
  })

  it("edits, reorders, holds and cancels what waits", async () => {
    const { theatre, visitor } = await visit()
    const waiting = () => visitor.queue.getByRole("listitem").allInnerTexts()
    await visitor.send("hold this")
    await visitor.sees(visitor.answers, "You said")
    for (const text of ["first", "second @notes.md#L1", "third"]) await visitor.send(text)
    await visitor.sees(visitor.queue, "third")
    await visitor.button("Move up: third").click()
    await expect.poll(waiting).toEqual(["first", "third", "second @notes.md#L1"])
    await visitor.button("Cancel: first").click()
    await expect.poll(waiting).toEqual(["third", "second @notes.md#L1"])
    await visitor.write("kept for later")
    await visitor.button("Edit: second @notes.md#L1").click()
    await visitor.sees(visitor.composer, "second @notes.md#L1")
    await visitor.page.keyboard.type(", please")
    await visitor.button("Save").click()
    await expect.poll(waiting).toEqual(["third", "second @notes.md#L1, please"])
    await visitor.sees(visitor.composer, "kept for later")
    await visitor.button("Pause: third").click()
    await visitor.sees(visitor.queue, "Paused")
    theatre.release()
    await visitor.sees(visitor.answers, "That is all of it.")
    expect(await visitor.answers.count()).toBe(1)
    await visitor.button("Release: third").click()
    await visitor.sees(visitor.answers, "You said: third")
    await visitor.sees(visitor.answers, "You said: second")
  })

  it("says what went wrong, stops the queue, and goes on when told", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("hold this")
    await visitor.sees(visitor.answers, "You said")
    await visitor.send("please fail")
    await visitor.send("after that")
    await visitor.sees(visitor.queue, "after that")
    theatre.release()
    await visitor.sees(visitor.answers, "the model is overloaded")
    await visitor.sees(visitor.queue, "The queue stopped after an error")
    await visitor.button("Continue now").click()
    await visitor.sees(visitor.answers, "You said: after that")
    await visitor.queue.waitFor({ state: "detached" })
    await visitor.button("Retry").click()
    await expect.poll(() => visitor.page.getByText("the model is overloaded").count()).toBe(2)
  })

  it("gives the draft back when a send fails, and sends it once", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("the beginning")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.page.route("**/messages", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    )
    await visitor.send("do not lose me")
    await visitor.sees(visitor.page.getByRole("region", { name: "Notifications" }), "not sent")
    await visitor.sees(visitor.composer, "do not lose me")
    await visitor.page.unroute("**/messages")
    // It arrives this time, and the answer to the page gets lost on its way back.
    await visitor.page.route("**/messages", async (route) => {
      if (route.request().method() === "POST") await route.fetch().then(() => route.abort())
      else await route.continue()
    })
    await visitor.composer.click()
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: do not lose me")
    await expect
      .poll(() => visitor.page.getByRole("textbox", { name: "Message" }).innerText())
      .not.toContain("lose")
    const [session] = (await theatre.client.sessions.list()).sessions
    expect((await theatre.client.messages(session?.id ?? "")).messages).toHaveLength(4)
  })

  it("finds a server that was away, without a reload", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("before")
    await visitor.sees(visitor.answers, "You said: before")
    await theatre.close()
    await visitor.sees(visitor.page.getByRole("status"), "The server does not answer")
    await visitor.write("written meanwhile")
    await theatre.serve()
    await expect
      .poll(() => visitor.page.getByText("The server does not answer").count(), { timeout: 15_000 })
      .toBe(0)
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: written meanwhile")
  })

  it("reads older messages when scrolled up, and stays where the reader is", async () => {
    const { theatre, visitor } = await visit()
    const { session } = await theatre.client.sessions.create({ title: "A long one" })
    for (let at = 0; at < 40; at++) {
      await theatre.client.send(session.id, { parts: [{ type: "text", text: `question ${at}` }] })
    }
    await expect
      .poll(async () => (await theatre.client.queue.list(session.id)).queue.length, {
        timeout: 20_000,
      })
      .toBe(0)
    await visitor.page.getByRole("link", { name: /A long one/ }).click()
    await visitor.sees(visitor.log, "question 39")
    expect(await visitor.log.getByText("question 0", { exact: true }).count()).toBe(0)
    const toTop = () => visitor.log.evaluate((log) => log.scrollTo({ top: 0 }))
    await toTop()
    // What was at the top is where it was, not pushed away by what came above it.
    const top = () => visitor.log.evaluate((log) => log.scrollTop)
    await expect.poll(top).toBeGreaterThan(500)
    const first = visitor.log.getByText("question 0", { exact: true })
    const seen = () => toTop().then(() => first.count())
    await expect.poll(seen, { timeout: 10_000 }).toBeGreaterThan(0)
    await visitor.button("Jump to latest").click()
    await expect
      .poll(() =>
        visitor.log.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight),
      )
      .toBeLessThan(5)
  })

  it("does not send while an input method composes", async () => {
    const { visitor } = await visit()
    await visitor.composer.click()
    const cdp = await visitor.page.context().newCDPSession(visitor.page)
    await cdp.send("Input.imeSetComposition", {
      text: "にほん",
      selectionStart: 3,
      selectionEnd: 3,
    })
    await visitor.page.keyboard.press("Enter")
    expect(await visitor.answers.count()).toBe(0)
    await cdp.send("Input.insertText", { text: "日本" })
    await visitor.sees(visitor.composer, "日本")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: 日本")
  })

  it("draws no markup and follows no script of an answer", async () => {
    const { visitor } = await visit()
    await visitor.send(
      '<img src=x onerror="window.bad=1"> [a](javascript:window.bad=1) ![b](http://x.y/z.png)',
    )
    await visitor.sees(visitor.answers, "That is all of it.")
    expect(await visitor.log.locator("img").count()).toBe(0)
    expect(await visitor.log.locator("a[href^=javascript]").count()).toBe(0)
    expect(await visitor.page.evaluate(() => "bad" in window)).toBe(false)
  })

  it("begins, renames, archives and deletes sessions", async () => {
    const { visitor } = await visit()
    const list = visitor.page.getByRole("navigation", { name: "Sessions" })
    await visitor.send("a session to name")
    await visitor.sees(list, "a session to name")
    const link = list.getByRole("link", { name: /a session to name/ })
    await link.focus()
    await visitor.page.keyboard.press("F2")
    await visitor.page.keyboard.type("Another name")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(list, "Another name")
    await visitor.button("Actions for Another name").click()
    await visitor.page.getByRole("menuitem", { name: "Archive" }).click()
    await visitor.button("Undo").click()
    await visitor.sees(list, "Another name")
    await visitor.button("Actions for Another name").click()
    await visitor.page.getByRole("menuitem", { name: "Delete…" }).click()
    await visitor.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await visitor.sees(list, "No sessions yet")
    await visitor.sees(visitor.page.getByRole("main"), "What shall the model see?")
  })

  it("asks for its key when it has none, or a bad one", async () => {
    const { theatre } = await visit()
    const [address = ""] = theatre.link.split("#")
    const without = await Visitor.come(browser, address)
    await without.sees(without.page.getByRole("main"), "npm start")
    const wrong = await Visitor.come(browser, `${address}#token=wrong`)
    await wrong.sees(wrong.page.getByRole("main"), "no longer good")
    expect(wrong.page.url()).not.toContain("wrong")
  })

  it("is dark where the system is, or where it was told to be, also after a reload", async () => {
    const { visitor } = await visit({ colorScheme: "dark" })
    const paper = () => visitor.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await paper()
    await visitor.button("Theme: system").click()
    const light = await paper()
    expect(light).not.toBe(dark)
    await visitor.page.reload()
    await visitor.button("Theme: light").click()
    expect(await paper()).toBe(dark)
  })

  it("has no barriers, light or dark, wide or narrow, with everything open", async () => {
    const { theatre, visitor } = await visit({ colorScheme: "light" })
    expect(await visitor.barriers()).toEqual([])
    await visitor.write("hold @notes.md#L1-2")
    await visitor.hand("paste", PICTURE)
    await visitor.page.waitForFunction(() => !document.querySelector("[role=progressbar]"))
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said")
    await visitor.send("waits")
    await visitor.send("please fail")
    await visitor.sees(visitor.queue, "fail")
    await visitor.write("a draft with @notes.md")
    await visitor.page.keyboard.press("Control+.")
    await visitor.sees(visitor.page.getByRole("complementary", { name: "X-ray" }), "inlined")
    expect(await visitor.barriers()).toEqual([])
    await visitor.page.emulateMedia({ colorScheme: "dark" })
    expect(await visitor.barriers()).toEqual([])
    theatre.release()
    await visitor.sees(visitor.answers, "the model is overloaded")
    expect(await visitor.barriers()).toEqual([])
    await visitor.page.getByRole("combobox", { name: "Model" }).click()
    await visitor.page.getByRole("listbox", { name: "Model" }).waitFor()
    expect(await visitor.barriers()).toEqual([])
    await visitor.page.keyboard.press("Escape")
    await visitor.log.focus()
    await visitor.page.keyboard.press("?")
    await visitor.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
    expect(await visitor.barriers()).toEqual([])
    await visitor.page.keyboard.press("Escape")
    await visitor.page.keyboard.press("Control+.")
    await visitor.page.setViewportSize({ width: 390, height: 844 })
    expect(await visitor.barriers()).toEqual([])
    await visitor.button("Open the session list").click()
    await visitor.page.getByRole("navigation", { name: "Sessions" }).waitFor()
    expect(await visitor.barriers()).toEqual([])
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }, 120_000)
})
