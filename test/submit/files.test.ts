import type { Part } from "../../packages/core/parts/table.ts"
import { createHash, randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { png } from "../../kit/conformance/samples.ts"
import { attachmentPath } from "../../packages/core/file/attachment-path.ts"
import { SCRATCH_QUOTA, Scratch } from "../../packages/files/workspace/scratch.ts"
import { MAX_INLINE_BYTES, MAX_SESSION_INLINE_BYTES } from "../../packages/files/settings.ts"
import { openHost } from "../../packages/engine/host/host.ts"
import { ASSISTANT } from "../../packages/engine/agents/agent.ts"
import { attachedFile } from "../../packages/engine/turns/attached-file.ts"
import { zip } from "../files/archive/build.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { losingOnce, temporaryFolder } from "../build.ts"
import { type HouseOptions, newSession, openHouse, say } from "../session/house.ts"

const KILOBYTE = 1024

function attachment(bytes: Uint8Array | string, name: string, more: object = {}): Part {
  const data = Buffer.from(bytes).toString("base64")
  return { type: "file-attachment", name, mime: "application/x-any", data, ...more }
}

/** A text of so many bytes, like no other. */
function words(size: number, seed: number): string {
  return `${seed} `.padEnd(size, "word ")
}

async function desk(options: HouseOptions = {}) {
  const house = await openHouse({ script: [{ text: "ok" }], ...options })
  const session = await newSession(house)
  const send = async (parts: readonly Part[], more: object = {}) => {
    const { message } = await say(house, session, parts, more)
    return message.parts.map(({ data }) => data as Record<string, unknown>)
  }
  return { ...house, session, send }
}

describe("the bytes that a part carries", () => {
  it("[CMP-098] are as many as the host says, and lie in the blob store anyway", async () => {
    const { send, host } = await desk({ files: { inline_bytes: 100 * KILOBYTE } })
    const [under, over] = await send([
      attachment(words(90 * KILOBYTE, 1), "a.txt"),
      attachment(words(110 * KILOBYTE, 2), "b.txt"),
    ])
    expect(under).toHaveProperty("data")
    expect(over).not.toHaveProperty("data")
    for (const part of [under, over])
      expect(await host.blobs.size(String(part?.content_id))).toBe(part?.size)
  })

  it("[OPS-07] are there when the message is, though another node removed the same ones meanwhile", async () => {
    const observe = { store: (store: Store) => store, blobs: losingOnce }
    const { send, host } = await desk({ observe, turns: false })
    const [part] = await send([attachment("these bytes", "a.txt")])
    expect(await host.blobs.isKept(String(part?.content_id))).toBe(true)
  })

  it("[OPS-07] of lines that were selected are there too", async () => {
    const observe = { store: (store: Store) => store, blobs: losingOnce }
    const { host, session, workspace } = await desk({ observe, turns: false })
    await writeFile(join(workspace, "a.txt"), "one\ntwo\nthree\n")
    const ref = { kind: "path", path: "a.txt", range: { start: 2, end: 2 } } as const
    const { message } = await say({ host }, session, [{ type: "file-ref", ref }])
    const capture = await host.store.capture(message.parts[0]?.id ?? "")
    expect(capture?.content_id).toBeTypeOf("string")
    expect(await host.blobs.isKept(String(capture?.content_id))).toBe(true)
  })

  it("[CMP-098] are 64 KB by default", async () => {
    const { send } = await desk()
    const [under, over] = await send([
      attachment(words(64 * KILOBYTE, 1), "a.txt"),
      attachment(words(64 * KILOBYTE + 1, 2), "b.txt"),
    ])
    expect(under).toHaveProperty("data")
    expect(over).not.toHaveProperty("data")
  })

  it("[CMP-098] are bounded for a session, by whatever messages they came", async () => {
    const files = { inline_bytes: 10 * KILOBYTE, session_inline_bytes: 40 * KILOBYTE }
    const { send, host, session } = await desk({ files, turns: false })
    const sent = (at: number) => send([attachment(words(9 * KILOBYTE, at), `${at}.txt`)])
    const all = [
      ...(await Promise.all([1, 2, 3].map(sent))),
      ...(await Promise.all([4, 5, 6].map(sent))),
    ]
    const carried = all.flat().filter((part) => "data" in part)
    expect(carried).toHaveLength(4)
    expect(all.flat().every(({ content_id }) => typeof content_id === "string")).toBe(true)
    const other = await newSession({ host })
    const { message } = await say({ host }, other, [attachment(words(9 * KILOBYTE, 7), "7.txt")])
    expect(message.parts[0]?.data).toHaveProperty("data")
    expect(session).not.toBe(other)
  })

  it("[CMP-098] are counted again by who opens the folder next", async () => {
    const files = { inline_bytes: 10 * KILOBYTE, session_inline_bytes: 15 * KILOBYTE }
    const first = await desk({ files })
    await first.send([attachment(words(9 * KILOBYTE, 1), "1.txt")])
    await first.host.idle()
    await first.host.close()
    const { host } = await openHouse({ data: first.data, script: [{ text: "ok" }], files })
    const { message } = await say({ host }, first.session, [
      attachment(words(9 * KILOBYTE, 2), "2.txt"),
    ])
    expect(message.parts[0]?.data).not.toHaveProperty("data")
  })

  it("[CMP-098] are set in config.json, and never beyond 1 MB and 20 MB", async () => {
    const data = await temporaryFolder()
    const config = (files: object) =>
      writeFile(join(data, "config.json"), JSON.stringify({ files }))
    const open = () => openHost({ data, workspace: null, environment: {}, turns: false })
    await config({ inline_bytes: MAX_INLINE_BYTES, session_inline_bytes: 5 })
    const host = await open()
    expect(host.files).toMatchObject({ inline_bytes: MAX_INLINE_BYTES, session_inline_bytes: 5 })
    await host.close()
    await config({ inline_bytes: MAX_INLINE_BYTES + 1 })
    await expect(open()).rejects.toThrow(/\/files\/inline_bytes/)
    await config({ session_inline_bytes: MAX_SESSION_INLINE_BYTES + 1 })
    await expect(open()).rejects.toThrow(/\/files\/session_inline_bytes/)
  })
})

describe("the condition of a file", () => {
  it("[BEY-01] stands in its part and its receipt, whatever a surface says of it", async () => {
    const { send, host, session } = await desk()
    const locked = zip([{ name: "a.txt", data: "hello", flags: 1 }])
    const [bundle, whole] = await send([
      attachment(locked, "a.zip"),
      attachment("words", "a.txt", { condition: "encrypted" }),
    ])
    expect(bundle).toMatchObject({ condition: "encrypted" })
    expect(whole).not.toHaveProperty("condition")
    await host.idle()
    const [turn] = await host.store.turns(session)
    const [receipt] = await host.store.receipts(session, turn?.id ?? "")
    expect(receipt).toMatchObject({ outcome: "descriptor" })
    expect(receipt?.reason).toContain("It is encrypted.")
  })

  it("[BEY-01] is told by an upload", async () => {
    const { host } = await desk()
    async function* chunks() {
      yield zip([{ name: "a.txt", data: "hello" }]).subarray(0, 40)
    }
    expect(await host.upload(chunks(), "a.zip")).toMatchObject({ condition: "damaged" })
  })
})

describe("the route of a file", () => {
  const routeOf = (part: Record<string, unknown> | undefined) =>
    part?.route as { type: string; name?: string; model: string; trace: string[] } | undefined

  it("[CMPH-010] [CMPH-011] is decided when it is sent, once, with what was considered", async () => {
    const { send } = await desk()
    const [text, bundle, thing] = await send([
      attachment("words", "a.txt", { route: { type: "native", model: "mine", trace: [] } }),
      attachment(zip([{ name: "a.txt", data: "hello" }]), "a.zip"),
      attachment(Buffer.from([0, 1, 2, 3, 254, 255]), "a.bin"),
    ])
    expect(routeOf(text)).toMatchObject({ type: "inline" })
    expect(routeOf(bundle)).toMatchObject({
      type: "skill",
      name: "archive",
      trace: ["no model takes application/zip", "the skill archive reads this format"],
    })
    expect(routeOf(thing)).toMatchObject({ type: "none" })
    expect(routeOf(text)?.model).toMatch(/./)
  })

  it("[CMPH-017] is asked of each turn's model again: what changed stands in the receipt alone", async () => {
    const { send, host, session } = await desk()
    const [part] = await send([attachment(zip([{ name: "a.txt", data: "hello" }]), "a.zip")])
    await host.idle()
    const [before] = await host.store.turns(session)
    const [first] = await host.store.receipts(session, before?.id ?? "")
    expect(first?.reason).not.toContain("When it was sent")
    const { receipts } = await host.lower({
      parts: [{ ...part, route: { model: "another/model", type: "native", trace: [] } } as never],
      workspace_root: null,
      with_body: false,
    })
    expect(receipts[0]?.reason).toMatch(
      / When it was sent to another\/model, it was to go as it is\.$/,
    )
    const { messages } = await host.store.history(session, { limit: 2 })
    expect(messages[0]?.parts[0]?.data).toEqual(part)
  })
})

describe("what a message brings for tools", () => {
  const small = (bytes: number) =>
    desk({ agents: [{ ...ASSISTANT, scratch: { bytes, files: 20 } }], turns: false })
  const archive = (size: number) => zip([{ name: "a.bin", data: randomBytes(size) }])
  const traceOf = (part: Record<string, unknown> | undefined) =>
    (part?.route as { trace: string[] } | undefined)?.trace

  it("[CMPH-015] is refused together when it does not fit into scratch together, and the draft stays", async () => {
    const { send, host, session } = await small(3000)
    const draft = { session_id: session, base_revision: 0, updated_by: "test" }
    await host.store.saveDraft({ ...draft, body_json: '{"source":"two"}' })
    const two = [attachment(archive(2000), "a.zip"), attachment(archive(2001), "b.zip")]
    await expect(send(two)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(/^b\.zip .* does not fit into scratch/),
      details: [{ path: "/parts/1" }],
    })
    expect(await host.store.queue(session)).toEqual([])
    expect((await host.store.draft(session))?.body_json).toBe('{"source":"two"}')
    const [first = attachment("", "")] = two
    expect(await send([first, first])).toHaveLength(2)
  })

  it("[CMPH-015] has its place before what the model is given itself", async () => {
    const { send } = await small(3000)
    const picture = Buffer.concat([png(3, 2), Buffer.alloc(2000)])
    const parts = [attachment(picture, "a.png"), attachment(archive(2000), "a.zip")]
    const [image, bundle] = await send(parts)
    expect(image?.route).toMatchObject({ type: "native" })
    expect(traceOf(image)?.at(-1)).toBe("there is no room for a copy of it in scratch")
    expect(bundle?.route).toMatchObject({ type: "skill" })
  })

  it("[CMPH-013] goes by what its bytes are, whatever its card says", async () => {
    const { send } = await desk({ turns: false })
    const bytes = archive(20)
    const card = {
      mime: "image/png",
      kind: "image",
      thumbnail: "data:image/png;base64,",
      route: { type: "native", model: "mine", trace: [] },
    }
    const [plain, dressed] = await send([
      attachment(bytes, "a.zip"),
      attachment(bytes, "a.zip", card),
    ])
    expect(dressed?.route).toEqual(plain?.route)
    expect(dressed?.route).toMatchObject({ type: "skill", name: "archive" })
  })

  it("[CMPH-012] is one file wherever it is read, also where two ids begin alike", async () => {
    const { send, host, session } = await desk({ turns: false })
    const twins = alike()
    const sent = await send(twins.map((text) => attachment(text, "a.txt")))
    const ids = sent.map(({ content_id }) => String(content_id))
    expect(ids[0]?.slice(0, 15)).toBe(ids[1]?.slice(0, 15))
    await host.store.claim({ session_id: session, owner: "test" })
    const named = (id: string) => attachedFile(host.store, session, id)
    const scratch = new Scratch(await temporaryFolder(), SCRATCH_QUOTA)
    const read: string[] = []
    for (const id of ids) {
      const file = await named(id)
      expect(file).toEqual({ content_id: id, name: "a.txt", shares_digits: true })
      const placed = await scratch.materialise(host.blobs, id, file ?? { name: "" })
      read.push(placed.type === "placed" ? await readFile(placed.path, "utf8") : placed.reason)
      expect(await named(ids[0]?.slice(7, 15) ?? "")).toBeUndefined()
    }
    expect(read).toEqual(twins)
  })
})

/** Two texts of one length whose digests begin with the same eight digits. */
function alike(): readonly string[] {
  const seen = new Map<string, string>()
  for (let at = 1_000_000; ; at++) {
    const text = `file ${at}`
    const digits = createHash("sha256").update(text).digest("hex").slice(0, 8)
    const twin = seen.get(digits)
    if (twin !== undefined) return [twin, text]
    seen.set(digits, text)
  }
}

describe("an attachment in scratch", () => {
  it("[BIN-005] is told by a path that has its name and is safe in a shell", () => {
    const content_id = `sha256:${"ab12cd34".repeat(8)}`
    expect(attachmentPath(content_id, "My plan; rm -rf $HOME.docx")).toBe(
      "attachments/ab12cd34/My_plan_rm_-rf_HOME.docx",
    )
  })
})
