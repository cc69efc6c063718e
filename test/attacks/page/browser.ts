// Chromium before the page of a server that `startServer` started.

import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { onTestFinished } from "vitest"
import { connectChromium } from "../../chromium.ts"

let opened: Promise<Browser> | undefined

/** One Chromium for all tests of a file. */
function browser(): Promise<Browser> {
  opened ??= connectChromium()
  return opened
}

export interface Size {
  readonly width: number
  readonly height: number
}

export const DESKTOP: Size = { width: 1280, height: 800 }
export const WIDE: Size = { width: 1920, height: 1080 }
export const PHONE: Size = { width: 390, height: 844 }

/** A person of their own at the page, with everything that a browser keeps for a site being new. */
export async function visit(link: string, viewport: Size = DESKTOP): Promise<Visit> {
  const context = await (await browser()).newContext({ viewport, reducedMotion: "reduce" })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(25_000)
  await page.goto(link)
  return new Visit(context, page)
}

export class Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** What broke in the page. */
  readonly faults: string[] = []

  constructor(context: BrowserContext, page: Page) {
    this.context = context
    this.page = page
    page.on("pageerror", (error) => this.faults.push(error.message))
  }

  get composer(): Locator {
    return this.page.getByRole("textbox", { name: "Message", exact: true })
  }

  async write(text: string): Promise<void> {
    await this.composer.click()
    await this.page.keyboard.type(text)
  }

  async send(text: string): Promise<void> {
    await this.write(text)
    await this.page.keyboard.press("Enter")
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", {
      name,
      ...(typeof name === "string" ? { exact: true } : {}),
    })
  }

  /** What has the focus, in a word or two: its role or tag and its name. */
  focus(): Promise<string> {
    return this.page.evaluate(() => {
      const at = document.activeElement
      const name = at?.getAttribute("aria-label") ?? at?.textContent?.slice(0, 40) ?? ""
      return `${at?.getAttribute("role") ?? at?.tagName.toLowerCase()} ${name}`
    })
  }

  /** Does all of it lie inside the window, as far as a person's eye is concerned? */
  async isInsideWindow(what: Locator): Promise<boolean> {
    const box = await what.boundingBox()
    const size = this.page.viewportSize()
    if (!box || !size) return false
    return (
      box.x >= -0.5 &&
      box.y >= -0.5 &&
      box.x + box.width <= size.width + 0.5 &&
      box.y + box.height <= size.height + 0.5
    )
  }
}
