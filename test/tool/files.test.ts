import { mkfifoSync } from "./fifo.ts"
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Scopes } from "../../packages/files/workspace/scope.ts"
import type { PermissionRule } from "../../packages/engine/policy/permissions.ts"
import { viewOf } from "../../packages/engine/policy/hidden.ts"
import { PolicyConfig } from "../../packages/engine/policy/config.ts"
import { globTool } from "../../packages/engine/tools/glob.ts"
import { grepTool } from "../../packages/engine/tools/grep.ts"
import { readTool } from "../../packages/engine/tools/read.ts"
import { editTool, writeTool } from "../../packages/engine/tools/write.ts"
import { temporaryFolder, png } from "../build.ts"
import { stage, shown, told } from "./stage.ts"

const hiding = (root: string) => viewOf(root, PolicyConfig.parse({}))
const read = readTool()
const write = writeTool()
const edit = editTool()
const glob = globTool(hiding)
const grep = grepTool(hiding)

function deny(permission: string, pattern: string): PermissionRule {
  return { permission, pattern, action: "deny", source: "manifest" }
}

describe("read", () => {
  it("[TOL-003] gives a file's text in an envelope", async () => {
    const { call } = await stage({ files: { "a.ts": "one\ntwo\n" } })
    expect(await call(read, { path: "a.ts" })).toEqual({
      type: "output",
      data: { path: "a.ts", mime: "text/typescript", size: 8 },
      blocks: [{ type: "text", text: "one\ntwo\n" }],
      metadata: { duration_ms: expect.any(Number) },
    })
  })

  it("[CMP-025] gives some lines, or some bytes", async () => {
    const { call } = await stage({ files: { a: "one\ntwo\nthree\n" } })
    expect(await call(read, { path: "a", start: 2, end: 2 })).toMatchObject({
      data: { lines: { start: 2, end: 2 } },
      blocks: [{ type: "text", text: "two" }],
    })
    expect(await call(read, { path: "a", start: 2 })).toMatchObject({
      data: { lines: { start: 2, end: 3, total: 3 } },
      blocks: [{ type: "text", text: "two\nthree" }],
    })
    expect(await shown(call(read, { path: "a", start: 4, end: 7, unit: "byte" }))).toBe("two")
    expect(await told(call(read, { path: "a", start: 3, end: 2 }))).toMatch(/before it starts/)
  })

  it("[TOL-002] says what is wrong with its input, and throws nothing", async () => {
    const { call } = await stage()
    const wrong = await call(read, { path: 7, start: -1 })
    expect(wrong).toMatchObject({
      type: "error",
      error_text: expect.stringMatching(/path: .*start: /),
    })
  })

  it("[TOL-004] cuts what is long, and keeps all of it in scratch", async () => {
    const long = "0123456789\n".repeat(30_000)
    const { call, scratch } = await stage({ files: { "long.txt": long } })
    const result = await call(read, { path: "long.txt" })
    if (result.type === "error") throw new Error(result.error_text)
    expect(result.blocks).toEqual([{ type: "text", text: long.slice(0, 200 * 1024) }])
    const { truncated, output_path = "" } = result.metadata
    expect(truncated).toBe(true)
    expect(output_path.startsWith(scratch.path)).toBe(true)
    expect(await readFile(output_path, "utf8")).toBe(long)
    expect(await shown(call(read, { path: output_path, start: 1, end: 1 }))).toBe("0123456789")
  })

  it("[TOL-004] shows the head of a file that is too large to read whole", async () => {
    const { call } = await stage({ files: { "huge.log": "line\n".repeat(1_000_000) } })
    const result = await call(read, { path: "huge.log" })
    expect(result).toMatchObject({
      data: { size: 5_000_000, notes: [expect.stringContaining("read on with start and end")] },
      metadata: { truncated: true, output_path: "huge.log" },
    })
  })

  it("[VIS-001] gives text only, and names the tool for anything else", async () => {
    const { call } = await stage({ files: { "a.png": png(), "b.txt": png() } })
    expect(await told(call(read, { path: "a.png" }))).toMatch(/image\/png and not text.*read_image/)
    expect(await told(call(read, { path: "b.txt" }))).toMatch(/read_image/)
  })

  it("[BEY-04] takes secrets out, and reads no file that holds them by name", async () => {
    const files = {
      ".env": "A=1",
      "a.txt": "key AKIAIOSFODNN7EXAMPLE here",
      ".gitignore": "b",
      b: "b",
    }
    const { call } = await stage({ files })
    expect(await told(call(read, { path: ".env" }))).toMatch(/Not shown: .*deny rule/)
    expect(await told(call(read, { path: "b" }))).toMatch(/ignored by/)
    expect(JSON.stringify(await call(read, { path: "a.txt" }))).not.toContain("AKIAIOSFODNN7")
  })

  it("[SES-080] holds a rule about a path also where a link leads to it", async () => {
    const files = { "private/a": "private", "public/b": "public" }
    const { call, root } = await stage({ files, rules: [deny("fs.read", "private/**")] })
    await symlink(join(root, "private/a"), join(root, "public/link"))
    expect(await told(call(read, { path: "public/link" }))).toMatch(
      /denied by the permission rules/,
    )
    expect(await shown(call(read, { path: "public/b" }))).toBe("public")
  })

  it("refuses what is not in the workspace, and hangs on nothing", async () => {
    const { call, root, data } = await stage()
    await writeFile(join(data, "secret"), "secret")
    await symlink(join(data, "secret"), join(root, "link"))
    mkfifoSync(join(root, "fifo"))
    await symlink("/dev/zero", join(root, "zero"))
    for (const path of ["../secret", "link", "/etc/passwd", "fifo", "zero", ".", "//x/y", "a\0b"])
      expect(await told(call(read, { path }))).toEqual(expect.any(String))
  })

  it("[TOL-007] reads a workspace that is itself a link", async () => {
    const { root, data, runtime, call } = await stage({ files: { a: "a" } })
    await symlink(root, join(data, "link"))
    Object.assign(runtime, { workspace_root: join(data, "link") })
    expect(await shown(call(read, { path: "a" }))).toBe("a")
    expect(await shown(call(read, { path: join(data, "link", "a") }))).toBe("a")
    expect(await told(call(write, { path: "b/c", content: "c" }))).toMatchObject({ created: true })
  })
})

