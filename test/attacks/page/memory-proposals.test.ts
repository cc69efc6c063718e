import { describe, expect, it } from "vitest"
import { missing } from "../../machine.ts"
import { ANTHROPIC, isToolResult, startModel } from "../outside/model.ts"
import { startServer } from "../outside/product.ts"
import { visit } from "./browser.ts"

describe.skipIf(missing("chromium"))("proposals of memory in the page", () => {
  it("[UX-041] are shown whole with who asked, and a person's yes makes a memory of one (documents-000 F8)", async () => {
    const note = { scope: "user", name: "likes-tabs", body: "The user likes tabs.\nWide ones." }
    const model = await startModel((body) =>
      isToolResult(body) ? "done" : { calls: [{ name: "memory_write", input: note }] },
    )
    const server = await startServer({ environment: model.environment })
    const session = await server.session(ANTHROPIC)
    const source = { source: "api" }
    const added = await server.post("/v1/triggers", { session_id: session, source, prompt: "go" })
    await server.post(`/v1/triggers/${added.json.trigger.id}/fire`)
    await server.settled(session)
    const person = await visit(server.link)
    await person.button("More").click()
    await person.page.getByRole("menuitem", { name: /^At hand/ }).click()
    await person.page.getByRole("tab", { name: "Memory" }).click()
    const proposals = person.page.getByRole("region", { name: "Proposed, and not done yet" })
    await proposals.getByText("Remember likes-tabs?").waitFor()
    expect(await proposals.innerText()).toMatch(
      new RegExp(`Wide ones\\.[^]*asked for by the model, woken by api, in ${session}`),
    )
    await person.button("Remember it").click()
    await person.page.getByText(/written by the model/).waitFor()
    expect(await proposals.count()).toBe(0)
    expect((await server.get("/v1/memory")).json.memories).toMatchObject([{ name: "likes-tabs" }])
    expect(person.faults).toEqual([])
  })
})
