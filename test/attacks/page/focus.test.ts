import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import {
  ANTHROPIC,
  type Body,
  COMPATIBLE,
  isToolResult,
  newestWords,
  startModel,
} from "../outside/model.ts"
import { startServer, until } from "../outside/product.ts"
import { type Visit, visit } from "./browser.ts"

/** What the model was asked, newest last. */
function asked(bodies: readonly Body[]): string[] {
  return bodies.map(newestWords)
}

function hasFocus(person: Visit, selector: string): Promise<boolean> {
  return person.page.evaluate(
    (wanted) => document.activeElement?.closest(wanted) !== null,
    selector,
  )
}

const MAIN = "form.composer"
const SIDE = "[aria-label='Message to the sidecar']"

describe.skipIf(missing("chromium"))("the focus", { timeout: 180_000 }, () => {
  it("[PAG-002] is in a sidecar that opens, and what is typed is asked there (B4)", async () => {
    const model = await startModel(() => "an answer")
    const server = await startServer({ environment: model.environment })
    const session = await server.session(COMPATIBLE)
    await server.send(session, "hello")
    await server.settled(session)
    const person = await visit(`${server.link}&session=${session}`)
    const { page } = person
    await person.button("From this answer").click()
    await page.getByRole("menuitem", { name: /^Ask beside/ }).press("Enter")
    await expect.poll(() => hasFocus(person, SIDE)).toBe(true)
    await page.keyboard.type("what does that table mean?")
    await page.keyboard.press("Enter")
    await expect.poll(() => asked(model.bodies).at(-1)).toContain("what does that table mean?")
    const { json } = await server.get("/v1/sessions?limit=50")
    expect(json.sessions).toHaveLength(1)

    await page.keyboard.type("kept")
    await page.keyboard.press("Escape")
    await expect.poll(() => person.focus()).toContain("From this answer")
    await person.button("More").click()
    await page.getByRole("menuitem", { name: "Sidecars" }).click()
    await page.getByRole("button", { name: /^Sidecar/ }).click()
    await expect.poll(() => page.locator(SIDE).textContent()).toBe("kept")
    await expect.poll(() => hasFocus(person, SIDE)).toBe(true)
  })

  it("[PAG-002] is in the field of a form, and comes back to the composer (B4)", async () => {
    const server = await startServer({ files: { "workspace/a.txt": "some words\n" } })
    const person = await visit(`${server.link}&session=${await server.session()}`)
    await person.send("/read")
    await person.page.getByRole("dialog").waitFor()
    await expect.poll(() => hasFocus(person, "dialog input")).toBe(true)
    await person.page.keyboard.press("Escape")
    await expect.poll(() => hasFocus(person, MAIN)).toBe(true)
    await person.page.keyboard.press("Enter")
    await expect.poll(() => hasFocus(person, "dialog input")).toBe(true)
    await person.page.keyboard.type("a.txt")
    await person.page.keyboard.press("Enter")
    await person.page.getByRole("article", { name: "Assistant" }).waitFor()
    expect(await hasFocus(person, MAIN)).toBe(true)
  })

  it("[PAG-002] goes on to the next question after one was answered, then to the composer (B4)", async () => {
    const write = (path: string) => ({ name: "write", input: { path, content: "x" } })
    const model = await startModel((body) =>
      isToolResult(body) ? "done" : { calls: [write("a.txt"), write("b.txt")] },
    )
    const server = await startServer({ environment: model.environment })
    const session = await server.session(ANTHROPIC)
    const person = await visit(`${server.link}&session=${session}`)
    await person.send("write both")
    const once = person.button("Allow once")
    await once.first().focus()
    const cards = await once.count()
    for (let left = cards; left > 0; left--) {
      await once.first().focus()
      await person.page.keyboard.press("Enter")
      await expect.poll(() => once.count()).toBeLessThan(left)
      expect(await person.focus()).not.toMatch(/^body/)
      // A key pressed twice must not decide the next question.
      await person.page.keyboard.press("Enter")
    }
    await expect.poll(() => hasFocus(person, MAIN)).toBe(true)
    await server.settled(session)
  })

  it("[PAG-002] goes to a panel that opens and back, and what is typed on goes to the composer (B4)", async () => {
    const server = await startServer()
    const person = await visit(server.link)
    const { page } = person
    await person.write("abc")
    await page.keyboard.press("ControlOrMeta+.")
    await expect.poll(() => hasFocus(person, "aside[aria-label='X-ray']")).toBe(true)
    await page.keyboard.type("def")
    await expect.poll(() => person.composer.textContent()).toBe("abcdef")
    await page.keyboard.press("ControlOrMeta+.")
    await person.button("More").click()
    await page.getByRole("menuitem", { name: /^At hand/ }).press("Enter")
    await expect.poll(() => hasFocus(person, "aside[aria-label='At hand']")).toBe(true)
    await page.keyboard.press("Escape")
    await expect.poll(() => person.focus()).toContain("More")
  })

  it("[PAG-002] leaves no menu open behind it (B4)", async () => {
    const server = await startServer()
    const person = await visit(server.link)
    const { page } = person
    const menu = page.getByRole("menu")
    await person.button("More").click()
    await menu.waitFor()
    await person.button("More").click()
    await expect.poll(() => menu.count()).toBe(0)
    await person.button("More").click()
    await menu.waitFor()
    await person.composer.evaluate((composer: HTMLElement) => composer.focus())
    await expect.poll(() => menu.count()).toBe(0)
    await page.keyboard.type("x y")
    expect(await person.composer.textContent()).toBe("x y")
  })
})

