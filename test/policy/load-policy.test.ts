import { mkdir, realpath, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import type { PolicyConfig } from "../../packages/engine/policy/config.ts"
import { viewOf } from "../../packages/engine/policy/hidden.ts"
import { judgeNow as judge } from "../../packages/engine/policy/judge.ts"
import { hiddenBy, loadPolicy } from "../../packages/engine/policy/load-policy.ts"
import { temporaryFolder } from "../build.ts"

async function workspace(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await temporaryFolder())
  for (const [path, text] of Object.entries(files)) await put(root, path, text)
  return root
}

async function put(root: string, path: string, text: string) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

function reasonFor(root: string, path: string, config: PolicyConfig = {}): string | undefined {
  const verdict = judge(loadPolicy(root, config), { origin: "ref", path })
  return verdict.verdict === "deny" ? verdict.reason : undefined
}

describe("loadPolicy", () => {
  it("[BEY-04] keeps out what an ignore file of the workspace names, and says which", async () => {
    const root = await workspace({
      ".gitignore": "# built\n/dist\n",
      "src/.aiignore": "*.gen.ts\n!b.gen.ts",
    })
    expect(reasonFor(root, "dist/a.js")).toBe("dist/a.js is ignored by .gitignore (line 2: /dist)")
    expect(reasonFor(root, join(root, "src/a.gen.ts"))).toBe(
      "src/a.gen.ts is ignored by src/.aiignore (line 1: *.gen.ts)",
    )
    expect(reasonFor(root, "src/b.gen.ts")).toBeUndefined()
    expect(reasonFor(root, "a.gen.ts")).toBeUndefined()
  })

  it.each([".gitignore", ".aiignore", ".cursorignore", ".geminiignore"])(
    "[BEY-04] honours %s",
    async (name) => {
      const root = await workspace({ [name]: "hidden.txt\n" })
      expect(reasonFor(root, "a/hidden.txt")).toContain(name)
      expect(reasonFor(root, "a/shown.txt")).toBeUndefined()
      expect(reasonFor(root, "a/hidden.txt", { ignore_files: [] })).toBeUndefined()
    },
  )

  it("[BEY-04] lets no kind of ignore file bring back what another hides", async () => {
    const root = await workspace({ ".aiignore": "notes.txt", "a/.gitignore": "!notes.txt" })
    expect(reasonFor(root, "a/notes.txt")).toContain(".aiignore")
  })

  it("[BEY-04] lets no file of the workspace allow what the deny rules keep out", async () => {
    const root = await workspace({ ".gitignore": "!.env", ".aiignore": "!.env" })
    expect(reasonFor(root, ".env")).toContain("deny rule")
  })

  it("[BEY-04] reads an ignore file again once it has changed", async () => {
    const root = await workspace({ ".gitignore": "a" })
    const policy = loadPolicy(root)
    const verdict = (path: string) => judge(policy, { origin: "ref", path }).verdict
    expect([verdict("a"), verdict("b")]).toEqual(["deny", "allow"])
    await put(root, ".gitignore", "b")
    await utimes(join(root, ".gitignore"), 1, 1)
    expect([verdict("a"), verdict("b")]).toEqual(["allow", "deny"])
    await rm(join(root, ".gitignore"))
    expect([verdict("a"), verdict("b")]).toEqual(["allow", "allow"])
  })

  it("[BEY-04] counts the ignore files of the repository the workspace lies in", async () => {
    const root = await workspace({
      ".git/info/exclude": "excluded",
      ".gitignore": "*.log\n/packages/web/out\n/packages",
      "packages/.gitignore": "cache/",
      "packages/web/a": "",
    })
    const web = join(root, "packages/web")
    for (const path of ["a.log", "out/x", "b/cache/c", "excluded"])
      expect([path, reasonFor(web, path)]).toEqual([path, expect.stringContaining("ignored by")])
    // What the user opened is not hidden from him, though it is ignored as a whole.
    expect(reasonFor(web, "a")).toBeUndefined()
  })

  it("[BEY-04] judges what was opened, not what was asked for", async () => {
    const root = await workspace({
      ".env": "KEY=1",
      "a/deep/.env.local": "KEY=1",
      ".gitignore": "/out",
      "out/x": "",
    })
    await symlink(join(root, ".env"), join(root, "harmless.txt"))
    await symlink(join(root, "a/deep"), join(root, "docs"))
    await symlink(join(root, "out/x"), join(root, "shown"))
    for (const path of ["harmless.txt", "docs/.env.local", "shown"]) {
      const read = await readWorkspaceFile(root, path, { maxBytes: 1000 })
      if (read.type !== "content") throw new Error(`${path} was not read`)
      const verdict = judge(loadPolicy(root), { origin: "ref", path: read.realPath })
      expect([path, verdict.verdict]).toEqual([path, "deny"])
    }
  })

  it("[BEY-04] does not count the folders above the workspace", async () => {
    const root = await workspace({ ".env.d/ws/a.ts": "" })
    expect(reasonFor(join(root, ".env.d/ws"), join(root, ".env.d/ws/a.ts"))).toBeUndefined()
    expect(reasonFor(root, ".env.d/ws/a.ts")).toContain("deny rule")
  })

  it("[BEY-04] hides a folder whose ignore file is too large to be read", async () => {
    const root = await workspace({ "a/.aiignore": "x", "a/b": "" })
    await truncate(join(root, "a/.aiignore"), 2 * 1024 * 1024)
    expect(reasonFor(root, "a/b")).toContain("a/.aiignore")
    expect(reasonFor(root, "c")).toBeUndefined()
  })

  it("follows no link that lies in place of an ignore file, and reads no folder", async () => {
    const root = await workspace({ list: "a", ".aiignore/x": "" })
    await symlink(join(root, "list"), join(root, ".gitignore"))
    expect(reasonFor(root, "a")).toBeUndefined()
  })

  it("holds without a workspace, and with one that is gone", () => {
    expect(judge(loadPolicy(null), { origin: "paste", name: ".env" }).verdict).toBe("deny")
    expect(judge(loadPolicy("/nowhere/at/all"), { origin: "ref", path: "a" }).verdict).toBe("allow")
  })
})

