import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { startServer } from "../attacks/outside/product.ts"
import { visit } from "../attacks/page/browser.ts"

describe.skipIf(missing("chromium"))("the page from outside", () => {
  it("shows itself in Chromium", async () => {
    const server = await startServer()
    const person = await visit(server.link)
    await person.send("hello there")
    await person.page.getByRole("article", { name: "Assistant" }).waitFor()
    expect(person.faults).toEqual([])
  })
})
