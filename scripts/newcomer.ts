// `npm run newcomer`: what somebody lives through who has nothing of ours yet, timed: a clone, `npm
// start`, the first answer; a clone, `npm test`, passed. In a clean copy with an empty home and an
// empty cache of npm; with --chroot in a bare Debian that debootstrap makes (as root).

import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { table } from "../bench/figures.ts"

const ROOT = join(import.meta.dirname, "..")
const HELP = "npm run newcomer -- [--chroot] [--only start|test] [--ref commit]"
const PATIENCE_MS = 60 * 60 * 1000
const SUITE = "bookworm"
const PACKAGES = "ca-certificates,git,nodejs,npm"
const CERTIFICATES = "/etc/newcomer.pem"

const { values } = parseArgs({
  options: {
    chroot: { type: "boolean", default: false },
    only: { type: "string" },
    ref: { type: "string", default: "HEAD" },
    help: { type: "boolean", short: "h", default: false },
  },
})

if (values.help) console.log(HELP)
else process.exitCode = (await newcomer()) ? 0 : 1

/** Where a newcomer works: how a command is run there, and what must be undone. */
interface Ground {
  readonly name: string
  /** The folder as a command there sees it. */
  readonly home: string
  run(command: string): ChildProcess
  leave(): void
}

interface Step {
  readonly what: string
  readonly seconds: number
  readonly passed: boolean
}

async function newcomer(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "compositor-newcomer-"))
  let ground: Ground | undefined
  try {
    ground = values.chroot ? bareDebian(folder) : cleanCopy(folder)
    const steps = [
      ...(values.only === "test" ? [] : await started(ground)),
      ...(values.only === "start" ? [] : await tested(ground)),
    ]
    const rows = steps.map(({ what, seconds, passed }) => [
      what,
      `${seconds.toFixed(1)} s`,
      passed ? "" : "FAILED",
    ])
    console.log(table([`newcomer, ${ground.name}`, "time", ""], rows))
    return steps.every(({ passed }) => passed)
  } finally {
    ground?.leave()
    rmSync(folder, { recursive: true, force: true })
  }
}

// The two paths

async function started(ground: Ground): Promise<Step[]> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const cloned = await done(ground.run(cloneInto("first")))
  const steps: Step[] = [{ what: "clone", seconds: seconds(), passed: cloned }]
  if (!cloned) return steps
  const server = ground.run("cd first && exec npm start")
  try {
    const link = await linkIn(server)
    steps.push({ what: "clone, npm start, a link", seconds: seconds(), passed: link !== undefined })
    const answer = link === undefined ? "" : await firstAnswer(link)
    const what = "clone, npm start, the first answer"
    return [...steps, { what, seconds: seconds(), passed: answer.includes("hello") }]
  } finally {
    stop(server)
  }
}

async function tested(ground: Ground): Promise<Step[]> {
  const began = performance.now()
  const cloned = await done(ground.run(cloneInto("second")))
  const passed = cloned && (await done(ground.run("cd second && exec npm test")))
  return [{ what: "clone, npm test, passed", seconds: (performance.now() - began) / 1000, passed }]
}

function cloneInto(name: string): string {
  return `git clone --quiet repository.git ${name} && cd ${name} && git checkout --quiet ${values.ref}`
}

function done(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => child.on("close", (code) => resolve(code === 0)))
}

/** The link that a server prints once it is ready; undefined when it ends before. */
function linkIn(server: ChildProcess): Promise<string | undefined> {
  let said = ""
  return new Promise((resolve) => {
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text
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
  for (;;) {
    const { state } = (await ask(`/v1/sessions/${id}/status`)) as unknown as { state: string }
    if (state === "idle") break
    await pause(50)
  }
  const { messages } = await ask(`/v1/sessions/${id}/messages`)
  const answer = (messages as unknown as { role: string }[]).find(
    ({ role }) => role === "assistant",
  )
  return JSON.stringify(answer ?? "")
}

function stop({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGTERM")
  } catch {
    // It has ended by itself.
  }
}

// The two grounds

/** This machine's programs, and nothing that this user has. */
function cleanCopy(folder: string): Ground {
  const home = join(folder, "home")
  mkdirSync(home)
  bareClone(join(folder, "repository.git"))
  const env = { ...network(), PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", ...empty(home) }
  return {
    name: "a clean copy",
    home,
    run: (command) => shell("sh", ["-c", command], { cwd: folder, env }),
    leave: () => undefined,
  }
}

/** A Debian with Node, npm and git, and nothing else. */
function bareDebian(folder: string): Ground {
  const root = join(folder, "debian")
  must("debootstrap", ["--variant=minbase", `--include=${PACKAGES}`, SUITE, root])
  const inside = join(root, "root")
  bareClone(join(inside, "repository.git"))
  copyFileSync("/etc/resolv.conf", join(root, "etc", "resolv.conf"))
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (certificates && existsSync(certificates)) copyFileSync(certificates, join(root, CERTIFICATES))
  else writeFileSync(join(root, CERTIFICATES), "")
  must("mount", ["-t", "proc", "proc", join(root, "proc")])
  const env = {
    ...network(),
    NODE_EXTRA_CA_CERTS: CERTIFICATES,
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    ...empty("/root"),
  }
  return {
    name: `a bare ${SUITE}`,
    home: "/root",
    run: (command) => shell("chroot", [root, "sh", "-c", `cd /root && ${command}`], { env }),
    leave: () => void spawnSync("umount", [join(root, "proc")]),
  }
}

function bareClone(to: string) {
  must("git", ["clone", "--quiet", "--bare", "--no-local", ROOT, to])
}

/** How this machine reaches the world; where packages come from is its own business. */
function network(): NodeJS.ProcessEnv {
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" })
  const kept = Object.entries(process.env).filter(([name]) => /proxy|_CA_|SSL_CERT/i.test(name))
  return { ...Object.fromEntries(kept), npm_config_registry: stdout.trim() }
}

function empty(home: string): NodeJS.ProcessEnv {
  return { HOME: home, npm_config_cache: join(home, ".npm"), LANG: "C.UTF-8" }
}

function shell(program: string, args: readonly string[], options: object): ChildProcess {
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(program, [...args], { ...options, stdio: [...stdio], detached: true })
  child.stdout?.on("data", (text: Uint8Array) => process.stderr.write(text))
  return child
}

function must(program: string, args: readonly string[]) {
  const { status, error } = spawnSync(program, [...args], { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? status}`)
}
