import type { ElementHandle } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { ANTHROPIC, isToolResult, startModel } from "../outside/model.ts"
import { type Server, startServer, until } from "../outside/product.ts"
import { DESKTOP, PHONE, type Size, type Visit, visit, WIDE } from "./browser.ts"

/** What opens something: it says so, or is known to. */
const OPENERS = [
  "[aria-haspopup]",
  "[role=combobox]",
  "button[aria-label='X-ray']",
  "button[aria-label^='X-ray: what the model saw']",
  "button[aria-label='Open the session list']",
  "button[aria-label='Drafts that were put aside']",
  "button[aria-label='Open dot.png']",
].join(", ")

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** What leads away instead of opening something, or is asked for in a test of its own. */
const LEADS_AWAY = /^(Branch from here|Edit and resend|Archive|Restore|Stop|Rename)/

const OPEN = "[popover]:popover-open, dialog[open], aside:not([aria-label='Sessions'])"

/** One walk through what the page shows: every opener is pressed, every row of a menu as well. */
class Walk {
  readonly faults: string[] = []
  readonly seen = new Set<string>()
  readonly #person: Visit
  readonly #state: string

  constructor(person: Visit, state: string) {
    this.#person = person
    this.#state = state
  }

  get #page() {
    return this.#person.page
  }

  /** Presses all openers, found anew each time since the page may have drawn them again. */
  async openers(within = "body", except: RegExp = /^$/): Promise<void> {
    const names = await this.#openerNames(within)
    for (const [at, name] of names.entries()) {
      await this.#press(within, at, name)
      const items = await this.#page.getByRole("menuitem").allTextContents()
      await this.#judge(name, within, at)
      for (const item of items.filter((one) => !LEADS_AWAY.test(one) && !except.test(one))) {
        await this.#press(within, at, name)
        await this.#page.getByRole("menuitem", { name: item, exact: true }).click()
        await this.#judge(`${name} → ${item}`, within, at)
      }
    }
  }

  /** What is open lies inside the window and has the focus; Esc closes it and gives the focus back. */
  async #judge(name: string, within: string, at: number): Promise<void> {
    const label = `${this.#state}: ${name}`
    const isOpen = async () => (await this.#opened()).length > (within.startsWith("aside") ? 1 : 0)
    await until(isOpen, `${label} opened`)
    await this.#settle()
    const popup = (await this.#opened()).at(-1)
    if (!popup) return
    this.seen.add(name.replace(/ses_\w+/, ""))
    const complain = (what: string) => this.faults.push(`${label} ${what}`)
    await expect
      .poll(() => outside(popup))
      .toBe("")
      .catch(async () => complain(`lies outside the window: ${await outside(popup)}`))
    await expect
      .poll(() => popup.evaluate(holdsFocus))
      .toBe(true)
      .catch(async () => complain(`has no focus: ${await this.#person.focus()}`))
    await this.#page.keyboard.press("Escape")
    await until(async () => !(await isOpen()), `${label} closed on Escape`)
    const opener = this.#page.locator(within).locator(OPENERS).locator("visible=true").nth(at)
    await expect
      .poll(() => opener.evaluate((one) => one === document.activeElement))
      .toBe(true)
      .catch(async () => complain(`gave the focus to ${await this.#person.focus()}`))
  }

  async #press(within: string, at: number, name: string): Promise<void> {
    const opener = this.#page.locator(within).locator(OPENERS).locator("visible=true").nth(at)
    expect(await nameOf(opener)).toBe(name)
    await opener.press("Enter")
  }

  async #openerNames(within: string): Promise<string[]> {
    const found = await this.#page.locator(within).locator(OPENERS).locator("visible=true").all()
    return Promise.all(found.map(nameOf))
  }

  async #opened(): Promise<ElementHandle<Element>[]> {
    const all = await this.#page.$$(OPEN)
    const visible = await Promise.all(all.map((one) => one.isVisible()))
    const shown = all.filter((_, at) => visible[at])
    // What is over everything else comes last in the list.
    const layers = await Promise.all(shown.map((one) => one.evaluate((e) => e.tagName === "ASIDE")))
    return [...shown.filter((_, at) => layers[at]), ...shown.filter((_, at) => !layers[at])]
  }

  /** Two frames: what was opened is drawn, with all that is in it. */
  async #settle(): Promise<void> {
    await this.#page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
  }
}

async function nameOf(opener: { evaluate: ElementHandle["evaluate"] }): Promise<string> {
  return opener.evaluate(
    (one) => (one as Element).getAttribute("aria-label") ?? (one as Element).textContent ?? "",
  )
}