describe.skipIf(missing("chromium"))("what is typed", { timeout: 180_000 }, () => {
  it("[PAG-007] `/side question` asks the question in a sidecar, and never the session (63)", async () => {
    const model = await startModel(() => "an answer")
    const server = await startServer({ environment: model.environment })
    const session = await server.session(COMPATIBLE)
    await server.send(session, "hello")
    await server.settled(session)
    const person = await visit(`${server.link}&session=${session}`)
    await person.button("From this answer").waitFor()
    await person.send("/side what is this?")
    const pane = person.page.getByRole("complementary", { name: "Sidecar", exact: true })
    await pane.getByText("what is this?").waitFor()
    await pane.getByText("an answer").waitFor()
    await expect.poll(() => hasFocus(person, SIDE)).toBe(true)
    expect(asked(model.bodies).at(-1)).toContain("what is this?")
    expect(model.texts.join("")).not.toContain("/side")
    expect(await server.messages(session)).toHaveLength(2)
    expect(await person.composer.textContent()).not.toContain("side")
    await person.page.keyboard.type("/side and this?")
    await person.page.keyboard.press("Enter")
    await expect.poll(() => asked(model.bodies).at(-1)).toContain("and this?")
    expect(model.texts.join("")).not.toContain("/side")
  })

  it("[PAG-008] Enter waits for a list that is on its way, and sends no half of a name (F17)", async () => {
    const server = await startServer({ files: { "workspace/noeol.txt": "words" } })
    const session = await server.session()
    const person = await visit(`${server.link}&session=${session}`)
    let isAsked = false
    const release = Promise.withResolvers<void>()
    await person.page.route("**/complete**", async (route) => {
      isAsked = true
      await release.promise
      await route.continue()
    })
    await person.write("look at @noe")
    await until(() => isAsked, "the list was asked for")
    await person.page.keyboard.press("Enter")
    release.resolve()
    await expect.poll(() => person.composer.textContent()).toContain("noeol.txt")
    expect(await server.messages(session)).toHaveLength(0)
    await person.page.keyboard.press("Enter")
    await expect.poll(async () => (await server.messages(session)).length).toBeGreaterThan(0)
    const [message] = await server.messages(session)
    expect(JSON.stringify(message.parts)).toContain("file-ref")
  })

  it("[PAG-005] is seen from the moment on in which it was sent, also in a new session (12-slow-network)", async () => {
    const server = await startServer()
    const person = await visit(server.link)
    const held = Promise.withResolvers<void>()
    await person.composer.waitFor()
    await person.page.route(/\/v1\/sessions(\?|\/|$)/, async (route) => {
      await held.promise
      await route.continue()
    })
    const words = person.page.getByRole("article", { name: "You" }).getByText("hello out there")
    await person.send("hello out there")
    await words.waitFor()
    held.resolve()
    await person.page.getByRole("article", { name: "Assistant" }).waitFor()
    expect(await words.count()).toBe(1)
  })
})