describe("write and edit", () => {
  it("[COS-001] write a file, and answer with an acknowledgement", async () => {
    const { call, root } = await stage()
    expect(await told(call(write, { path: "a/b.txt", content: "new" }))).toEqual({
      path: "a/b.txt",
      bytes: 3,
      created: true,
    })
    expect(await readFile(join(root, "a/b.txt"), "utf8")).toBe("new")
    expect(await told(call(write, { path: "a/b.txt", content: "newer" }))).toMatchObject({
      created: false,
    })
  })

  it("[TOL-007] edit changes what is there now, or nothing", async () => {
    const { call, root } = await stage({ files: { a: "one two one" } })
    const one = { path: "a", old_string: "one", new_string: "1" }
    expect(await told(call(edit, one))).toMatch(/2 times/)
    expect(await told(call(edit, { ...one, old_string: "three" }))).toMatch(/does not say that/)
    expect(await told(call(edit, { ...one, path: "b" }))).toMatch(/does not exist/)
    expect(await readFile(join(root, "a"), "utf8")).toBe("one two one")
    expect(await told(call(edit, { ...one, replace_all: true }))).toMatchObject({ replaced: 2 })
    expect(
      await told(call(edit, { path: "a", old_string: "two", new_string: "$&$1" })),
    ).toMatchObject({
      replaced: 1,
    })
    expect(await readFile(join(root, "a"), "utf8")).toBe("1 $&$1 1")
  })

  it("keep a file's mode and its byte order mark", async () => {
    const { call, root } = await stage({ files: { a: "\uFEFFone" } })
    await call(edit, { path: "a", old_string: "one", new_string: "two" })
    expect(await readFile(join(root, "a"), "utf8")).toBe("\uFEFFtwo")
  })

  it("[BIN-052] leave everything outside alone", async () => {
    const { call, root, data } = await stage()
    await mkdir(join(data, "out"))
    await writeFile(join(data, "out", "a"), "a")
    await symlink(join(data, "out"), join(root, "out"))
    await symlink(join(data, "out", "a"), join(root, "a"))
    for (const path of ["../x", "out/x", "out/a", "a", "/etc/x", "."])
      expect(await told(call(write, { path, content: "x" }))).toEqual(expect.any(String))
    expect(await readFile(join(data, "out", "a"), "utf8")).toBe("a")
    await expect(stat(join(data, "out", "x"))).rejects.toThrow()
  })

  it("[SES-080] hold to what the rules deny and to what the policy keeps out", async () => {
    const { call } = await stage({ files: { ".env": "A=1" }, rules: [deny("fs.write", "lib/**")] })
    expect(await told(call(write, { path: "lib/a", content: "" }))).toMatch(/permission rules/)
    expect(await told(call(write, { path: ".env", content: "" }))).toMatch(/deny rule/)
    const guess = { path: ".env", old_string: "A=2", new_string: "A=3" }
    expect(await told(call(edit, guess))).toMatch(/deny rule/)
  })

  it("[BIN-062] meter what goes to scratch", async () => {
    const { call, scratch } = await stage({ quota: { bytes: 1000, files: 10 } })
    const path = `${scratch.path}/a.txt`
    expect(await told(call(write, { path, content: "x".repeat(900) }))).toMatchObject({
      bytes: 900,
    })
    expect(await told(call(write, { path: `${path}2`, content: "x".repeat(200) }))).toMatch(
      /is full/,
    )
  })

  it("[TOL-007] do nothing once they were aborted", async () => {
    const { call, root } = await stage({ signal: AbortSignal.abort() })
    expect(await call(write, { path: "a", content: "x" })).toMatchObject({ type: "error" })
    await expect(stat(join(root, "a"))).rejects.toThrow()
  })
})

