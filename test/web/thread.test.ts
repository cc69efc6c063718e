import { access } from "node:fs/promises"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("the thread and its panels, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  async function visit(options: Parameters<typeof Visitor.come>[2] = {}) {
    const theatre = await Theatre.open()
    return { theatre, visitor: await Visitor.come(browser, theatre.link, options) }
  }

  it("[SES-071] lets a call run only when it is allowed, in place", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("please use-write")
    const asked = visitor.page.getByRole("group", { name: "May write run?" })
    await asked.waitFor()
    await visitor.sees(visitor.page.locator("main > header"), "Waiting for approval")
    await visitor.sees(asked, "made.txt")
    expect(await visitor.barriers()).toEqual([])
    await expect(access(join(theatre.workspace, "made.txt"))).rejects.toThrow()
    await asked.getByRole("button", { name: "Allow once" }).click()
    await visitor.sees(visitor.answers, "The tool said")
    await access(join(theatre.workspace, "made.txt"))
    await visitor.log.getByText("write", { exact: true }).first().click()
    await visitor.sees(visitor.log.locator("pre"), "made by a tool")
    expect(visitor.faults).toEqual([])
  })

  it("tells the model when a call is denied", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("please use-write")
    await visitor.button("Deny").click()
    await visitor.sees(visitor.answers, "The tool said")
    await expect(access(join(theatre.workspace, "made.txt"))).rejects.toThrow()
  })

  it("[TOL-005] answers a question in place, also after a reload", async () => {
    const { visitor } = await visit()
    await visitor.send("please use-question")
    const questions = visitor.page.getByRole("group", { name: "Questions for you" })
    await questions.waitFor()
    await visitor.page.reload()
    await questions.getByLabel("blue").check()
    expect(await visitor.barriers()).toEqual([])
    await questions.getByRole("button", { name: "Answer" }).click()
    await visitor.sees(visitor.answers, "blue")
  })

  it("shows a call with its input and output, and folds the reasoning before it", async () => {
    const { visitor } = await visit()
    await visitor.send("please use-read")
    await visitor.sees(visitor.answers, "The tool said")
    await visitor.log.getByText("read", { exact: true }).first().click()
    await visitor.sees(visitor.log.locator("pre"), "notes.md")
    await visitor.sees(visitor.log.locator("pre"), "line 40")
    await visitor.log.getByText("Reasoning").first().click()
    await visitor.sees(visitor.log, "I need a tool.")
    await visitor.sees(visitor.log, /tokens in/)
  })

  it("[SES-010] goes back to a message, edits it and sends it again", async () => {
    const { visitor } = await visit()
    await visitor.send("the beginning")
    await visitor.sees(visitor.answers, "You said: the beginning")
    await visitor.send("a mistaek in @notes.md#L1")
    await visitor.sees(visitor.answers, "You said: a mistaek in")
    await visitor.choose(
      visitor.page.getByRole("article", { name: "You" }).last().getByLabel("From this message"),
      "Edit and resend from here",
    )
    await visitor.sees(visitor.composer, "a mistaek in @notes.md#L1")
    await expect.poll(() => visitor.log.getByText("a mistaek").count()).toBe(0)
    // It can be taken back, and done again.
    await visitor.button("Restore").click()
    await visitor.sees(visitor.answers, "You said: a mistaek in")
    await visitor.choose(
      visitor.page.getByRole("article", { name: "You" }).last().getByLabel("From this message"),
      "Edit and resend from here",
    )
    await expect.poll(() => visitor.log.getByText("a mistaek").count()).toBe(0)
    await visitor.composer.click()
    await visitor.page.keyboard.press("Control+a")
    await visitor.page.keyboard.type("a mistake, mended")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: a mistake, mended")
    expect(await visitor.log.getByText("You said: the beginning").count()).toBe(1)
  })

  it("[SES-020] branches from any message", async () => {
    const { visitor } = await visit()
    await visitor.send("the beginning")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.send("the end")
    await visitor.sees(visitor.answers, "You said: the end")
    await visitor.choose(visitor.answers.first().getByLabel("From this answer"), "Branch from here")
    await expect.poll(() => visitor.log.getByText("the end").count()).toBe(0)
    await visitor.sees(visitor.log, "the beginning")
    await visitor.send("another end")
    await visitor.sees(visitor.answers, "You said: another end")
  })

  it("[BEY-09] talks beside the conversation, and brings back what it wants", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("the matter at hand")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.choose(
      visitor.answers.first().getByLabel("From this answer"),
      "Ask beside: sidecar from here",
    )
    const sidecar = visitor.panel("Sidecar")
    await visitor.sees(sidecar, "The sidecar begins here")
    await sidecar.getByRole("textbox", { name: "Message to the sidecar" }).click()
    await visitor.page.keyboard.type("a question aside")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(sidecar, "You said: a question aside")
    await visitor.sees(sidecar, "That is all of it.")
    expect(await visitor.log.getByText("a question aside").count()).toBe(0)
    expect(await visitor.barriers()).toEqual([])
    await sidecar.getByRole("button", { name: "Bring back as a quote" }).click()
    await visitor.sees(visitor.chips, "You said")
    const [main] = (await theatre.client.sessions.list()).sessions
    const { draft } = await theatre.client.draft.get(main?.id ?? "")
    expect(draft?.attachments).toMatchObject([{ type: "quote" }])
    await visitor.write("as said beside")
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: as said beside")
    const [session] = (await theatre.client.sessions.list()).sessions
    const { messages } = await theatre.client.messages(session?.id ?? "")
    const quote = messages.flatMap(({ parts }) => parts).find(({ type }) => type === "quote")
    expect(quote?.data.text).toContain("a question aside")
    // It is listed apart, and can become a session of its own.
    expect((await theatre.client.sessions.list()).sessions).toHaveLength(1)
    await sidecar.getByRole("button", { name: "All sidecars" }).click()
    await visitor
      .panel("Sidecars")
      .getByRole("button", { name: /^Sidecar/ })
      .click()
    await visitor.button("Keep as a session").click()
    await expect.poll(async () => (await theatre.client.sessions.list()).sessions.length).toBe(2)
    await visitor.sees(visitor.log, "a question aside")
  })

  it("[DBG-003][DBG-005] follows a message through every stage, and compares two", async () => {
    const { visitor } = await visit()
    await visitor.send("first @notes.md#L1-2")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.send("second, and different")
    await visitor.sees(visitor.answers, "You said: second")
    await visitor.choose(
      visitor.page.getByRole("article", { name: "You" }).first().getByLabel("From this message"),
      "Inspect",
    )
    const inspector = visitor.panel("Inspector")
    await visitor.sees(inspector, "stored")
    await visitor.sees(inspector, "turn finished")
    expect(await visitor.barriers()).toEqual([])
    const tab = (name: string) => inspector.getByRole("tab", { name }).click()
    await tab("Receipts")
    await visitor.sees(inspector, "notes.md:1-2")
    await tab("System prompt")
    await visitor.sees(inspector, "You are a helpful assistant")
    await tab("Tools")
    await visitor.sees(inspector, "read")
    await tab("Wire body")
    await visitor.sees(inspector, "line 1")
    await tab("Raw rows")
    await visitor.sees(inspector, "data_json")
    await tab("Compare")
    await inspector.getByRole("combobox", { name: "Compare with…" }).click()
    await visitor.page.getByRole("option", { name: /second/ }).click()
    await visitor.sees(inspector.locator("pre"), /- .*second, and different/)
    expect(await visitor.barriers()).toEqual([])
    const saved = visitor.page.waitForEvent("download")
    await inspector.getByRole("button", { name: "Export" }).click()
    expect((await saved).suggestedFilename()).toMatch(/^ses_.*\.jsonl$/)
  })

  it("[BEY-01][BEY-12] shows the draft to another model, and to less room", async () => {
    const { visitor } = await visit()
    await visitor.send("hello")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.page.keyboard.press("Control+.")
    const xray = visitor.panel("X-ray")
    await visitor.sees(xray, "Write something")
    await visitor.write("Look at @src/deep/engine.ts ")
    await visitor.sees(xray, "inlined")
    await visitor.sees(xray, "tokens of context")
    await xray.getByRole("slider", { name: "Budget" }).fill("5")
    await visitor.sees(xray, "described")
    const chip = visitor.composer.locator("[data-fate=described]")
    await visitor.sees(chip, "@src/deep/engine.ts")
    expect(await visitor.barriers()).toEqual([])
    await xray.getByRole("slider", { name: "Budget" }).fill("100")
    await expect.poll(() => xray.getByText("described").count()).toBe(0)
    await expect.poll(() => chip.count()).toBe(0)
    await xray.getByRole("combobox", { name: "Seen by" }).click()
    await visitor.page.getByRole("option", { name: /Mirror without eyes/ }).click()
    await visitor.sees(xray, "What changes in the history")
    await visitor.sees(xray, "Fits:")
    await xray.getByRole("button", { name: "Use this model" }).click()
    await visitor.sees(visitor.page.getByRole("combobox", { name: "Model" }), "Mirror without eyes")
  })

  it("[BEY-06] shows what is at hand, where it comes from, and trusts it when told", async () => {
    const { visitor } = await visit()
    await visitor.composer.waitFor()
    await visitor.choose("More", "At hand: commands, files, agents, memory")
    const shelf = visitor.panel("At hand")
    await visitor.sees(shelf, "Greet somebody")
    expect(await visitor.barriers()).toEqual([])
    const card = shelf.getByRole("listitem").filter({ hasText: "/greet" })
    await card.getByRole("button", { name: "Trust", exact: true }).click()
    await card.getByRole("button", { name: "Withdraw trust" }).waitFor()
    await visitor.send("/greet Ada")
    await visitor.sees(visitor.answers, "Say hello to Ada, warmly.")
    await shelf.getByRole("tab", { name: "Skills" }).click()
    await visitor.sees(shelf, "tidy")
    await shelf.getByRole("tab", { name: "Models" }).click()
    await visitor.sees(shelf, "Mirror without eyes")
    await shelf.getByRole("tab", { name: "Doctor" }).click()
    await visitor.sees(shelf.getByRole("tabpanel"), /finding|Nothing is shadowed/)
    expect(await visitor.barriers()).toEqual([])
  })

  it("[TRG-001] remembers, forgets, and is woken, as told on the shelf", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("hello")
    await visitor.sees(visitor.answers, "That is all of it.")
    await visitor.choose("More", "At hand: commands, files, agents, memory")
    const shelf = visitor.panel("At hand")
    await shelf.getByRole("tab", { name: "Memory" }).click()
    await shelf.getByRole("button", { name: "Remember something" }).click()
    await shelf.getByLabel("Name").fill("indentation")
    await shelf.getByLabel("Where it counts").selectOption("project")
    await shelf.getByLabel("What to remember").fill("Two spaces, never tabs.")
    expect(await visitor.barriers()).toEqual([])
    await shelf.getByRole("button", { name: "Save" }).click()
    await visitor.sees(shelf, "indentation")
    const [session] = (await theatre.client.sessions.list()).sessions
    const where = { session: session?.id ?? "" }
    expect((await theatre.client.memory.get("indentation", where)).memory.body).toContain("tabs")
    await shelf.getByRole("button", { name: "Forget indentation" }).click()
    await visitor.sees(shelf, "Nothing is remembered yet")
    await shelf.getByRole("tab", { name: "Triggers" }).click()
    await shelf.getByLabel("What it says").fill("wake up and look around")
    expect(await visitor.barriers()).toEqual([])
    await shelf.getByRole("button", { name: "Add a trigger" }).click()
    await visitor.sees(shelf, "next")
    await shelf.getByRole("button", { name: "Fire now" }).click()
    await visitor.sees(visitor.answers, "wake up and look around")
    await shelf.getByRole("button", { name: "Remove" }).click()
    await visitor.sees(shelf, "Nothing wakes this session")
  })

  it("[EA-022][QUE-005] moves, steers, and clears what waits", async () => {
    const { theatre, visitor } = await visit()
    const waiting = () => visitor.queue.getByRole("listitem").allInnerTexts()
    await visitor.send("hold this")
    await visitor.sees(visitor.answers, "You said")
    for (const text of ["one", "two", "three"]) await visitor.send(text)
    await expect.poll(waiting).toEqual(["one", "two", "three"])
    await visitor.button("Edit: three").focus()
    await visitor.page.keyboard.press("Alt+ArrowUp")
    await expect.poll(waiting).toEqual(["one", "three", "two"])
    const row = (text: string) => visitor.queue.getByRole("listitem").filter({ hasText: text })
    await row("two").locator("[draggable]").dragTo(row("one"))
    await expect.poll(waiting).toEqual(["two", "one", "three"])
    expect(await visitor.barriers()).toEqual([])
    const steered = visitor.page.waitForResponse(
      (response) => response.request().method() === "POST" && response.url().endsWith("/messages"),
    )
    await visitor.button("Steer with: one").click()
    await steered
    theatre.release()
    await visitor.sees(visitor.answers, "You said: one")
    await visitor.sees(visitor.answers, "You said: three")
    expect(await visitor.said()).toEqual(["hold this", "one", "two", "three"])
    await visitor.send("hold again")
    await visitor.sees(visitor.answers, "You said: hold again")
    for (const text of ["four", "five"]) await visitor.send(text)
    await expect.poll(waiting).toEqual(["four", "five"])
    await visitor.choose("More ways to stop", "Stop and clear 2 queued messages")
    await visitor.sees(visitor.answers, "Stopped")
    await visitor.queue.waitFor({ state: "detached" })
  })

  it("keeps two pages on one session in step: draft, queue and answers", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("the beginning")
    await visitor.sees(visitor.answers, "That is all of it.")
    const other = await Visitor.come(browser, theatre.link)
    await other.page.getByRole("link", { name: /the beginning/ }).click()
    await other.sees(other.answers, "That is all of it.")
    await visitor.write("begun here")
    await other.sees(other.composer, "begun here")
    await other.composer.click()
    await other.page.keyboard.press("Control+End")
    await other.page.keyboard.type(", hold it there")
    await visitor.sees(visitor.composer, "begun here, hold it there")
    await other.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "You said: begun here, hold it there")
    await expect.poll(() => visitor.composer.innerText()).not.toContain("begun")
    await visitor.send("waits")
    await other.sees(other.queue, "waits")
    await other.button("Pause: waits").click()
    await visitor.sees(visitor.queue, "Paused")
    await visitor.button("Release: waits").click()
    const done = visitor.answers.filter({ hasText: "You said: waits" })
    const release = async () => {
      theatre.release()
      return done.count()
    }
    await expect.poll(release, { timeout: 20_000 }).toBe(1)
    for (const page of [visitor, other]) {
      await page.sees(page.answers, "You said: waits")
      expect(await page.said()).toEqual(["the beginning", "begun here, hold it there", "waits"])
    }
  }, 90_000)

  it("keeps both drafts when two pages write at once", async () => {
    const { theatre, visitor } = await visit()
    await visitor.send("the beginning")
    await visitor.sees(visitor.answers, "That is all of it.")
    const [session] = (await theatre.client.sessions.list()).sessions
    const id = session?.id ?? ""
    await visitor.page.route("**/draft", (route) =>
      route.request().method() === "PUT" ? route.abort() : route.continue(),
    )
    await visitor.write("mine, which nobody saw")
    const { revision } = await theatre.client.draft.get(id)
    const draft = { source: "theirs" }
    await theatre.client.draft.save(id, { base_revision: revision, draft, updated_by: "tui" })
    await visitor.page.unroute("**/draft")
    await visitor.notice("Your version was put aside")
    await visitor.sees(visitor.composer, "theirs")
    await visitor.page.keyboard.press("Control+a")
    await visitor.page.keyboard.press("Delete")
    await visitor.button("Drafts that were put aside").click()
    await visitor.sees(visitor.page.getByRole("dialog"), "mine, which nobody saw")
    await visitor.button("Take up again").click()
    await visitor.sees(visitor.composer, "mine, which nobody saw")
  })
})
