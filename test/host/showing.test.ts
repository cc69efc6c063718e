import { describe, expect, it } from "vitest"
import { newSession, openServed, type Served, settled } from "./served.ts"

async function shownBy(served: Served, id: string, source: string): Promise<string | undefined> {
  const { message, shown } = await served.client.send(id, { source })
  expect(message).toBeNull()
  return shown[0]?.text
}

describe("commands that only show something", () => {
  it("[CMP-042] [UX-030] lists, shows, edits and forgets what is remembered, and asks no model", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const show = (source: string) => shownBy(served, id, source)
    expect(await show("/memory")).toBe("Nothing is remembered yet.")
    await served.client.memory.write("tone", { scope: "user", body: "Be brief." })
    expect(await show("/memory list")).toContain("tone (user): Be brief.")
    expect(await show("/memory show tone")).toContain("Be brief.")
    expect(await show("/memory edit tone Be kind\nand brief.")).toBe("tone is changed.")
    expect(await show("/memory show tone")).toContain("Be kind\nand brief.")
    expect(await show("/memory edit tone")).toBe("Say what tone is to be: /memory edit tone …")
    expect(await show("/memory rm tone")).toBe("tone is forgotten.")
    expect(await show("/memory show tone")).toContain("tone")
    expect(await show("/memory burn tone")).toBe("/memory knows list, show, edit and rm; not burn.")
    expect(served.model.calls).toEqual([])
  })

  it("[CMP-042] shows with /xray what the model saw of the last message, part by part", async () => {
    const served = await openServed({ files: { "workspace/a.ts": "one\ntwo\nthree\n" } })
    const id = await newSession(served, { workspace_root: served.workspace })
    expect(await shownBy(served, id, "/xray")).toBe("No model has been asked here yet.")
    await served.client.send(id, { source: "Read @a.ts#L2-2 please" })
    await settled(served, id)
    const lines = (await shownBy(served, id, "/xray"))?.split("\n") ?? []
    expect(lines[0]).toMatch(/^scripted.* was shown:$/)
    expect(lines.map((line) => line.split("  ").slice(0, 2))).toEqual([
      lines[0]?.split("  "),
      ["inlined", "text"],
      ["range", "file-ref"],
      ["inlined", "text"],
    ])
  })

  it("[CMP-042] does nothing for a draft that is only looked at", async () => {
    const served = await openServed()
    await served.client.memory.write("tone", { scope: "user", body: "Be brief." })
    await served.client.commands.expand({ source: "/memory rm tone" })
    expect((await served.client.memory.get("tone", {})).memory.body).toContain("Be brief.")
  })
})
