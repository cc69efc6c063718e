import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { attachment, fileRef, png, text } from "../build.ts"
import { allEvents, exported } from "../store/build.ts"
import { type Door, newSession, openDoor, send } from "./house.ts"

function lower(door: Door, json: object) {
  return door.ask("post", "/v1/lower", { json })
}

describe("a dry run", () => {
  it("[BEY-01] shows the request as it would go out, and what becomes of each part", async () => {
    const door = await openDoor({ turns: false })
    await writeFile(join(door.workspace, "a.txt"), "one\ntwo\nthree\n")
    const parts = [text("look"), fileRef("a.txt", { start: 2, end: 2 }), attachment("a.png", png())]
    const { status, body } = await lower(door, { message: { parts }, api: "anthropic-messages" })
    expect(status).toBe(200)
    const [message] = body.body.messages
    expect(message.content.map(({ type }: { type: string }) => type)).toEqual([
      "text",
      "text",
      "image",
    ])
    expect(message.content[1].text).toMatch(/\ntwo$/)
    expect(message.content[2].source.data).toBe(png().toString("base64"))
    expect(
      body.receipts.map(({ part, outcome }: Record<string, string>) => [part, outcome]),
    ).toEqual([
      ["0", "inlined"],
      ["1", "range"],
      ["2", "native"],
    ])
    const brief = await lower(door, { message: { parts }, with_body: false })
    expect(brief.body.body).toBeNull()
    expect(brief.body.receipts).toHaveLength(3)
  })

  it("[BEY-01] keeps nothing, on disk or in the store", async () => {
    const door = await openDoor({ turns: false })
    await writeFile(join(door.workspace, "a.txt"), "one\n")
    const session = await newSession(door)
    const before = [await exported(door.host.store), await allEvents(door.host.store, session)]
    const files = await filesIn(door.data)
    const large = attachment("b.txt", Buffer.alloc(100_000, "x"))
    const parts = [fileRef("a.txt"), fileRef("a.txt", { start: 1, end: 1 }), large]
    const image = attachment("a.png", png())
    const { status } = await lower(door, {
      message: { parts: [...parts, image] },
      session_id: session,
    })
    expect(status).toBe(200)
    expect([await exported(door.host.store), await allEvents(door.host.store, session)]).toEqual(
      before,
    )
    expect(await filesIn(door.data)).toEqual(files)
    expect(await door.host.store.knownBlobs()).toEqual([])
  })

  it("reads through the session's workspace, another one, or none", async () => {
    const door = await openDoor({ turns: false })
    await writeFile(join(door.workspace, "a.txt"), "here\n")
    const outcome = async (more: object) => {
      const { body } = await lower(door, { message: { parts: [fileRef("a.txt")] }, ...more })
      return body.receipts[0].outcome
    }
    expect(await outcome({})).toBe("inlined")
    expect(await outcome({ workspace_root: null })).toBe("denied")
    expect(await outcome({ workspace_root: "/nowhere" })).toBe("failed")
    expect(await outcome({ policy: { file_refs: "descriptor" } })).toBe("descriptor")
  })

  it("shows the same to the model and to the person", async () => {
    const door = await openDoor({ script: [{ text: "ok" }] })
    const session = await newSession(door)
    const parts = [text("look"), attachment("a.png", png(4, 4))]
    const { body } = await lower(door, { message: { parts }, session_id: session })
    await send(door, session, "", { parts })
    await door.host.idle()
    expect(body.prompt.messages).toEqual(door.model.calls[0]?.prompt)
  })

  it("refuses an API, a model or a session that is not there", async () => {
    const door = await openDoor({ turns: false })
    const message = { parts: [text("x")] }
    for (const more of [{ api: "__proto__" }, { api: "" }, { model: "nobody" }])
      expect([more, (await lower(door, { message, ...more })).status]).toEqual([more, 422])
    const session_id = "ses_000000000000aaaaaaaaaaaaaa"
    expect((await lower(door, { message, session_id })).status).toBe(404)
  })
})

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => !name.endsWith("-shm") && !name.endsWith("-wal")).toSorted()
}
