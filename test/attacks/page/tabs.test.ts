import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { startServer } from "../outside/product.ts"
import { visit } from "./browser.ts"

describe.skipIf(missing("chromium"))("a second tab", { timeout: 180_000 }, () => {
  it("[PAG-004] works with the bare address, a bookmark and a copied address of a session (B6)", async () => {
    const server = await startServer()
    const session = await server.session("mirror/mirror", { title: "the one" })
    await server.send(session, "hello")
    await server.settled(session)
    const person = await visit(server.link)
    await person.page.getByRole("link", { name: /^the one/ }).click()
    await person.page.getByRole("article", { name: "Assistant" }).waitFor()
    const address = person.page.url()
    expect(address).not.toContain("token")

    const bare = await person.context.newPage()
    await bare.goto(server.url)
    await bare.getByRole("link", { name: /^the one/ }).waitFor()
    await bare.close()
    const copied = await person.context.newPage()
    await copied.goto(address)
    await copied.getByRole("article", { name: "Assistant" }).waitFor()
    await copied.close()
    await person.page.reload()
    await person.page.getByRole("article", { name: "Assistant" }).waitFor()

    const opens = async (click: { modifiers?: ["ControlOrMeta"]; button?: "middle" }) => {
      const opened = person.context.waitForEvent("page")
      await person.page.getByRole("link", { name: /^the one/ }).click(click)
      const tab = await opened
      await tab.getByRole("article", { name: "Assistant" }).waitFor()
      expect(tab.url()).toBe(address)
      await tab.close()
    }
    await person.button("New session").click()
    const here = person.page.url()
    await opens({ modifiers: ["ControlOrMeta"] })
    await opens({ button: "middle" })
    expect(person.page.url()).toBe(here)
  })

  it("[PAG-004] takes a token or a link at the gate, and goes on where the address says (B6)", async () => {
    const server = await startServer()
    const session = await server.session("mirror/mirror", { title: "the one" })
    await server.send(session, "hello")
    await server.settled(session)
    const { page } = await visit(`${server.url}/#/${session}`)
    const field = page.getByRole("textbox")
    await field.waitFor()
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type("a wrong one")
    await page.keyboard.press("Enter")
    await page.getByText(/does not know this token/).waitFor()
    await field.fill(server.link)
    await page.keyboard.press("Enter")
    await page.getByRole("article", { name: "Assistant" }).waitFor()

    const other = await visit(server.url)
    await other.page.getByRole("textbox").fill(server.token)
    await other.page.keyboard.press("Enter")
    await other.composer.waitFor()
  })

  it("[PAG-004] keeps the key from servers at other ports of the same machine (B6)", async () => {
    const [server, other] = await Promise.all([startServer(), startServer()])
    const person = await visit(server.link)
    await person.composer.waitFor()
    expect(await person.context.cookies()).toEqual([])
    await person.page.goto(other.url)
    await person.page.getByRole("textbox").waitFor()
    expect(await person.page.evaluate(() => JSON.stringify(localStorage))).not.toContain(
      server.token,
    )
  })
})
