// `npm test`: gives the machine what the chosen suites need, builds the page and the program, starts one
// PostgreSQL and one Chromium for all of them, and runs them. Without CI=true and without arguments long
// suites are drawn by lot (test/selection.ts). Arguments are vitest's:
//   npm test -- test/house.test.ts -t upstairs
//   npm test -- --changed

import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import process from "node:process"
import { parseCLI, startVitest } from "vitest/node"
import { startChromium } from "../test/chromium.ts"
import { DEBIAN_PACKAGES, type DebianPackage, inPath, missing } from "../test/machine.ts"
import { startPostgres } from "../kit/torture/postgres.ts"
import { buildPage, buildProgram } from "./build.ts"
import { scan } from "./house-rules.ts"

const root = join(import.meta.dirname, "..")

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)])
const isPart = filter.length > 0 || options.changed !== undefined
// Who asks for what has changed wants an answer in seconds.
if (!options.changed) equip(packagesNeededBy(suites(filter)))
const isBuilt = await build().then(() => true, complain)
const stops = await startServices()
drawSuites()
const vitest = await startVitest(filter, { ...options, root, watch: false })
if (!isBuilt) process.exitCode = 1
await Promise.all(stops.map((stop) => stop()))
await vitest.exit()

function complain(error: unknown): boolean {
  console.error(error)
  return false
}

async function build(): Promise<void> {
  await buildPage()
  // Building takes longer than the few starts of a file or two save.
  if (!isPart) process.env["COMPOSITOR_TEST_MAIN"] = await buildProgram()
}

/** What many suites would each start for themselves. A few do. */
async function startServices(): Promise<(() => Promise<void>)[]> {
  if (isPart) return []
  const stops: (() => Promise<void>)[] = []
  if (!missing("postgresql")) {
    const server = await startPostgres({ durable: false })
    process.env["COMPOSITOR_TEST_POSTGRES"] = server.url
    stops.push(() => server.stop())
  }
  if (!missing("chromium")) {
    const server = await startChromium()
    process.env["COMPOSITOR_TEST_CHROMIUM"] = server.wsEndpoint()
    stops.push(() => server.close())
  }
  return stops
}

function drawSuites(): void {
  if (process.env["CI"] || isPart || options.testNamePattern) return
  const seed = process.env["COMPOSITOR_TEST_SEED"] ?? String(Date.now() % 1_000_000)
  process.env["COMPOSITOR_TEST_DRAW"] = seed
  console.error(
    `Long suites are drawn by lot, with COMPOSITOR_TEST_SEED=${seed}. CI=true npm test runs everything.`,
  )
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
