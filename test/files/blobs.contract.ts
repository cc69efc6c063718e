import { createHash, randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { BlobMissing, type BlobStore, BlobTooLarge } from "../../packages/files/blobs/blobs.ts"
import { chunksOf, collect, collectBytes } from "../build.ts"

const MANY = { maxBytes: 64 * 1024 * 1024 }
const ABSENT = `sha256:${"0".repeat(64)}`

/** What every blob store promises. */
export function blobsContract(name: string, make: () => Promise<BlobStore>) {
  describe(`blobs: ${name}`, () => {
    it("[CMP-098] names bytes by their SHA-256 and gives them back", async () => {
      const blobs = await make()
      const stored = await blobs.put(chunksOf(Buffer.from("hel"), Buffer.from("lo")), MANY)
      expect(stored).toEqual({ content_id: idOf("hello"), size: 5 })
      expect((await collectBytes(blobs.open(stored.content_id))).toString()).toBe("hello")
      expect(await blobs.size(stored.content_id)).toBe(5)
    })

    it("keeps an empty blob", async () => {
      const blobs = await make()
      const { content_id } = await blobs.putBytes(new Uint8Array())
      expect(await blobs.size(content_id)).toBe(0)
      expect(await collect(blobs.open(content_id))).toEqual([])
    })

    it("makes one blob of the same bytes, put at the same time by many", async () => {
      const blobs = await make()
      const bytes = randomBytes(300_000)
      const puts = [1, 2, 3, 4].flatMap(() => [
        blobs.put(chunksOf(bytes), MANY),
        blobs.putBytes(bytes),
      ])
      const ids = new Set((await Promise.all(puts)).map(({ content_id }) => content_id))
      expect(ids.size).toBe(1)
      expect(await collect(blobs.list())).toHaveLength(1)
    })

    it("streams in pieces, and a range in its bounds", async () => {
      const blobs = await make()
      const bytes = randomBytes(700_000)
      const { content_id } = await blobs.putBytes(bytes)
      const pieces = await collect(blobs.open(content_id))
      expect(pieces.length).toBeGreaterThan(1)
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
      const range = await collectBytes(blobs.open(content_id, { start: 10, end: 600_000 }))
      expect(range.equals(bytes.subarray(10, 600_000))).toBe(true)
      expect(await collectBytes(blobs.open(content_id, { start: 5, end: 5 }))).toHaveLength(0)
      expect(await collectBytes(blobs.open(content_id, { start: 699_999, end: 9e9 }))).toHaveLength(
        1,
      )
    })

    it("refuses more than was allowed, and leaves nothing", async () => {
      const blobs = await make()
      const put = blobs.put(chunksOf(randomBytes(600), randomBytes(600)), { maxBytes: 1000 })
      await expect(put).rejects.toBeInstanceOf(BlobTooLarge)
      expect(await collect(blobs.list())).toEqual([])
    })

    it("leaves nothing of an upload that broke off", async () => {
      const blobs = await make()
      await expect(blobs.put(broken(), MANY)).rejects.toThrow("the sender hung up")
      expect(await collect(blobs.list())).toEqual([])
    })

    it("says when a blob is not there, whatever is asked for", async () => {
      const blobs = await make()
      for (const id of [ABSENT, "sha256:../../etc/passwd", "", `sha256:${"A".repeat(64)}`]) {
        expect(await blobs.size(id)).toBeUndefined()
        await expect(collect(blobs.open(id))).rejects.toBeInstanceOf(BlobMissing)
        await blobs.remove(id)
      }
    })

    it("forgets what was removed, and takes it again", async () => {
      const blobs = await make()
      const { content_id } = await blobs.putBytes(Buffer.from("once"))
      await blobs.remove(content_id)
      await blobs.remove(content_id)
      expect(await blobs.size(content_id)).toBeUndefined()
      await blobs.putBytes(Buffer.from("once"))
      expect(await blobs.size(content_id)).toBe(4)
    })

    it("removes for good what nobody wants, and gives back what somebody does", async () => {
      const blobs = await make()
      const bytes = Buffer.from("wanted")
      const { content_id } = await blobs.putBytes(bytes)
      let seen: boolean | undefined
      await blobs.remove(content_id, undefined, async () => {
        seen = await blobs.isKept(content_id)
        return true
      })
      expect(seen).toBe(false)
      expect((await collectBytes(blobs.open(content_id))).equals(bytes)).toBe(true)
      await blobs.remove(content_id, undefined, async () => false)
      expect(await blobs.isKept(content_id)).toBe(false)
      await blobs.remove(content_id, undefined, async () => true)
      expect(await blobs.isKept(content_id)).toBe(false)
      // Put again while it is being removed.
      await blobs.putBytes(bytes)
      await blobs.remove(content_id, undefined, async () => {
        await blobs.putBytes(bytes)
        return false
      })
      expect(await blobs.isKept(content_id)).toBe(true)
      expect(await collect(blobs.list())).toHaveLength(1)
    })

    it("[OPS-07] loses no bytes that one node names while another removes the same ones", async () => {
      const blobs = await make()
      const bytes = Buffer.from("the same bytes")
      const id = idOf("the same bytes")
      // What the rows of a database say, and who refers to it there.
      const rows = new Set<number>()
      const breath = () => new Promise((done) => setTimeout(done, Math.random() * 4))
      const attach = async (row: number) => {
        await blobs.putBytes(bytes)
        await breath()
        rows.add(row)
        await breath()
        if (!(await blobs.isKept(id))) await blobs.putBytes(bytes)
      }
      const collectRow = async (row: number) => {
        rows.delete(row)
        if (rows.size > 0) return
        await breath()
        await blobs.remove(id, undefined, async () => rows.size > 0)
      }
      let lost = 0
      for (let round = 0; round < 60; round++) {
        rows.add(-1)
        await Promise.all([attach(round), collectRow(-1)])
        if (!(await blobs.isKept(id))) lost += 1
        await collectRow(round)
      }
      expect(lost).toBe(0)
    })

    it("lists what it has, with the time it was last put", async () => {
      const blobs = await make()
      const before = Date.now() - 2000
      await blobs.putBytes(Buffer.from("one"))
      await blobs.putBytes(Buffer.from("three"))
      const listed = await collect(blobs.list())
      expect(new Set(listed.map(({ size }) => size))).toEqual(new Set([3, 5]))
      expect(listed.every(({ modified_at }) => modified_at > before)).toBe(true)
    })
  })
}

function idOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`
}

async function* broken(): AsyncIterable<Uint8Array> {
  yield Buffer.from("half")
  throw new Error("the sender hung up")
}
