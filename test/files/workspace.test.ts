import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, open, realpath, rename, symlink, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, it, onTestFinished } from "vitest"
import { openedPath } from "../../packages/files/disk/within.ts"
import { type ReadOptions, readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import { temporaryFolder } from "../build.ts"

const MEGABYTE = 1024 * 1024
const WHOLE: ReadOptions = { maxBytes: MEGABYTE }

/** A workspace with a few files, and beside it what must not be read. */
async function workspace() {
  const folder = await realpath(await temporaryFolder())
  const root = join(folder, "ws")
  await mkdir(join(root, "src"), { recursive: true })
  await mkdir(join(folder, "ws-evil"))
  await writeFile(join(folder, "secret"), "secret")
  await writeFile(join(folder, "ws-evil", "secret"), "secret")
  await writeFile(join(root, "src", "a.ts"), "one\ntwo\nthree\n")
  return { folder, root }
}

async function contentOf(root: string, path: string, options: Partial<ReadOptions> = {}) {
  const read = await readWorkspaceFile(root, path, { ...WHOLE, ...options })
  if (read.type !== "content") return read
  return Buffer.from(read.bytes).toString()
}

describe("readWorkspaceFile", () => {
  it("[CMP-022] reads a file by its path in the workspace", async () => {
    const { root } = await workspace()
    const read = await readWorkspaceFile(root, "src/a.ts", WHOLE)
    expect(read).toMatchObject({ type: "content", size: 14, realPath: join(root, "src/a.ts") })
    expect(await contentOf(root, "src/a.ts")).toBe("one\ntwo\nthree\n")
    expect(await contentOf(root, join(root, "src/a.ts"))).toBe("one\ntwo\nthree\n")
    expect(await contentOf(root, "src/../src/a.ts")).toBe("one\ntwo\nthree\n")
  })

  it("reads through a workspace that is itself a link", async () => {
    const { folder, root } = await workspace()
    await symlink(root, join(folder, "link"))
    const link = join(folder, "link")
    expect(await contentOf(link, "src/a.ts")).toBe("one\ntwo\nthree\n")
    expect(await contentOf(link, join(link, "src/a.ts"))).toBe("one\ntwo\nthree\n")
  })

  it("reads names that only look like a way out", async () => {
    const { root } = await workspace()
    for (const name of ["..a", "c:b", "\\b", "a..", "...", "~", "%2e%2e"]) {
      await writeFile(join(root, name), "fine")
      expect(await contentOf(root, name)).toBe("fine")
    }
  })

  it("names the path when there is no such file", async () => {
    const { root } = await workspace()
    expect(await readWorkspaceFile(root, "src/b.ts", WHOLE)).toEqual({
      type: "refused",
      outcome: "failed",
      reason: "src/b.ts does not exist",
    })
  })
})

describe("ranges", () => {
  async function lines(start: number, end: number, content = "one\ntwo\nthree\n") {
    const { root } = await workspace()
    await writeFile(join(root, "f"), content)
    const read = await readWorkspaceFile(root, "f", { ...WHOLE, range: { start, end } })
    if (read.type !== "content") return read.type === "refused" ? read.reason : read.type
    return { text: Buffer.from(read.bytes).toString(), lines: read.lines, note: read.note }
  }

  it("[CMP-025] gives the selected lines, both ends included", async () =>
    expect(await lines(2, 2)).toEqual({ text: "two", lines: { start: 2, end: 2 }, note: null }))
  it("[CMP-025] gives the last line of a file that does not end in a break", async () =>
    expect(await lines(2, 3, "one\ntwo\nthree")).toMatchObject({
      text: "two\nthree",
      lines: { start: 2, end: 3, total: 3 },
    }))
  it("[CMP-025] leaves Windows line breaks as they are, and off the end", async () =>
    expect(await lines(1, 2, "one\r\ntwo\r\nthree\r\n")).toMatchObject({ text: "one\r\ntwo" }))
  it("cuts a range at the file's end and says so", async () =>
    expect(await lines(3, 9)).toEqual({
      text: "three",
      lines: { start: 3, end: 3, total: 3 },
      note: "f has only 3 lines",
    }))
  it("refuses a range past the file's end", async () =>
    expect(await lines(4, 5)).toBe("f has only 3 lines"))
  it("refuses a range of an empty file", async () =>
    expect(await lines(1, 1, "")).toBe("f has only 0 lines"))

  it("[CMP-025] finds lines that lie across the pieces it reads", async () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}`)
    const content = numbers.join("\n")
    for (const [start, end] of [
      [1, 1],
      [20_000, 40_000],
      [99_999, 100_000],
    ] as const)
      expect(await lines(start, end, content)).toMatchObject({
        text: numbers.slice(start - 1, end).join("\n"),
      })
  })

  it("[CMP-023] gives bytes by half-open offsets", async () => {
    const { root } = await workspace()
    const range = (start: number, end: number) => ({ range: { start, end, unit: "byte" as const } })
    expect(await contentOf(root, "src/a.ts", range(4, 7))).toBe("two")
    expect(await contentOf(root, "src/a.ts", range(8, 900))).toBe("three\n")
    expect(await contentOf(root, "src/a.ts", range(14, 20))).toMatchObject({
      reason: "src/a.ts has only 14 bytes",
    })
  })
})

describe("attacks on the workspace", () => {
  async function outcome(root: string, path: string) {
    const read = await readWorkspaceFile(root, path, WHOLE)
    return read.type === "refused" ? read.outcome : read.type
  }

  it("refuses a way out by dots, by an absolute path, by a sibling's prefix", async () => {
    const { folder, root } = await workspace()
    const ways = [
      "../secret",
      "src/../../secret",
      "../ws-evil/secret",
      join(folder, "secret"),
      join(folder, "ws-evil", "secret"),
      "/etc/passwd",
      "..",
      // Not even whether it exists is told.
      "../nothing",
    ]
    for (const way of ways) expect([way, await outcome(root, way)]).toEqual([way, "denied"])
  })

  it("refuses prefixes that leave the file system on some machine, and NUL", async () => {
    const { root } = await workspace()
    const ways = [
      "\\\\?\\C:\\a",
      "\\??\\C:\\a",
      "\\\\host\\share",
      "//host/share",
      "src/a.ts\0.png",
    ]
    for (const way of ways) expect([way, await outcome(root, way)]).toEqual([way, "denied"])
  })

  it("refuses a link out, to a file, a folder or a device", async () => {
    const { folder, root } = await workspace()
    await symlink(join(folder, "secret"), join(root, "file"))
    await symlink(folder, join(root, "folder"))
    await symlink("/dev/zero", join(root, "zero"))
    await symlink("/proc/self/environ", join(root, "environ"))
    for (const way of ["file", "folder/secret", "folder/ws-evil/secret", "zero", "environ"])
      expect([way, await outcome(root, way)]).toEqual([way, "denied"])
  })

  it("follows a link that stays inside, and names what it opened", async () => {
    const { root } = await workspace()
    await symlink(join(root, "src", "a.ts"), join(root, "inside"))
    const read = await readWorkspaceFile(root, "inside", WHOLE)
    expect(read).toMatchObject({ type: "content", realPath: join(root, "src/a.ts") })
  })

  it("does not hang on a FIFO, and reads no socket, folder or circle", {
    timeout: 5000,
  }, async () => {
    const { root } = await workspace()
    execFileSync("mkfifo", [join(root, "fifo")])
    const server = createServer().listen(join(root, "socket"))
    onTestFinished(() => void server.close())
    await symlink(join(root, "circle"), join(root, "circle"))
    for (const way of ["fifo", "socket", "src", "circle", "."])
      expect([way, await outcome(root, way)]).toEqual([way, "failed"])
  })

  it("does not read a huge file, and tells its size and its head", { timeout: 5000 }, async () => {
    const { root } = await workspace()
    await writeFile(join(root, "huge"), "one\ntwo\n")
    await truncate(join(root, "huge"), 10 * 1024 * MEGABYTE)
    const read = await readWorkspaceFile(root, "huge", WHOLE)
    expect(read).toMatchObject({ type: "too-large", size: 10 * 1024 * MEGABYTE })
    expect(read.type === "too-large" && read.head.length).toBe(64 * 1024)
    expect(await contentOf(root, "huge", { range: { start: 1, end: 2 } })).toBe("one\ntwo")
    const rest = await readWorkspaceFile(root, "huge", { ...WHOLE, range: { start: 3, end: 3 } })
    expect(rest.type).toBe("too-large")
  })

  it("reads what it opened, however the path is swapped meanwhile", async () => {
    const { folder, root } = await workspace()
    await mkdir(join(folder, "outside"))
    await writeFile(join(folder, "outside", "a.ts"), "secret")
    const swap = swapForever(folder, root)
    onTestFinished(() => swap.stop())
    await swap.started
    const seen = new Set<string>()
    for (let round = 0; round < 3000; round++) {
      const content = await contentOf(root, "src/a.ts")
      seen.add(typeof content === "string" ? content : content.type)
    }
    expect(seen).not.toContain("secret")
    expect(seen).toContain("one\ntwo\nthree\n")
    expect(seen).toContain("refused")
  })
})

/** Puts a link to the outside in place of `src` and takes it away again, until stopped. */
function swapForever(folder: string, root: string) {
  const script = `
    const { renameSync, symlinkSync } = require("node:fs")
    const [folder, root] = process.argv.slice(1)
    symlinkSync(folder + "/outside", folder + "/link")
    for (let count = 0; ; count++) {
      renameSync(root + "/src", folder + "/aside")
      renameSync(folder + "/link", root + "/src")
      renameSync(root + "/src", folder + "/link")
      renameSync(folder + "/aside", root + "/src")
      if (count === 100) require("node:fs").writeSync(1, "swapping")
    }`
  const child = spawn(process.execPath, ["-e", script, folder, root], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const started = once(child.stdout, "data")
  return { started, stop: () => void child.kill("SIGKILL") }
}

describe("without /proc", () => {
  const NOWHERE = "/nowhere/at/all"

  it("[CMP-022] a path counts only as long as it leads to what was opened", async () => {
    const folder = await temporaryFolder()
    const path = join(folder, "a.txt")
    await writeFile(path, "one")
    await writeFile(join(folder, "b.txt"), "two")
    const handle = await open(path, "r")
    onTestFinished(() => handle.close())
    expect(await openedPath(handle, path, NOWHERE)).toBe(path)
    await rename(join(folder, "b.txt"), path)
    expect(await openedPath(handle, path, NOWHERE)).toBeUndefined()
  })

  it("[CMP-022] a link is known by where it leads", async () => {
    const folder = await temporaryFolder()
    const outside = join(await temporaryFolder(), "secret")
    await writeFile(outside, "secret")
    await symlink(outside, join(folder, "link"))
    const handle = await open(join(folder, "link"), "r")
    onTestFinished(() => handle.close())
    expect(await openedPath(handle, join(folder, "link"), NOWHERE)).toBe(outside)
  })
})
