import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { computeContentId } from "../packages/files/blobs/blobs.ts"
import { collectBytes, png } from "./build.ts"
import { type Door, newSession, openDoor, send } from "./server/house.ts"
import { exported, saidIn, waitingIn } from "./store/build.ts"

const MEGABYTE = randomBytes(1024 * 1024)

/** A folder with queued and cancelled messages, a branch, small and large attachments. */
async function fullFolder(): Promise<Door & { readonly session: string; readonly branch: string }> {
  const door = await openDoor({ script: [{ text: "well, " }, { text: "yes" }] })
  const session = await newSession(door, { title: "Plans", metadata: { colour: "green" } })
  const { body: upload } = await door.ask("post", "/v1/blobs?name=a.bin", { body: MEGABYTE })
  const { body: empty } = await door.ask("post", "/v1/blobs?name=empty.txt", { body: "" })
  const image = { type: "file-attachment", name: "a.png", mime: "image/png" }
  await send(door, session, "look", {
    parts: [
      { type: "text", text: "look — \u2028 \ud83d\ude00" },
      { ...image, data: png().toString("base64") },
      upload.part,
      empty.part,
      { type: "later-kind", deep: { a: [1, null, 1.5] } },
    ],
  })
  await door.host.idle()
  const { body } = await door.ask("post", `/v1/sessions/${session}/branch`, { json: {} })
  await send(door, body.session.id, "elsewhere")
  await door.host.idle()
  await send(door, session, "held", { mode: "paused" })
  await send(door, session, "waits", { mode: "queued" })
  const cancelled = await send(door, session, "never", { mode: "queued" })
  await door.ask("delete", `/v1/sessions/${session}/queue/${cancelled.message.id}`)
  return { ...door, session, branch: body.session.id }
}

async function exportOf(door: Door, query = ""): Promise<string> {
  const { status, text } = await door.ask("get", `/v1/export${query}`)
  expect(status).toBe(200)
  return text
}

function importInto(door: Door, body: string | Uint8Array<ArrayBuffer>) {
  return door.ask("post", "/v1/import", { body })
}

async function isEmpty(door: Door) {
  expect(await exported(door.host.store)).toEqual([])
  expect(await door.host.store.knownBlobs()).toEqual([])
  const left = await readdir(join(door.data, "blobs", "tmp")).catch(() => [])
  expect(left).toEqual([])
}

describe("export and import", () => {
  it("[DBG-002] give the same bytes again from an empty folder", async () => {
    const from = await fullFolder()
    const to = await openDoor({ turns: false })
    const first = await exportOf(from)
    const { status, body } = await importInto(to, first)
    const lines = first.trimEnd().split("\n")
    const pieces = lines.filter((line) => line.startsWith('{"type":"blob-data"'))
    // What waited there waits here until somebody lets it go.
    const held = [from.session]
    const rows = lines.length - pieces.length
    expect([status, body]).toEqual([200, { rows, blobs: 2, held, renamed: [] }])
    expect((await exportOf(to)) === first).toBe(true)
    for (const id of [from.session, from.branch]) {
      expect(await saidIn(to.host.store, id)).toEqual(await saidIn(from.host.store, id))
      expect(await waitingIn(to.host.store, id)).toEqual(await waitingIn(from.host.store, id))
    }
    for (const id of await from.host.store.knownBlobs()) {
      const [there, here] = [from, to].map((door) => collectBytes(door.host.blobs.open(id)))
      expect((await there)?.equals((await here) ?? Buffer.alloc(0))).toBe(true)
    }
  })

  it("[DBG-002] write a session, then its messages by time, each with its parts", async () => {
    const from = await fullFolder()
    const rows = (await exportOf(from, `?session=${from.session}&blobs=false`))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const types = rows.map(({ type }) => type)
    expect(types.join(" ").replace(/\b(\w+)\b( \1\b)+/g, "$1+")).toMatch(
      /^session (message part\+? ?)+turn receipt\+ system_prompt\+ blob\+$/,
    )
    const times = rows.filter(({ type }) => type === "message").map(({ data }) => data.created_at)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
    expect(rows[0].data.model_json).toBe('{"provider_id":"scripted","model_id":"scripted"}')
  })

  it("refuse what is there already, and change nothing", async () => {
    const from = await fullFolder()
    const before = await exportOf(from)
    const { status, body } = await importInto(from, before)
    expect([status, body.error.message]).toEqual([
      409,
      expect.stringMatching(/^line 1: session ses_/),
    ])
    expect((await exportOf(from)) === before).toBe(true)
  })
})

