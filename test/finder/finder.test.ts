import { spawnSync } from "node:child_process"
import { mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { FileFinder } from "../../packages/files/finder/file-finder.ts"
import { createFinder } from "../../packages/files/finder/finder.ts"
import { FolderTree } from "../../packages/files/finder/folder-tree.ts"
import { Paths } from "../../packages/files/finder/paths.ts"
import { openView } from "../../packages/files/finder/view.ts"
import { hiddenBy } from "../../packages/engine/policy/load-policy.ts"
import { temporaryFolder } from "../build.ts"

async function workspace(...files: readonly string[]): Promise<string> {
  const root = await realpath(await temporaryFolder())
  for (const path of files) await put(root, path)
  return root
}

async function put(root: string, path: string, text = "") {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

async function finderOf(root: string, ignored = hiddenBy()) {
  const finder = createFinder({ root, ignored })
  onTestFinished(() => finder.close())
  await finder.ready
  return finder
}

type Finds = { find(query: string): Promise<readonly { readonly path: string }[]> }

async function pathsOf(finder: Finds, query = ""): Promise<string[]> {
  return (await finder.find(query)).map(({ path }) => path).sort()
}

/** Asks until the answer is this one: what changes is known a little later. */
async function becomes(finder: Finds, expected: readonly string[]) {
  const end = Date.now() + 10_000
  for (;;) {
    const paths = await pathsOf(finder)
    if (Date.now() > end || JSON.stringify(paths) === JSON.stringify(expected))
      return expect(paths).toEqual(expected)
    await setTimeout(20)
  }
}

describe("createFinder", () => {
  it("[CMP-063] finds the files of a workspace in a thread of its own", async () => {
    const root = await workspace("src/main.ts", "src/lib/parser.ts", "README.md")
    const finder = createFinder({ root })
    expect(await finder.ready).toEqual({ files: 3, folders: 3, truncated: false })
    const [match] = await finder.find("par", { limit: 1 })
    expect(match).toEqual({
      path: "src/lib/parser.ts",
      score: expect.any(Number),
      positions: [8, 9, 10],
    })
    const used = await finder.find("r", { frecency: { "src/main.ts": 1, "gone.ts": 1 } })
    expect(used[0]?.path).toBe("README.md")
    expect((await finder.find("", { frecency: { "src/main.ts": 1 } }))[0]?.path).toBe("src/main.ts")
    await finder.close()
    await expect(finder.find("x")).rejects.toThrow("the finder is closed")
    await finder.close()
  })

  it("[BEY-04] shows nothing that the policy would keep out", async () => {
    const root = await workspace(
      "a.ts",
      ".env",
      "dist/b.js",
      "src/c.ts",
      "src/d.gen.ts",
      ".git/HEAD",
    )
    await put(root, ".gitignore", "dist/\n")
    await put(root, "src/.aiignore", "*.gen.ts\n")
    const finder = await finderOf(root)
    expect(await pathsOf(finder)).toEqual([".gitignore", "a.ts", "src/.aiignore", "src/c.ts"])
  })

  it("shows a link to a file, and follows none to a folder", async () => {
    const root = await workspace("a.ts", "lib/b.ts")
    await symlink(join(root, "a.ts"), join(root, "link.ts"))
    await symlink(root, join(root, "lib", "circle"))
    await symlink(join(root, "nowhere"), join(root, "broken.ts"))
    spawnSync("mkfifo", [join(root, "fifo")])
    expect(await pathsOf(await finderOf(root))).toEqual(["a.ts", "lib/b.ts", "link.ts"])
  })

  it("keeps up with files and folders that come, go and move", async () => {
    const root = await workspace("a.ts", "lib/b.ts")
    const finder = await finderOf(root)
    await put(root, "c.ts")
    await put(root, "new/deep/er/d.ts")
    await becomes(finder, ["a.ts", "c.ts", "lib/b.ts", "new/deep/er/d.ts"])
    await put(root, "new/deep/er/e.ts")
    await becomes(finder, ["a.ts", "c.ts", "lib/b.ts", "new/deep/er/d.ts", "new/deep/er/e.ts"])
    await rm(join(root, "c.ts"))
    await rename(join(root, "new/deep"), join(root, "moved"))
    await becomes(finder, ["a.ts", "lib/b.ts", "moved/er/d.ts", "moved/er/e.ts"])
    await rm(join(root, "moved"), { recursive: true })
    await rm(join(root, "lib"), { recursive: true })
    await writeFile(join(root, "lib"), "now a file")
    await becomes(finder, ["a.ts", "lib"])
  })

  it("keeps up with what the ignore files say", async () => {
    const root = await workspace("a.log", "b.ts", "lib/c.log")
    const finder = await finderOf(root)
    await becomes(finder, ["a.log", "b.ts", "lib/c.log"])
    await put(root, ".gitignore", "*.log")
    await becomes(finder, [".gitignore", "b.ts"])
    await put(root, ".gitignore", "*.ts")
    await becomes(finder, [".gitignore", "a.log", "lib/c.log"])
    await put(root, "next", "lib/")
    await rename(join(root, "next"), join(root, ".gitignore"))
    await becomes(finder, [".gitignore", "a.log", "b.ts"])
    await rm(join(root, ".gitignore"))
    await becomes(finder, ["a.log", "b.ts", "lib/c.log"])
  })

  it("takes in a great change at once", async () => {
    const root = await workspace("a.ts")
    const finder = await finderOf(root)
    await becomes(finder, ["a.ts"])
    for (let folder = 0; folder < 60; folder++)
      for (let file = 0; file < 10; file++) await put(root, `many/${folder}/f${file}.ts`)
    const end = Date.now() + 10_000
    const count = async () => (await finder.find("many", { limit: 1000 })).length
    while ((await count()) < 600 && Date.now() < end) await setTimeout(50)
    expect(await count()).toBe(600)
  })

  it("answers with nothing for a workspace that is not there", async () => {
    const finder = createFinder({ root: "/nowhere/at/all", ignored: hiddenBy() })
    onTestFinished(() => finder.close())
    expect(await finder.ready).toEqual({ files: 0, folders: 0, truncated: false })
    expect(await finder.find("a")).toEqual([])
  })

  it("tells whoever asks when its thread failed", async () => {
    const ignored = { module: "data:text/javascript,throw new Error('no rules')", settings: null }
    const finder = createFinder({ root: await workspace("a"), ignored })
    await expect(finder.ready).rejects.toThrow("the finder failed: Error: no rules")
    await expect(finder.find("a")).rejects.toThrow("no rules")
  })
})

describe("FileFinder", () => {
  it("answers from what it has read so far", async () => {
    const root = await workspace("a.ts", "b/c.ts")
    const finder = new FileFinder(root, await openView(root, null))
    onTestFinished(() => finder.close())
    const request = { query: "ts", limit: 9, frecency: {} }
    expect(finder.find(request)).toEqual([])
    await finder.index()
    expect(finder.find(request)).toHaveLength(2)
  })
})

describe("FileFinder on a system that watches nothing", () => {
  it("looks again when it is asked, and finds what has come and gone", async () => {
    const root = await workspace("a.ts", "lib/b.ts")
    const unable = () => ({ add: () => false, remove() {}, close() {} })
    const finder = new FileFinder(root, await openView(root, hiddenBy()), unable)
    onTestFinished(() => finder.close())
    await finder.index()
    const asked = { find: async () => finder.find({ query: "", limit: 50, frecency: {} }) }
    await put(root, "lib/deep/c.ts")
    await rm(join(root, "a.ts"))
    await becomes(asked, ["lib/b.ts", "lib/deep/c.ts"])
    await put(root, ".gitignore", "deep/")
    await becomes(asked, [".gitignore", "lib/b.ts"])
  })
})

describe("FolderTree", () => {
  async function treeOf(root: string) {
    const paths = new Paths()
    const told: string[] = []
    const events = {
      added: (path: string) => void told.push(`+${path}`),
      removed: (path: string) => void told.push(`-${path}`),
    }
    const view = await openView(root, hiddenBy())
    const tree = new FolderTree({ root, view, paths, events })
    const read = () => tree.readUntil(Number.POSITIVE_INFINITY)
    read()
    return { tree, paths, told, read }
  }

  it("finds by the times on the disk what changed, and reads only that again", async () => {
    const root = await workspace("a/x.ts", "b/y.ts", "b/.gitignore")
    const { tree, paths, told, read } = await treeOf(root)
    const before = Date.now() + 3_600_000
    for (const path of ["", "a/", "b/"]) expect(tree.changeSince(path, before)).toBeUndefined()
    expect(tree.changeSince("a/", 0)).toBe("entries")
    expect(tree.changeSince("b/", 0)).toBe("rules")
    await rm(join(root, "a"), { recursive: true })
    expect(tree.changeSince("a/", before)).toBe("entries")
    tree.update("a/", "entries")
    expect(paths.size).toBe(2)
    await put(root, "c/z.ts")
    tree.update("", "entries")
    read()
    expect(tree.fileAt("c/z.ts")).toBeDefined()
    expect(tree.fileAt("a/x.ts")).toBeUndefined()
    expect(told.slice(3)).toEqual(["-a/", "+c/"])
  })

  it("reads in pieces, the upper folders first", async () => {
    const root = await workspace("a.ts", "b/c/d.ts")
    const paths = new Paths()
    const events = { added() {}, removed() {} }
    const tree = new FolderTree({ root, view: await openView(root, null), paths, events })
    expect(tree.isRead).toBe(false)
    tree.readUntil(0)
    expect([tree.isRead, paths.size]).toEqual([false, 0])
    tree.readUntil(Number.POSITIVE_INFINITY)
    expect([tree.isRead, tree.size, paths.size]).toEqual([true, 3, 2])
  })
})
