import { rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Discovery } from "../../packages/engine/skills/discover.ts"
import { TrustStore } from "../../packages/engine/skills/trust.ts"
import { CommandWatcher, type WatchOptions } from "../../packages/engine/skills/watch.ts"
import { catalogOf, emptyWorkspace, namesOf, options, write } from "./workspace.ts"

async function stage(rest: Partial<WatchOptions> = {}) {
  const workspace = await emptyWorkspace()
  await write(workspace.project, { ".claude/commands/a.md": "one" })
  const changes: Discovery[] = []
  const watcher = await CommandWatcher.start({
    ...options(workspace),
    onChange: (discovery) => changes.push(discovery),
    ...rest,
  })
  onTestFinished(() => watcher.close())
  async function becomes(...names: string[]): Promise<void> {
    await vi.waitFor(() => expect(namesOf(watcher.current)).toEqual(names), {
      timeout: 5000,
      interval: 20,
    })
  }
  return { workspace, watcher, changes, becomes }
}

describe.each([
  ["listening", {}],
  ["polling", { pollMs: 50 }],
])("CommandWatcher, %s", (_way, how) => {
  it("[BEY-06] sees files written, changed, renamed and removed", async () => {
    const { workspace, watcher, becomes } = await stage(how)
    const folder = join(workspace.project, ".claude/commands")
    await writeFile(join(folder, "b.md"), "two")
    await becomes("a", "b")
    await writeFile(join(folder, "b.md"), "three")
    await vi.waitFor(
      () => expect(catalogOf(watcher.current).get("b")).toMatchObject({ body: "three" }),
      5000,
    )
    await rename(join(folder, "b.md"), join(folder, "c.md"))
    await becomes("a", "c")
    await rm(join(folder, "a.md"))
    await becomes("c")
  })
  it("[BEY-06] sees places that were not there", async () => {
    const { workspace, becomes } = await stage(how)
    await write(workspace.folder, {
      "project/.gemini/commands/deep/g.toml": 'prompt = "x"',
      "home/.agents/skills/s/SKILL.md": "---\ndescription: d\n---\nx",
      "project/opencode.json": '{ "command": { "o": { "template": "x" } } }',
    })
    await becomes("a", "o", "deep:g", "s")
    await rm(join(workspace.project, ".gemini"), { recursive: true })
    await becomes("a", "o", "s")
  })
})

describe("CommandWatcher", () => {
  it("goes on listening at a folder that was removed and made again", async () => {
    const { workspace, becomes } = await stage()
    const folder = join(workspace.project, ".claude")
    await rm(folder, { recursive: true })
    await write(workspace.project, { ".claude/commands/b.md": "two" })
    await becomes("b")
    await write(workspace.project, { ".claude/commands/c.md": "three" })
    await becomes("b", "c")
  })
  it("tells of one change once, and of none never", async () => {
    const { workspace, changes, becomes } = await stage()
    await write(workspace.project, { "unrelated.txt": "x", ".claude/commands/b.md": "two" })
    await becomes("a", "b")
    await write(workspace.project, { ".claude/commands/b.md": "two", "unrelated.txt": "y" })
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(changes.map(namesOf)).toEqual([["a", "b"]])
  })
  it("sees trust when it is asked to look again", async () => {
    const workspace = await emptyWorkspace()
    await write(workspace.project, { ".claude/commands/a.md": "one" })
    const trust = new TrustStore(join(workspace.folder, "trust"))
    const watcher = await CommandWatcher.start({
      ...options(workspace, { trust }),
      onChange: () => {},
    })
    onTestFinished(() => watcher.close())
    await trust.trust(join(workspace.project, ".claude/commands/a.md"))
    expect(catalogOf(await watcher.refresh()).get("a")?.trust).toBe("trusted")
  })
  it("is silent once closed", async () => {
    const { workspace, watcher, changes } = await stage()
    watcher.close()
    await write(workspace.project, { ".claude/commands/b.md": "two" })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await watcher.refresh()
    expect(changes).toEqual([])
  })
})