describe("glob and grep", () => {
  const files = {
    "src/a.ts": "let a = 1\nlet needle = 2\n",
    "src/deep/b.tsx": "needle\n",
    "c.md": "no\n",
    "node_modules/x/d.ts": "needle",
    ".gitignore": "node_modules/\n*.log\n",
    ".env": "needle=1",
    "e.log": "needle",
    "bin.dat": Buffer.from([0, 1, 2, 3]),
  }

  it("list what matches, without what is ignored", async () => {
    const { call } = await stage({ files })
    const paths = async (pattern: string, path?: string) =>
      (await told(call(glob, { pattern, ...(path ? { path } : {}) }))).paths
    expect(await paths("*.ts")).toEqual(["src/a.ts"])
    expect(await paths("**/*.{ts,tsx}")).toEqual(["src/a.ts", "src/deep/b.tsx"])
    expect(await paths("src/*")).toEqual(["src/a.ts"])
    expect(await paths("*", "src/deep")).toEqual(["src/deep/b.tsx"])
    expect(await paths("*.log")).toEqual([])
    expect(await paths("*", "node_modules")).toEqual([])
    expect(await told(call(glob, { pattern: "*", path: "nowhere" }))).toMatch(/does not exist/)
  })

  it("[TOL-004] list a thousand, and keep the rest in scratch", async () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`f${at}`, ""]))
    const { call } = await stage({ files: many })
    const result = await call(glob, { pattern: "*" })
    if (result.type === "error") throw new Error(result.error_text)
    expect((result.data as { paths: string[] }).paths).toHaveLength(1000)
    const { output_path = "" } = result.metadata
    expect((await readFile(output_path, "utf8")).split("\n")).toHaveLength(1201)
  })

  it("find lines by a word or an expression", async () => {
    const { call } = await stage({ files })
    const found = async (input: object) => (await shown(call(grep, input))).split("\n")
    const both = ["src/a.ts:2:let needle = 2", "src/deep/b.tsx:1:needle"]
    expect((await found({ pattern: "needle" })).sort()).toEqual(both)
    expect((await found({ pattern: "NEE.LE$|needle =", ignore_case: true })).sort()).toEqual(both)
    expect(await found({ pattern: "needle", glob: "*.tsx" })).toEqual([both[1]])
    expect(await found({ pattern: "needle", path: "src/a.ts" })).toEqual([both[0]])
    expect(await told(call(grep, { pattern: "(" }))).toMatch(/is no regular expression/)
  })

  it("[TOL-004] show two hundred lines", async () => {
    const { call } = await stage({ files: { a: "needle\n".repeat(300) } })
    const result = await call(grep, { pattern: "needle" })
    expect(result).toMatchObject({ data: { found: 300 }, metadata: { truncated: true } })
    expect((await shown(call(grep, { pattern: "needle" }))).split("\n")).toHaveLength(200)
  })

  it("[BEY-04] take secrets out of the lines they show", async () => {
    const { call } = await stage({ files: { a: "x = AKIAIOSFODNN7EXAMPLE\n" } })
    const given = JSON.stringify(await call(grep, { pattern: "x =" }))
    expect(given).toContain("a:1:x = ")
    expect(given).not.toContain("AKIAIOSFODNN7")
  })

  it("are held by no expression, however it was made", async () => {
    const { call } = await stage({ files: { a: `${"a".repeat(40)}b` } })
    expect(await told(call(grep, { pattern: "^(a+)+$" }))).toMatch(/takes too long/)
  }, 15_000)

  it("[TOL-007] stop when they are aborted", async () => {
    const { call } = await stage({ files, signal: AbortSignal.abort() })
    expect(await call(grep, { pattern: "needle" })).toMatchObject({ type: "error" })
    expect(await call(glob, { pattern: "*" })).toMatchObject({ type: "error" })
  })
})

