import { readdir, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { chunksOf, collectBytes, temporaryFolder } from "../build.ts"
import { blobsContract } from "./blobs.contract.ts"

blobsContract("files", async () => new FileBlobs(join(await temporaryFolder(), "blobs")))

describe("blobs as files", () => {
  it("are readable by their owner only", async () => {
    const folder = join(await temporaryFolder(), "blobs")
    const { content_id } = await new FileBlobs(folder).putBytes(Buffer.from("secret"))
    const path = join(folder, content_id.slice(7, 9), content_id.slice(9))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it("leave no temporary file behind, whether a put succeeds or fails", async () => {
    const folder = await temporaryFolder()
    const blobs = new FileBlobs(folder)
    await blobs.put(chunksOf(Buffer.from("fine")), { maxBytes: 10 })
    await blobs.put(chunksOf(Buffer.from("too much")), { maxBytes: 1 }).catch(() => undefined)
    expect(await readdir(join(folder, "tmp"))).toEqual([])
  })

  it("are written again when a power cut left another size", async () => {
    const folder = await temporaryFolder()
    const blobs = new FileBlobs(folder)
    const { content_id } = await blobs.putBytes(Buffer.from("whole"))
    await writeFile(join(folder, content_id.slice(7, 9), content_id.slice(9)), "")
    await blobs.putBytes(Buffer.from("whole"))
    expect((await collectBytes(blobs.open(content_id))).toString()).toBe("whole")
  })

  it("sweep what a crash left, and spare an upload that is under way", async () => {
    const folder = await temporaryFolder()
    const blobs = new FileBlobs(folder)
    await blobs.sweepTemporary()
    await blobs.putBytes(Buffer.from("x"))
    await writeFile(join(folder, "tmp", "old"), "")
    await writeFile(join(folder, "tmp", "young"), "")
    const long = new Date(Date.now() - 2 * 60 * 60 * 1000)
    await utimes(join(folder, "tmp", "old"), long, long)
    await blobs.sweepTemporary()
    expect(await readdir(join(folder, "tmp"))).toEqual(["young"])
  })
})