describe("a file that does not fit", () => {
  it("is named by its line, and leaves nothing half", async () => {
    const from = await fullFolder()
    const lines = (await exportOf(from)).trimEnd().split("\n")
    const placeOf = (type: string, also = "") =>
      lines.findIndex((line) => line.startsWith(`{"type":"${type}"`) && line.includes(also))
    const message = placeOf("message")
    // The large one comes in two pieces.
    const piece = placeOf("blob-data", computeContentId(MEGABYTE))
    const second = piece + 1
    const blob = lines.findIndex((line) => /^\{"type":"blob",.*"size":[1-9]/.test(line))
    const change = (at: number, more: object) => {
      const line = JSON.parse(lines[at] ?? "")
      return lines.with(at, JSON.stringify({ ...line, data: { ...line.data, ...more } }))
    }
    const cases: [string, readonly string[], number][] = [
      ["not JSON", lines.with(message, "{"), message],
      ["another type", lines.with(message, '{"type":"person","data":{}}'), message],
      ["an empty row", lines.with(message, '{"type":"message","data":{}}'), message],
      ["a stranger's column", change(message, { more: 1 }), message],
      [
        "a session that is not there",
        change(message, { session_id: `ses_${"0".repeat(26)}` }),
        message,
      ],
      ["an id that is none", change(message, { id: 'msg_"' }), message],
      ["JSON that is none", change(message, { metadata_json: "{" }), message],
      ["JSON too deep", change(message, { metadata_json: nested(5000) }), message],
      ["a model that is none", change(message, { metadata_json: '{"model":"x"}' }), message],
      ["a path that is none", change(0, { path_json: '{"a":1}' }), 0],
      ["text for a number", change(message, { seq: "one" }), message],
      ["half a number", change(message, { created_at: 1.5 }), message],
      ["a state that is none", change(message, { state: "lost" }), message],
      ["the same row twice", lines.toSpliced(message, 0, lines[message] ?? ""), message + 1],
      ["blank lines before it", ["", "", ...lines.with(message, "x")], message + 2],
      ["a piece that is missing", lines.toSpliced(piece, 1), piece],
      ["a piece out of place", change(second, { at: 5 }), second],
      ["other bytes", change(piece, { base64: "AAAA" }), second],
      ["a blob without its bytes", lines.filter((line) => !line.includes("blob-data")), blob],
    ]
    for (const [label, broken, at] of cases) {
      const to = await openDoor({ turns: false })
      const { status, body } = await importInto(to, `${broken.join("\n")}\n`)
      const message = String(body.error?.message)
      const named = message.match(/^line (\d+)\b/)?.[1]
      expect([label, Math.trunc(status / 100), named ?? message]).toEqual([
        label,
        4,
        String(at + 1),
      ])
      await isEmpty(to)
      expect((await importInto(to, `${lines.join("\n")}\n`)).status).toBe(200)
    }
  })

  it("may break off anywhere", async () => {
    const from = await fullFolder()
    const to = await openDoor({ turns: false })
    const whole = await exportOf(from)
    for (const share of [0.001, 0.01, 0.3, 0.6, 0.999]) {
      const { status } = await importInto(to, whole.slice(0, Math.floor(whole.length * share)))
      expect([share, status]).toEqual([share, 422])
      await isEmpty(to)
    }
    const { status } = await importInto(to, new Uint8Array([0xff, 0xfe, 0x0a]))
    expect(status).toBe(422)
    expect(to.failures).toEqual([])
  })
})

function nested(depth: number): string {
  return '{"a":'.repeat(depth) + "null" + "}".repeat(depth)
}
