import { describe, expect, it } from "vitest"
import { LOWERING_VERSION, type Receipt } from "../../packages/core/model/receipt.ts"
import type { DiffLoweringAnswer } from "../../packages/core/contract/models.ts"
import type { ExportRow } from "../../packages/engine/store/store.ts"
import { attachment, fileRef, png, text } from "../build.ts"
import { type Door, newSession, openDoor, send } from "../server/house.ts"
import { exported } from "../store/build.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"

/** A folder with two turns; the same file is referred to in both. */
async function twoTurns() {
  const door = await openDoor({ script: [{ text: "ok" }] })
  await writeFile(join(door.workspace, "a.txt"), "one\n".repeat(100))
  const session = await newSession(door)
  for (const parts of [
    [text("look"), fileRef("a.txt"), attachment("a.png", png())],
    [text("again"), fileRef("a.txt")],
  ]) {
    await send(door, session, "", { parts })
    await door.host.idle()
  }
  return { door, session }
}

/** The same folder as an older version of the lowering would have left it. */
async function writtenBy(from: Door, older: (receipt: Receipt) => Receipt): Promise<Door> {
  const to = await openDoor({ turns: false, workspace: from.workspace })
  for await (const { content_id } of from.host.blobs.list())
    await to.host.blobs.put(from.host.blobs.open(content_id), { maxBytes: 1_000_000 })
  const rows = await exported(from.host.store)
  await to.host.store.importRows({ rows: rows.map((row) => aged(row, older)) })
  return to
}

function aged(row: ExportRow, older: (receipt: Receipt) => Receipt): ExportRow {
  if (row.type !== "receipt") return row
  const receipt = older(JSON.parse(String(row.data.data_json)))
  return { ...row, data: { ...row.data, data_json: JSON.stringify(receipt) } }
}

async function diff(door: Door, query: string): Promise<DiffLoweringAnswer> {
  const { status, body } = await door.ask("get", `/v1/diff-lowering?${query}`)
  expect(status).toBe(200)
  return body
}

describe("diffLowering", () => {
  it("finds nothing in turns that this version lowered", async () => {
    const { door } = await twoTurns()
    const found = await diff(door, "since=0")
    expect(found).toEqual({ since: 0, now: LOWERING_VERSION, compared: 2, turns: [], more: false })
  })

  it("tells which turns an older version lowered differently, part by part", async () => {
    const { door: from, session } = await twoTurns()
    const door = await writtenBy(from, (receipt) => ({
      ...receipt,
      version: 0,
      ...(receipt.outcome === "native" ? { outcome: "descriptor", tokens: 12, bytes: 48 } : {}),
    }))
    const { turns, compared } = await diff(door, "since=0")
    expect(compared).toBe(2)
    expect(turns).toMatchObject([
      {
        session_id: session,
        version: 0,
        changes: [
          {
            type: "file-attachment",
            before: { outcome: "descriptor", tokens: 12, bytes: 48 },
            after: { outcome: "native", bytes: png().length },
          },
        ],
      },
    ])
    expect((await diff(door, "since=0&session=" + session)).turns).toEqual(turns)
    expect(await diff(door, "since=1")).toMatchObject({ compared: 0, turns: [] })
  })

  it("says of a part that only one of the two versions told of", async () => {
    const { door: from } = await twoTurns()
    const door = await writtenBy(from, (receipt) => ({
      ...receipt,
      version: 0,
      part: receipt.type === "file-ref" ? `${receipt.part}x` : receipt.part,
    }))
    const { turns } = await diff(door, "since=0")
    const sides = turns.map(({ changes }) =>
      changes.map(({ before, after }) => [before !== null, after !== null]),
    )
    const both = [
      [false, true],
      [true, false],
    ]
    expect(sides).toEqual([both, both])
  })

  it("keeps nothing, and refuses a session that is not there", async () => {
    const { door } = await twoTurns()
    const before = await exported(door.host.store)
    await diff(door, "since=0")
    expect(await exported(door.host.store)).toEqual(before)
    const missing = "since=0&session=ses_000000000000aaaaaaaaaaaaaa"
    expect((await door.ask("get", `/v1/diff-lowering?${missing}`)).status).toBe(404)
  })
})
