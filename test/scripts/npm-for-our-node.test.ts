import { spawnSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../build.ts"

const PRELOAD = join(import.meta.dirname, "..", "..", "scripts", "npm-for-our-node.cjs")

describe("npm, run by an older Node", () => {
  it("takes what we install to be for ours, and packages see what runs them", async () => {
    const folder = join(await temporaryFolder(), "a folder")
    await mkdir(folder)
    const versionSeenBy = async (name: string) => {
      await writeFile(join(folder, name), "console.log(process.version)")
      const NODE_OPTIONS = `--require ${JSON.stringify(PRELOAD)}`
      const env = { ...process.env, NODE_OPTIONS, COMPOSITOR_NODE: "v98.7.6" }
      return spawnSync(process.execPath, [join(folder, name)], {
        env,
        encoding: "utf8",
      }).stdout.trim()
    }
    expect(await versionSeenBy("npm-cli.js")).toBe("v98.7.6")
    expect(await versionSeenBy("npm")).toBe("v98.7.6")
    expect(await versionSeenBy("install.js")).toBe(process.version)
  })
})