describe("a folder that the user gave", () => {
  async function given() {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "tree", "sub"), { recursive: true })
    await writeFile(join(folder, "tree", "a.txt"), "needle")
    await writeFile(join(folder, "tree", "sub", "b.txt"), "needle")
    await writeFile(join(folder, "secret.txt"), "needle")
    await symlink(join(folder, "secret.txt"), join(folder, "tree", "link"))
    await symlink(folder, join(folder, "tree", "up"))
    const scopes = new Scopes()
    const scope = await scopes.mint("ses_1", join(folder, "tree"))
    if (!("id" in scope)) throw new Error(scope.reason)
    const more = { scope: (id: string) => scopes.resolve("ses_1", id) }
    return { folder, scopes, scope, ...(await stage({ more })) }
  }

  it("[CMPH-003] is read, listed and searched, and nothing beside it", async () => {
    const { call, scope } = await given()
    const { id } = scope
    expect(await shown(call(read, { path: `${id}/a.txt` }))).toBe("needle")
    const { paths } = await told(call(glob, { pattern: "*.txt", path: id }))
    expect(paths).toEqual([`${id}/a.txt`, `${id}/sub/b.txt`])
    expect(await shown(call(grep, { pattern: "needle", path: id }))).toBe(
      `${id}/a.txt:1:needle\n${id}/sub/b.txt:1:needle`,
    )
    for (const path of ["link", "up/secret.txt", "../secret.txt", "up"])
      expect(await told(call(read, { path: `${id}/${path}` }))).toEqual(expect.any(String))
  })

  it("[CMPH-004] is never written", async () => {
    const { call, scope } = await given()
    const path = `${scope.id}/a.txt`
    expect(await told(call(write, { path, content: "x" }))).toMatch(/to read, not to write/)
  })

  it("[CMPH-006] fails closed for another session, after it was taken back, and when it was replaced", async () => {
    const { call, scope, scopes, folder } = await given()
    const path = `${scope.id}/a.txt`
    expect(await scopes.resolve("ses_2", scope.id)).toBeUndefined()
    expect(await new Scopes().resolve("ses_1", scope.id)).toBeUndefined()
    const { rename } = await import("node:fs/promises")
    await rename(join(folder, "tree"), join(folder, "moved"))
    await mkdir(join(folder, "tree"))
    await writeFile(join(folder, "tree", "a.txt"), "other")
    expect(await told(call(read, { path }))).toMatch(/is not available/)
    scopes.revoke("ses_1", scope.id)
    expect(scopes.list("ses_1")).toEqual([])
    expect(await told(call(read, { path: "dir_guess/a.txt" }))).toMatch(/is not available/)
  })

  it("[CMPH-001] has an id that says nothing and a name that is only shown", async () => {
    const { scope, scopes } = await given()
    expect(scope).toEqual({ id: expect.stringMatching(/^dir_[A-Za-z0-9]{20,}$/), name: "tree" })
    expect(scopes.list("ses_1")).toEqual([scope])
    expect(await scopes.mint("ses_1", "/nowhere/at/all")).toMatchObject({ type: "refused" })
  })

  it("[CMPH-005] is not listed by being given", async () => {
    const { scope } = await given()
    expect(Object.keys(scope)).toEqual(["id", "name"])
  })
})
