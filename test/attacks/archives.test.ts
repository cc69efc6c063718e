// Archives that are slow, cut off by a crash, or a little more than they should be.

import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { crc32, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { ANTHROPIC, startModel } from "./outside/model.ts"
import { makeFolders, run, startServer, until } from "./outside/product.ts"

const BLOCK = 512

/** One header of a tar, with a right checksum. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write("0000644\0", 100)
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  block.write("00000000000\0        0", 136)
  block.write("ustar\x0000", 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}

function tar(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
    return [header(name, content.length), Buffer.from(content), padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** A gzip of many members that unpacks to more than any machine reads in ten seconds. */
function endless(): Buffer {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  return Buffer.concat([
    gzipSync(header("a", 8 ** 11 - 1)),
    ...Array.from({ length: 1200 }, () => zeros),
  ])
}

async function halfExtracted(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => /\.extracting-[^/]*$/.test(name))
}

describe("an archive", () => {
  it("[SBX-006] (F14) that only burns time ends within ten seconds, with the limit's name", async () => {
    const folders = await makeFolders({ "workspace/slow.tar.gz": endless() })
    const { code, out, error } = await run(folders, ["extract", "slow.tar.gz", "--list"])
    expect(code).not.toBe(0)
    const seconds = Number(/took longer than ([\d.]+) s/.exec(out + error)?.[1])
    expect(seconds, out + error).toBeLessThanOrEqual(10)
  }, 90_000)

  it("[SBX-006] (F14) is taken with bytes behind its end, and that is noted", async () => {
    const whole = gzipSync(tar({ "a.txt": "alpha" }))
    const folders = await makeFolders({
      "workspace/more.tgz": Buffer.concat([whole, Buffer.from("and some words behind it")]),
      "workspace/padded.tgz": Buffer.concat([whole, Buffer.alloc(600)]),
      "workspace/damaged.tgz": Buffer.concat([
        whole.subarray(0, -8),
        Buffer.alloc(8, crc32("x") & 0x7f),
      ]),
    })
    const more = await run(folders, ["extract", "more.tgz", "--to", "more"])
    expect(more.code, more.error).toBe(0)
    expect(more.out + more.error).toContain("24 bytes behind the end")
    expect(await readdir(join(folders.workspace, "more"))).toEqual(["a.txt"])
    const padded = await run(folders, ["extract", "padded.tgz", "--to", "padded"])
    expect(padded.code, padded.error).toBe(0)
    expect(padded.out + padded.error).not.toContain("behind the end")
    const damaged = await run(folders, ["extract", "damaged.tgz", "--to", "damaged"])
    expect(damaged.code).not.toBe(0)
    expect(damaged.error).toMatch(/damaged/)
  }, 90_000)

  it("[SBX-006] (F14) leaves no folder behind, also when the server is killed meanwhile", async () => {
    const call = { name: "extract", input: { path: "many.tar" } }
    const model = await startModel((body) =>
      body.messages.length === 1 ? { calls: [call] } : "done",
    )
    const names = Array.from({ length: 4900 }, (_, at) => [`f${at}`, "x"])
    const { environment } = model
    const files = { "workspace/many.tar": tar(Object.fromEntries(names)) }
    const server = await startServer({ files, environment })
    const { folders } = server
    const session = await server.session(ANTHROPIC)
    await server.send(session, "extract it")
    await until(
      async () => (await halfExtracted(folders.data)).length > 0,
      "it was being extracted",
    )
    await server.stop("SIGKILL")
    expect(await halfExtracted(folders.data)).toHaveLength(1)
    await startServer({ folders, environment })
    await until(async () => (await halfExtracted(folders.data)).length === 0, "nothing was left")
  }, 120_000)
})
