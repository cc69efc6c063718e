import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { openBrowser, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("what others left open, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  async function visit() {
    const theatre = await Theatre.open()
    return { theatre, visitor: await Visitor.come(browser, theatre.link, {}) }
  }

  it("11 [EA-040] leaves Enter to an input method that composes", async () => {
    const { visitor } = await visit()
    await visitor.composer.click()
    const cdp = await visitor.page.context().newCDPSession(visitor.page)
    const place = { selectionStart: 4, selectionEnd: 4 }
    await cdp.send("Input.imeSetComposition", { text: "けんさく", ...place })
    await visitor.page.keyboard.press("Enter")
    expect(await visitor.answers.count()).toBe(0)
    await cdp.send("Input.insertText", { text: "検索" })
    await visitor.page.keyboard.press("Enter")
    await visitor.sees(visitor.answers, "検索")
  })

  it("12 [EA-040] tells a screen reader which command is offered, finds it by letters inside, and undoes it", async () => {
    const { visitor } = await visit()
    const { page, composer } = visitor
    await visitor.write("/earc")
    await visitor.sees(visitor.offers, /search/)
    const active = await composer.getAttribute("aria-activedescendant")
    const option = page.locator(`[id="${active}"]`)
    expect(await option.getAttribute("role")).toBe("option")
    expect(await option.getAttribute("aria-selected")).toBe("true")
    expect(await option.locator("xpath=ancestor::*[@role='listbox']").count()).toBe(1)
    await page.keyboard.press("Enter")
    await expect.poll(() => visitor.chipsInText.allInnerTexts()).toEqual(["/search"])
    // As many steps as there may be: who types slowly makes more of them.
    for (let step = 0; step < 6; step++) await page.keyboard.press("Control+z")
    await expect.poll(() => visitor.chipsInText.count()).toBe(0)
    for (let step = 0; step < 6; step++) await page.keyboard.press("Control+y")
    await expect.poll(() => visitor.chipsInText.allInnerTexts()).toEqual(["/search"])
  })
})
