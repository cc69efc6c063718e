import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { pipe, startServer, until } from "../outside/product.ts"
import {
  dataOf,
  FOREIGN_PARTS,
  heldSession,
  partsOf,
  pipedWords,
  sendWaiting,
  waiting,
  waitingMessage,
} from "../outside/waiting.ts"
import { visit } from "./browser.ts"

describe.skipIf(missing("chromium"))("the page", () => {
  it("[QUE-009] saves a waiting message unchanged that came by pipe or HTTP, and shows its parts as chips (000-002, F2)", async () => {
    const server = await startServer({ files: { "workspace/src/foo.ts": "1\n2\n3\n4\n5\n" } })
    const session = await heldSession(server)
    pipe(server.folders, "def f():\n    return 1\n", pipedWords(session))
    const [, byPipe] = await waiting(server, session)
    const byHttp = await sendWaiting(server, session, { parts: FOREIGN_PARTS })
    const person = await visit(server.link)
    const { page } = person
    await page.getByRole("link", { name: "the head" }).first().click()

    const edit = async (name: RegExp) => {
      await person.button(name).click()
      await page.getByText("Editing a queued message").waitFor()
    }
    const save = async (id: string) => {
      await person.button("Save").click()
      await until(
        async () => (await waitingMessage(server, session, id))?.state === "queued",
        "the message was put back",
      )
    }
    await edit(/^Edit.*queued/)
    const attached = page.getByRole("list", { name: "Attachments" })
    await attached.getByText("text: def f(): return 1").waitFor()
    await attached.getByText("@src/foo.ts:3-4").waitFor()
    await save(byPipe.id)
    expect(partsOf(await waitingMessage(server, session, byPipe.id))).toEqual(partsOf(byPipe))

    await edit(/^Edit.*fix this/)
    const chips = page.locator(".cm-part")
    expect(await chips.allTextContents()).toEqual([
      "context: selection",
      "a.txt",
      "quote: quoted",
      "ticket-ref",
    ])
    // What looks like a command or a reference, and is none, is not shown as one.
    expect(await page.locator(".cm-chip-file, .cm-chip-slash_command").count()).toBe(0)
    await save(byHttp.id)
    expect(partsOf(await waitingMessage(server, session, byHttp.id))).toEqual(partsOf(byHttp))

    await edit(/^Edit.*fix this/)
    await person.composer.click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type(" indeed")
    await save(byHttp.id)
    const after = partsOf(await waitingMessage(server, session, byHttp.id))
    expect(after[6].data).toEqual({ type: "text", text: "the last one indeed" })
    expect(after.toSpliced(6, 1)).toEqual(partsOf(byHttp).toSpliced(6, 1))
    expect(person.faults).toEqual([])
  })

  it("[QUE-009] removes a part of the text by a second backspace, says so, and puts it back", async () => {
    const server = await startServer()
    const session = await heldSession(server)
    const file = { type: "file-attachment", name: "a.txt", mime: "text/plain", data: "aGVsbG8=" }
    const message = await sendWaiting(server, session, {
      parts: [{ type: "text", text: "one " }, file, { type: "text", text: "two" }],
    })
    const person = await visit(server.link)
    const { page } = person
    await page.getByRole("link", { name: "the head" }).first().click()
    await person.button(/^Edit.*one/).click()
    const chip = page.locator(".cm-part")
    await chip.waitFor()
    await person.composer.click()
    await page.keyboard.press("Control+End")
    for (let times = 0; times < 4; times++) await page.keyboard.press("Backspace")
    await page.getByText("a.txt · ⌫ removes it").waitFor()
    await page.keyboard.press("Backspace")
    await page.getByText("Removed: a.txt").waitFor()
    await person.button("Put back").click()
    await chip.waitFor()
    expect(await page.getByText("Removed: a.txt").count()).toBe(0)
    await person.button("Save").click()
    await until(async () => {
      const stored = await waitingMessage(server, session, message.id)
      return stored?.state === "queued"
    }, "it was saved")
    const stored = await waitingMessage(server, session, message.id)
    expect(dataOf(stored)).toEqual(dataOf(message).slice(0, 2))
    expect(person.faults).toEqual([])
  })

  it("[QUE-009] sends a sent message again with every part in its place (000-002, F2 and 143)", async () => {
    const server = await startServer({ files: { "workspace/src/foo.ts": "1\n2\n3\n4\n5\n" } })
    const session = await server.session()
    await server.send(session, "the first")
    await server.settled(session)
    await server.send(session, FOREIGN_PARTS)
    await server.settled(session)
    const before = (await server.messages(session)).filter(({ role }) => role === "user")[1]
    const person = await visit(server.link)
    const { page } = person
    await page.getByRole("link", { name: "the first" }).first().click()
    await page.getByText("fix this:").first().hover()
    await person.button("From this message").last().click()
    await page.getByRole("menuitem", { name: "Edit and resend from here" }).click()
    await page.locator(".cm-part").first().waitFor()
    await person.button("Send").click()
    await until(async () => {
      const said = (await server.messages(session)).filter(({ role }) => role === "user")
      return said.length === 2 && said[1].id !== before.id
    }, "it was sent again")
    const [, again] = (await server.messages(session)).filter(({ role }) => role === "user")
    expect(dataOf(again)).toEqual(dataOf(before))
    expect(person.faults).toEqual([])
  })
})