/** Where something, or a row that one can go to in it, is past the window; "" where nothing is. */
function outside(popup: ElementHandle<Element>): Promise<string> {
  return popup.evaluate((element) => {
    const past = (box: DOMRect) =>
      box.top < -0.5 ||
      box.left < -0.5 ||
      box.right > innerWidth + 0.5 ||
      box.bottom > innerHeight + 0.5
    const told = ({ top, bottom, left, right }: DOMRect) => `${top}–${bottom}, ${left}–${right}`
    const box = element.getBoundingClientRect()
    if (past(box)) return told(box)
    for (const row of element.querySelectorAll("[role=menuitem], [role=option]")) {
      row.scrollIntoView({ block: "nearest" })
      if (past(row.getBoundingClientRect()))
        return `${row.textContent}: ${told(row.getBoundingClientRect())}`
    }
    return ""
  })
}

/** Keys go to it: the focus is in it, or on the box that moves in its list. */
function holdsFocus(popup: Element): boolean {
  const at = document.activeElement
  const list = at?.getAttribute("aria-controls")
  return popup.contains(at) || (list != null && popup.querySelector(`[id="${list}"]`) !== null)
}

interface Furnished {
  /** With answers and a picture. */
  readonly settled: string
  /** With a question that waits for a person, and a queue behind it. */
  readonly waiting: string
}

async function furnish(server: Server): Promise<Furnished> {
  const settled = await server.session(ANTHROPIC, { title: "a session" })
  const picture = { type: "file-attachment", name: "dot.png", mime: "image/png", data: PNG }
  await server.send(settled, [{ type: "text", text: "hello" }, picture])
  await server.settled(settled)
  await server.send(settled, "again")
  await server.settled(settled)
  const waiting = await server.session(ANTHROPIC, { title: "another" })
  await server.send(waiting, "please write")
  await until(async () => {
    const { json } = await server.get(`/v1/sessions/${waiting}`)
    return json.status.state === "waiting_on_approval"
  }, "it waits for approval")
  await server.send(waiting, "later")
  return { settled, waiting }
}

async function walkAll(server: Server, { settled, waiting }: Furnished, size: Size): Promise<Walk> {
  const person = await visit(server.link, size)
  const name = `${size.width}×${size.height}`
  const { page } = person
  await person.button("X-ray").waitFor()
  await page.getByRole("combobox", { name: "Model" }).waitFor()
  const walk = new Walk(person, name)
  if (size.width > 900) await page.getByRole("link", { name: /^a session/ }).waitFor()
  await walk.openers()
  await page.goto(`${server.url}/#/${waiting}`)
  await person.button("Allow once").waitFor()
  await page.getByRole("region", { name: "Queue" }).waitFor()
  // What is under way cannot be asked beside of: the server says so.
  await walk.openers("main", /^Ask beside/)
  await page.goto(`${server.url}/#/${settled}`)
  await person.button("From this answer").nth(1).waitFor()
  await walk.openers("main")
  const panel = async (row: RegExp, aside: string) => {
    await person.button("More").click()
    await page.getByRole("menuitem", { name: row }).click()
    const pane = page.locator(`aside[aria-label='${aside}']`)
    await pane.waitFor()
    await pane.getByRole("tab").first().waitFor()
    for (const tab of await pane.getByRole("tab").all()) {
      await tab.click()
      await walk.openers(`aside[aria-label='${aside}']`)
    }
    await page.keyboard.press("Escape")
    await pane.waitFor({ state: "detached" })
  }
  await panel(/^At hand/, "At hand")
  await panel(/^Inspector/, "Inspector")
  await person.write("some words")
  await person.button("X-ray").click()
  await page.locator("aside[aria-label='X-ray'] [role=combobox]").waitFor()
  await walk.openers("aside[aria-label='X-ray']")
  expect(person.faults).toEqual([])
  return walk
}

describe.skipIf(missing("chromium"))("the window", { timeout: 180_000 }, () => {
  it("[PAG-003] holds the whole list of models, and still does when it shrinks (B1)", async () => {
    const server = await startServer()
    const { page } = await visit(server.link)
    await page.getByRole("combobox", { name: "Model" }).click()
    const list = page.getByRole("listbox", { name: "Model" })
    await list.getByRole("option").nth(10).waitFor()
    for (const size of [DESKTOP, WIDE, PHONE, { width: 844, height: 390 }]) {
      await page.setViewportSize(size)
      const where = async () => outside((await list.elementHandle()) as ElementHandle<Element>)
      await expect.poll(where, { message: `${size.width}×${size.height}` }).toBe("")
    }
  })

  it.each([DESKTOP, WIDE, PHONE])(
    "[PAG-002][PAG-003] of $width×$height holds every popup, which takes the focus and gives it back (B1, B4)",
    { timeout: 600_000 },
    async (size) => {
      const model = await startModel((body) => {
        const words = JSON.stringify(body.messages.at(-1))
        const call = { name: "write", input: { path: "a.txt", content: "x" } }
        return !isToolResult(body) && words.includes("please write")
          ? { calls: [call] }
          : "an answer"
      })
      const server = await startServer({ environment: model.environment })
      const walk = await walkAll(server, await furnish(server), size)
      expect(walk.faults).toEqual([])
      expect(walk.seen.size, [...walk.seen].join("\n")).toBeGreaterThanOrEqual(12)
    },
  )
})
