import { execFile } from "node:child_process"
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { contract } from "../../packages/core/contract/contract.ts"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const COPIED = ["packages", "apps", "package.json", "tsconfig.json", "tsconfig.web.json"]

/** A field of an answer that is called something else in a copy of the tree, and which apps read it. */
const RENAMES = [
  { file: "contract/models.ts", field: "fits", apps: ["web", "cli"] },
  { file: "contract/models.ts", field: "available", apps: ["web", "tui", "cli"] },
  { file: "contract/messages.ts", field: "stream_next_offset", apps: ["cli"] },
  { file: "contract/sessions.ts", field: "queued", apps: ["web", "cli"] },
  { file: "contract/commands.ts", field: "because", apps: ["web"] },
  { file: "message/row.ts", field: "title", apps: ["web", "tui", "cli"] },
] as const

describe("the contract", () => {
  let folder = ""
  let errors = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "compositor-contract-"))
    await copyTree(folder)
    for (const { file, field } of RENAMES) await rename(file, field)
    const terminal = await typeErrors("tsconfig.json", ["apps/cli", "apps/tui"])
    errors = terminal + (await typeErrors("tsconfig.web.json", ["apps/web"]))
  }, 240_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function rename(file: string, field: string) {
    const path = join(folder, "packages", "core", file)
    const text = await readFile(path, "utf8")
    const renamed = text.replaceAll(new RegExp(`\\b${field}:`, "g"), `${field}_renamed:`)
    expect(renamed).not.toBe(text)
    await writeFile(path, renamed)
  }

  /** What the compiler says of these folders and of all that they import. */
  async function typeErrors(config: string, include: readonly string[]): Promise<string> {
    const project = join(folder, `renamed.${config}`)
    await writeFile(project, JSON.stringify({ extends: `./${config}`, include }))
    const tsc = join(ROOT, "node_modules", ".bin", "tsc")
    const run = promisify(execFile)(tsc, ["-p", project], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    })
    return run.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
  }

  it.each(RENAMES.flatMap(({ field, apps }) => apps.map((app) => [field, app] as const)))(
    "a renamed %s breaks the type check of %s",
    (field, app) => {
      const told = errors.split("\n").filter((line) => line.startsWith(`apps/${app}/`))
      expect(told.filter((line) => line.includes(`'${field}'`))).not.toEqual([])
    },
  )

  it("has each address once", () => {
    const addresses = Object.values(contract).map(({ address }) => address)
    expect(new Set(addresses).size).toBe(addresses.length)
  })
})

/** The packages and apps, beside the same dependencies. */
async function copyTree(folder: string) {
  for (const name of COPIED)
    await cp(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)(\/|$)/.test(path.slice(ROOT.length - 1)),
    })
  const modules = join(ROOT, "node_modules")
  await mkdir(join(folder, "node_modules"))
  for (const name of await readdir(modules)) {
    // A workspace is a link to `../packages/…`: in the copy it leads to the copy.
    const target = name.startsWith("compositor-")
      ? await readlink(join(modules, name))
      : join(modules, name)
    await symlink(target, join(folder, "node_modules", name))
  }
}
