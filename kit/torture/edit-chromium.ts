import { chromium } from "playwright-core"
import { buildPage } from "../../scripts/build.ts"
import { chromiumPath } from "../../test/machine.ts"
import type { EditJob } from "./edit.ts"

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]

/** Open every message by its pencil and press Save. */
export async function editInChromium(
  { url, token }: { readonly url: string; readonly token: string },
  { messages, saved }: EditJob,
) {
  await buildPage()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    page.setDefaultTimeout(60_000)
    await page.goto(`${url}/#token=${token}`)
    await page.getByRole("link", { name: "To be edited" }).first().click()
    const pencils = page.getByRole("button", { name: /^Edit: / })
    await pencils.nth(messages.length).waitFor()
    for (const [at, message] of messages.entries()) {
      await pencils.nth(at + 1).click()
      await page.getByText("Editing a queued message").waitFor()
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByText("Editing a queued message").waitFor({ state: "hidden" })
      await saved(message)
    }
  } finally {
    await browser.close()
  }
}
