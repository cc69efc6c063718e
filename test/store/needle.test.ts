import type { Part } from "../../packages/core/parts/table.ts"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { attachment, fileRef, text } from "../build.ts"
import { type House, newSession, openHouse, say } from "../session/house.ts"

// A multiple of three characters: its base64 stands unbroken where it is the beginning.
const NEEDLE = "needle-in-haystack"
const FORMS = [NEEDLE, Buffer.from(NEEDLE).toString("base64")]

/** The files of the folder in which the word is, in whatever form. */
async function found(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const holds = async (name: string) => {
    const path = join(folder, name)
    if (!(await stat(path)).isFile()) return false
    const bytes = await readFile(path)
    return FORMS.some((form) => bytes.includes(form))
  }
  const held = await Promise.all(names.map(holds))
  return names.filter((_, at) => held[at])
}

/** Every part in which a word can be. */
async function partsWithNeedle(house: House): Promise<Part[]> {
  await writeFile(join(house.workspace, "a.txt"), `${NEEDLE}\nmore\n`)
  return [
    text(`please ${NEEDLE}`),
    attachment(`${NEEDLE}.txt`, Buffer.from(`${NEEDLE} inline`)),
    attachment("large.txt", Buffer.from(`${NEEDLE} blob `.repeat(5000))),
    fileRef("a.txt", { start: 1, end: 1 }),
    fileRef("a.txt"),
    { type: "editor-context", kind: "selection", payload: { NEEDLE }, emitted_at: 1 },
  ]
}

describe("a deleted session", () => {
  it("[decision 17] leaves no word of itself in any file of the folder", async () => {
    let turns = 0
    const house = await openHouse({
      thread: true,
      script: () => [
        ...Array.from({ length: 40 }, () => ({ text: `${NEEDLE} `.repeat(20), delay_ms: 3 })),
        ...(++turns === 2
          ? [{ error: { code: "overloaded", message: NEEDLE, retryable: false } }]
          : []),
      ],
    })
    const { host } = house
    const kept = await newSession(house)
    const id = await newSession(house)
    await host.store.changeSession({ id, title: NEEDLE, metadata: { NEEDLE } })
    await say(house, id, await partsWithNeedle(house), { metadata: { NEEDLE } })
    await host.idle()
    await say(house, id, "fail")
    await host.idle()
    const waiting = await say(house, id, NEEDLE, { mode: "paused" })
    await host.editQueued({ session_id: id, message_id: waiting.message.id, parts: [text("x")] })
    const cancelled = await say(house, id, NEEDLE, { mode: "paused" })
    await host.cancelQueued(id, cancelled.message.id)
    const { content_id, size, mime } = await host.upload(chunk(`${NEEDLE} uploaded`), "up.txt")
    const uploaded = { type: "file-attachment", name: "up.txt", mime, size, content_id } as const
    await say(house, id, [uploaded], { mode: "paused" })
    expect((await found(house.data)).length).toBeGreaterThan(2)
    await host.deleteSession(id, false)
    await host.vacuum()
    expect(await found(house.data)).toEqual([])
    expect((await host.store.session(kept))?.id).toBe(kept)
    await host.close()
    expect(await found(house.data)).toEqual([])
  })

  it("[SES-021] leaves no word that its branches do not read", async () => {
    const house = await openHouse({ script: [{ text: "fine" }] })
    const id = await newSession(house)
    await say(house, id, "shared")
    await house.host.idle()
    const { session } = await house.host.store.branch({
      id: newId("ses"),
      parent_id: id,
      from_message_id: null,
      title: "branch",
      metadata: {},
    })
    await house.host.store.changeSession({ id, title: NEEDLE })
    await say(house, id, await partsWithNeedle(house))
    await house.host.idle()
    await house.host.deleteSession(id, false)
    await house.host.vacuum()
    expect(await found(house.data)).toEqual([])
    const { messages } = await house.host.store.history(session.id, { limit: 9 })
    expect(messages).toHaveLength(2)
  })
})

describe("a purged message", () => {
  it("[decision 17] leaves no word of itself in any file of the folder", async () => {
    const house = await openHouse({ script: [{ text: "fine" }] })
    const id = await newSession(house)
    const { message } = await say(house, id, await partsWithNeedle(house))
    await house.host.idle()
    expect((await found(house.data)).length).toBeGreaterThan(1)
    await house.host.purgeMessage(id, message.id)
    await house.host.vacuum()
    expect(await found(house.data)).toEqual([])
    expect(JSON.stringify(await house.host.store.session(id))).not.toContain(NEEDLE)
  })
})

async function* chunk(words: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(words)
}
