// `npm run newcomer`: what somebody lives through who has nothing of ours yet, timed: a clone, `npm
// start`, the first answer; a clone, `npm test`, passed. In a clean copy with an empty home and an
// empty cache of npm; with --bare in a Debian that debootstrap makes (as root). `docs/figures.md`
// keeps what was found.

import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { table } from "../kit/bench/figures.ts"
import { describeCommit, describeMachine, nameOfCommit, showMachine } from "../kit/bench/machine.ts"
import { keepFigures } from "./figures.ts"
import { bareDebian, cleanCopy, endAll, type Ground } from "./newcomer/ground.ts"

const HELP = `npm run newcomer -- [options]
  --bare               in a bare Debian; without, in a clean copy on this machine
  --base <folder>      the bare Debian to copy; without, one is made by debootstrap and kept
  --only start|test    one of the two paths
  --from <folder>      the repository that is cloned (this one)
  --ref <commit>       what is checked out (HEAD)
  --changes            with what is not committed there`
const PATIENCE_MS = 60 * 60 * 1000
const ANSWER_MS = 60 * 1000
const INTERRUPTED = 130
const HEADINGS = ["newcomer", "time", "figure", "gate"]

const { values } = parseArgs({
  options: {
    bare: { type: "boolean", default: false },
    base: { type: "string" },
    only: { type: "string" },
    from: { type: "string", default: join(import.meta.dirname, "..") },
    ref: { type: "string", default: "HEAD" },
    changes: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
})

interface Step {
  readonly what: string
  readonly seconds: number
  readonly figure: string
  readonly passed: boolean
}

async function newcomer(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "compositor-newcomer-"))
  const leave = () => {
    endAll()
    rmSync(folder, { recursive: true, force: true })
    process.exit(INTERRUPTED)
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave)
  try {
    const { bare, base, only } = values
    const origin = { folder: values.from, with_changes: values.changes }
    const ground = bare ? bareDebian(folder, origin, base) : cleanCopy(folder, origin)
    const paths = PATHS.filter(({ name }) => only === undefined || name === only)
    if (paths.length === 0) throw new Error(`--only is start or test, and not ${only}.`)
    let isGood = true
    for (const path of paths) isGood = (await walk(path, ground)) && isGood
    return isGood
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Path {
  readonly name: string
  readonly summary: string
  walk(ground: Ground, since: () => number): Promise<Step[]>
}

const PATHS: readonly Path[] = [
  { name: "start", summary: "a clone, npm start, the first answer", walk: started },
  { name: "test", summary: "a clone, npm test, passed", walk: tested },
]

/** Walks it, tells of it, and keeps what was found. */
async function walk(path: Path, ground: Ground): Promise<boolean> {
  const [load = 0] = loadavg()
  const machine = describeMachine(tmpdir())
  const at = new Date().toISOString()
  const began = performance.now()
  const since = () => (performance.now() - began) / 1000
  const steps = await path.walk(ground, since)
  const seconds = Math.round(since() * 10) / 10
  const rows = steps.map((step) => [
    step.what,
    `${step.seconds.toFixed(1)} s`,
    step.figure,
    step.passed ? "pass" : "FAIL",
  ])
  console.log(`${showMachine(machine)}; load ${load.toFixed(2)}\n`)
  console.log(`${table(HEADINGS, rows)}\n`)
  const passed = steps.every((step) => step.passed)
  keepFigures("newcomer", {
    name: `${path.name}, ${ground.name}`,
    summary: path.summary,
    quick: false,
    outcome: passed ? "passed" : "failed",
    tables: [{ headings: HEADINGS, rows }],
    last_words: "",
    seconds,
    at,
    load,
    machine,
    commit: values.changes ? describeCommit(values.from) : nameOfCommit(values.ref, values.from),
  })
  return passed
}

// The two paths

async function started(ground: Ground, since: () => number): Promise<Step[]> {
  const cloned = (await ended(ground.run(cloneInto("first")))).code === 0
  const steps: Step[] = [{ what: "clone", seconds: since(), figure: "", passed: cloned }]
  if (!cloned) return steps
  const server = ground.run("cd first && npm start")
  try {
    const link = await linkIn(server)
    const passed = link !== undefined
    steps.push({ what: "clone, npm start, a link", seconds: since(), figure: "", passed })
    const answer = link === undefined ? "" : await firstAnswer(link)
    const what = "clone, npm start, the first answer"
    return [
      ...steps,
      { what, seconds: since(), figure: "of the offline model", passed: answer.includes("hello") },
    ]
  } finally {
    await stop(server)
  }
}

async function tested(ground: Ground, since: () => number): Promise<Step[]> {
  const cloned = await ended(ground.run(cloneInto("second")))
  const ran = cloned.code === 0 ? await ended(ground.run("cd second && npm test")) : cloned
  const [tally = "it ended before it could count"] =
    ran.said.match(/^\d+ passed, \d+ failed$/m) ?? []
  const [skipped] = ran.said.match(/^\d+ skipped.*$/m) ?? []
  const figure = skipped === undefined ? tally : `${tally}; ${skipped}`
  return [{ what: "clone, npm test, passed", seconds: since(), figure, passed: ran.code === 0 }]
}

function cloneInto(name: string): string {
  return `git clone --quiet repository.git ${name} && cd ${name} && git checkout --quiet ${values.ref}`
}

const LAST_CHARACTERS = 4000

/** How it ended and the last that it said. */
async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-LAST_CHARACTERS)
  })
  const impatience = setTimeout(() => void stop(child), PATIENCE_MS)
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  clearTimeout(impatience)
  return { code, said }
}

/** The link that a server prints once it is ready; undefined when it ends before. */
function linkIn(server: ChildProcess): Promise<string | undefined> {
  let said = ""
  return new Promise((resolve) => {
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-LAST_CHARACTERS)
      const link = /http:\/\/\S+#token=\S+/.exec(said)?.[0]
      if (link) resolve(link)
    })
    server.on("close", () => resolve(undefined))
    setTimeout(() => resolve(undefined), PATIENCE_MS).unref()
  })
}

async function firstAnswer(link: string): Promise<string> {
  const [url = "", token = ""] = link.split("/#token=")
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const ask = async (path: string, json?: object) => {
    const sent = json ? { method: "POST", body: JSON.stringify(json) } : {}
    const response = await fetch(`${url}${path}`, { headers, ...sent })
    return (await response.json()) as Record<string, never>
  }
  const { session } = await ask("/v1/sessions", { model: "mirror" })
  const { id } = session as unknown as { id: string }
  await ask(`/v1/sessions/${id}/messages`, { parts: [{ type: "text", text: "hello" }] })
  const deadline = performance.now() + ANSWER_MS
  while (performance.now() < deadline) {
    const { state } = (await ask(`/v1/sessions/${id}/status`)) as unknown as { state: string }
    if (state === "idle") break
    await pause(50)
  }
  const { messages } = await ask(`/v1/sessions/${id}/messages`)
  const said = (messages as unknown as { role: string }[]).find(({ role }) => role === "assistant")
  return JSON.stringify(said ?? "")
}

/** Ends it with all that it began. */
async function stop(child: ChildProcess) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.on("close", resolve))
  process.kill(-child.pid, "SIGTERM")
  await closed
}

if (values.help) console.log(HELP)
else process.exitCode = (await newcomer()) ? 0 : 1
