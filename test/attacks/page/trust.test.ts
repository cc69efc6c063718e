import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { startServer } from "../outside/product.ts"
import { DESKTOP, PHONE, visit } from "./browser.ts"

const FILES = { "workspace/AGENTS.md": "AGENTS-MARK: use tabs." }

describe.skipIf(missing("chromium"))(
  "the page of a folder whose instructions nobody has trusted",
  () => {
    it("[TRU-004] asks once, shows the file, and is answered by keyboard (F6)", async () => {
      const server = await startServer({ files: FILES })
      const { page, faults, button } = await opened(server.link)
      const card = page.getByRole("region", { name: "Instructions of this folder" })
      await card
        .getByText("AGENTS.md of this folder is shown to the model as a quotation")
        .waitFor()
      await button("Look at it").focus()
      await page.keyboard.press("Enter")
      await card.getByText("AGENTS-MARK: use tabs.").waitFor()
      await button("Trust it").focus()
      await page.keyboard.press("Enter")
      await card.waitFor({ state: "detached" })
      expect((await server.get("/v1/trust")).json.files).toMatchObject([{ trusted: true }])
      await page.reload()
      await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
      expect(await card.count()).toBe(0)
      // Somebody else changed it: asked again, and kept as a quotation.
      await writeFile(join(server.folders.workspace, "AGENTS.md"), "Something else.")
      await page.reload()
      await card.waitFor()
      await button("Keep it as a quotation").click()
      await card.waitFor({ state: "detached" })
      await page.reload()
      await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
      expect(await card.count()).toBe(0)
      expect((await server.get("/v1/trust")).json.files).toMatchObject([{ trusted: false }])
      expect(faults).toEqual([])
    })

    it("[TRU-004] fits into a narrow window (F6)", async () => {
      const server = await startServer({ files: FILES })
      const { page } = await opened(server.link, PHONE)
      const card = page.getByRole("region", { name: "Instructions of this folder" })
      const box = await card.boundingBox()
      expect(box).not.toBeNull()
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= PHONE.width).toBe(true)
    })
  },
)

async function opened(link: string, size = DESKTOP) {
  const person = await visit(link, size)
  const { page, faults } = person
  const button = (name: string) => page.getByRole("button", { name, exact: true })
  await page.getByRole("region", { name: "Instructions of this folder" }).waitFor()
  return { page, faults, button }
}
