// Who may read what is kept: its owner, whoever made the folder and however.

import { existsSync, readdirSync, statSync } from "node:fs"
import { chmod, chown, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Folders, makeFolders, run, startServer } from "./outside/product.ts"

/** Everything below a folder that somebody else may look at. */
function openToOthers(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" })
  return [".", ...all].filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
}

async function openFolder(): Promise<Folders> {
  const folders = await makeFolders()
  await mkdir(folders.data)
  await chmod(folders.data, 0o755)
  return folders
}

const NOTE = Buffer.from("a note ".repeat(20_000)).toString("base64")

describe("a data folder", () => {
  it("[OPS-10] that was there before and open to others is its owner's alone, with all that lies in it (F3)", async () => {
    const folders = await openFolder()
    const server = await startServer({ folders })
    const session = await server.session()
    await server.send(session, [
      { type: "text", text: "PRIVATE-WORDS" },
      { type: "file-attachment", name: "note.txt", mime: "text/plain", data: NOTE },
    ])
    await server.settled(session)
    expect(existsSync(join(folders.data, "compositor.db-wal"))).toBe(true)
    expect(openToOthers(folders.data)).toEqual([])
    const written = join(folders.root, "all.jsonl")
    const copy = join(folders.root, "copy")
    expect((await run(folders, ["export", "-o", written])).code).toBe(0)
    expect((await run(folders, ["backup", copy])).code).toBe(0)
    expect(statSync(written).mode & 0o777).toBe(0o600)
    expect(openToOthers(copy)).toEqual([])
    await server.stop()
    // Opened again by somebody's chmod -R: the next command shuts it, and doctor says so.
    for (const name of [".", "blobs", "compositor.db"])
      await chmod(join(folders.data, name), name === "compositor.db" ? 0o644 : 0o755)
    const { out } = await run(folders, ["doctor"])
    expect(out).toMatch(/data folder.*others could/)
    expect(openToOthers(folders.data)).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)(
    "[OPS-10] of another user is refused in one sentence (F3)",
    async () => {
      const folders = await openFolder()
      await chown(folders.data, 65_534, 65_534)
      const { code, error } = await run(folders, ["sessions"])
      expect(code).toBe(1)
      expect(error).toContain("belongs to user 65534")
      expect(error.trim().split("\n")).toHaveLength(1)
      expect(readdirSync(folders.data)).toEqual([])
      expect((await run(folders, ["doctor"])).out).toMatch(
        /!!\s+data folder.*belongs to user 65534/,
      )
    },
  )
})
