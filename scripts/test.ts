// `npm test`: gives the machine what the chosen suites need, builds the page, and runs them.
// Arguments are vitest's: `npm test -- test/house.test.ts -t upstairs`.

import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { parseCLI, startVitest } from "vitest/node"
import { DEBIAN_PACKAGES, type DebianPackage, inPath, missing } from "../test/machine.ts"
import { buildPage } from "./build.ts"
import { scan } from "./house-rules.ts"

const root = join(import.meta.dirname, "..")

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)])
equip(packagesNeededBy(suites(filter)))
const isPageBuilt = await buildPage().then(() => true, complain)
const vitest = await startVitest(filter, { ...options, root, watch: false })
if (!isPageBuilt) process.exitCode = 1
await vitest.exit()

function complain(error: unknown): boolean {
  console.error(error)
  return false
}

// What the suites need

function suites(filters: readonly string[]): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((path) => join(root, "test", path))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter)))
}

function packagesNeededBy(files: readonly string[]): DebianPackage[] {
  const texts = [...reachableFrom(files)].map((file) => readFileSync(file, "utf8"))
  return DEBIAN_PACKAGES.filter((name) => texts.some((text) => text.includes(`missing("${name}")`)))
}

// A set grows while it is walked, so this follows the imports of the imports as well.
function reachableFrom(files: readonly string[]): Set<string> {
  const reached = new Set(files)
  for (const file of reached) {
    for (const { specifier } of scan(file, readFileSync(file, "utf8")).imports) {
      const target = join(dirname(file), specifier)
      if (specifier.startsWith(".") && isTestCode(target)) reached.add(target)
    }
  }
  return reached
}

function isTestCode(path: string): boolean {
  return path.startsWith(join(root, "test")) && /\.tsx?$/.test(path) && existsSync(path)
}

// What the machine lacks

function equip(needed: readonly DebianPackage[]): void {
  // Who says what is missing has decided what to skip: nothing is installed.
  if (process.env["COMPOSITOR_MISSING"] !== undefined) return
  const absent = needed.filter(missing)
  if (absent.length === 0) return
  if (mayInstall()) installEach(absent)
  else advise(absent)
  process.env["COMPOSITOR_MISSING"] = needed.filter(missing).join(" ")
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && inPath("apt-get") !== undefined
}

function advise(absent: readonly DebianPackage[]): void {
  const command = `sudo apt-get install -y --no-install-recommends ${absent.join(" ")}`
  console.error(`The suites that need ${absent.join(" and ")} are skipped. To run them: ${command}`)
}

function installEach(absent: readonly DebianPackage[]): void {
  aptGet("Updating the list of Debian packages", ["update"])
  for (const name of absent) {
    aptGet(`Installing ${name}`, ["install", "-y", "--no-install-recommends", name])
    if (missing(name)) console.error(`The suites that need ${name} are skipped.`)
  }
}

function aptGet(what: string, args: readonly string[]): void {
  const began = Date.now()
  process.stderr.write(`${what} … `)
  const { status, stdout, stderr } = spawnSync("apt-get", ["-q", ...args], {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  })
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  process.stderr.write(`${status === 0 ? "done" : "failed"} after ${seconds} s\n`)
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
}