describe("what a search hides", () => {
  it("[BEY-04] is what the policy keeps out", async () => {
    const root = await workspace({
      ".gitignore": "/dist\n*.log\nsrc/**/gen\n!keep.log\ncache/\n*~\nte?t[0-9]",
      "src/.gitignore": "!a.log\n/local",
      ".aiignore": "*.md\n",
    })
    const paths = [
      "dist dist.ts a.log keep.log src/a.log src/b.log src/x/y/gen gen cache x~ test1 tests local",
      "src/local src/x/local README.md .env src/ID_RSA src/x/server.pem src/config.json a",
      ".aws/credentials src/test9 src/x/keep.log srx src/gen dist/keep.log",
    ].flatMap((line) => line.split(" "))
    const policy = loadPolicy(root)
    const { settings } = hiddenBy()
    for (const path of paths) {
      const isKept = judge(policy, { origin: "ref", path }).verdict === "deny"
      expect([path, isHidden(root, path, settings)]).toEqual([path, isKept])
    }
  })

  /** Goes down to a path as a walk does. */
  function isHidden(root: string, path: string, settings: Parameters<typeof viewOf>[1]): boolean {
    const names = path.split("/")
    let view = viewOf(root, settings).with([".gitignore", ".aiignore"])
    for (const name of names.slice(0, -1)) {
      if (view.hides(name, true)) return true
      view = view.enter(name)
      if (name === "src") view = view.with([".gitignore"])
    }
    return view.hides(names.at(-1) ?? "", false)
  }

  it("[BEY-04] is also what belongs to a repository itself", async () => {
    const view = viewOf(await workspace({}), hiddenBy().settings)
    expect([".git", ".hg", ".github"].map((name) => view.hides(name, true))).toEqual([
      true,
      true,
      false,
    ])
    expect([".gitignore", ".aiignore", "a"].map((name) => view.isRule(name))).toEqual([
      true,
      true,
      false,
    ])
  })
})
