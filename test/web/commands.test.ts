import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, it } from "vitest"
import { endOfShown, examples } from "../commands/examples.ts"
import { missing } from "../machine.ts"
import { openBrowser, Theatre, Visitor } from "./stage.ts"

describe.skipIf(missing("chromium"))("a command that shows something, on the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser?.close())

  it("shows it as a notice", async () => {
    const theatre = await Theatre.open()
    const visitor = await Visitor.come(browser, theatre.link)
    for (const example of examples("at-once")) {
      await visitor.send(`${example} `)
      await visitor.notice(await endOfShown(theatre.client, example))
    }
  })
})
