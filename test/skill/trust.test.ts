import { chmod, readdir, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { expand } from "../../packages/core/catalog/expand.ts"
import { TrustStore } from "../../packages/engine/skills/trust.ts"
import { catalogOf, emptyWorkspace, look, write } from "./workspace.ts"

async function stage() {
  const workspace = await emptyWorkspace()
  const command = join(workspace.project, ".claude/commands/a.md")
  const skill = join(workspace.project, ".agents/skills/s/SKILL.md")
  await write(workspace.project, {
    ".claude/commands/a.md": "Hello $0",
    ".agents/skills/s/SKILL.md": "---\ndescription: d\n---\nRun scripts/x.sh",
    ".agents/skills/s/scripts/x.sh": "echo good",
  })
  const folder = join(workspace.folder, "data/trust")
  const trust = new TrustStore(folder)
  async function trusted(name: string): Promise<string | undefined> {
    const found = await look(workspace, { trust: new TrustStore(folder) })
    return catalogOf(found).get(name)?.trust
  }
  return { workspace, command, skill, folder, trust, trusted }
}

describe("TrustStore", () => {
  it("[BEY-06] lists what came with the project, but leaves it inert until it is trusted", async () => {
    const { workspace, command, trust, trusted } = await stage()
    const before = catalogOf(await look(workspace, { trust })).get("a")
    expect(before && expand(before, "x")).toMatchObject({ type: "refused", code: "untrusted" })
    expect(await trust.trust(command)).toMatchObject({ type: "trusted", pin: { path: command } })
    expect(await trusted("a")).toBe("trusted")
    expect(await trusted("s")).toBe("untrusted")
  })
  it("[BEY-06] asks again after any change", async () => {
    const { command, trust, trusted } = await stage()
    await trust.trust(command)
    await writeFile(command, "Hello $0!")
    expect(await trusted("a")).toBe("untrusted")
    await writeFile(command, "Hello $0")
    expect(await trusted("a")).toBe("trusted")
  })
  it("[BEY-06] pins a skill with all its files", async () => {
    const { skill, trust, trusted } = await stage()
    const script = join(skill, "../scripts/x.sh")
    await trust.trust(skill)
    expect(await trusted("s")).toBe("trusted")
    await writeFile(script, "echo evil")
    expect(await trusted("s")).toBe("untrusted")
    await writeFile(script, "echo good")
    expect(await trusted("s")).toBe("trusted")
    await writeFile(join(skill, "../new.sh"), "")
    expect(await trusted("s")).toBe("untrusted")
    await rm(join(skill, "../new.sh"))
    await rm(script)
    await symlink("/etc/hostname", script)
    expect(await trusted("s")).toBe("untrusted")
  })
  it("pins nothing that cannot be looked through", async () => {
    const { skill, trust } = await stage()
    await symlink("/tmp", join(skill, "../away"))
    expect(await trust.trust(skill)).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("more than can be pinned"),
    })
    await rm(join(skill, "../away"))
    await write(join(skill, ".."), { "1/2/3/4/5/6/7/8/9": "deep" })
    expect(await trust.trust(skill)).toMatchObject({ type: "refused" })
  })
  it("pins nothing other than what was shown", async () => {
    const { command, trust, trusted } = await stage()
    expect(await trust.trust(command, "sha256:other")).toEqual({
      type: "refused",
      reason: `${command} changed since it was shown`,
    })
    expect(await trust.trust(join(command, "gone"))).toMatchObject({ type: "refused" })
    expect(await trusted("a")).toBe("untrusted")
  })
  it("takes a pin for one path only, and takes it back", async () => {
    const { workspace, command, trust, trusted } = await stage()
    await trust.trust(command)
    await write(workspace.project, { ".claude/commands/b.md": "Hello $0" })
    expect(await trusted("b")).toBe("untrusted")
    expect((await trust.list()).map(({ path }) => path)).toEqual([command])
    await trust.untrust(command)
    expect(await trusted("a")).toBe("untrusted")
    expect(await trust.list()).toEqual([])
  })
  it("trusts nothing by a pin it cannot read", async () => {
    const { command, trust, folder, trusted } = await stage()
    await trust.trust(command)
    const [name = ""] = await readdir(folder)
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    await chmod(join(folder, name), 0o600)
    await writeFile(join(folder, name), "{")
    expect(await trusted("a")).toBe("untrusted")
    expect(await trust.list()).toEqual([])
  })
})
