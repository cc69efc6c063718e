import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

/** Where a newcomer works: a home with `repository.git` in it, and how a command is run there. */
export interface Ground {
  readonly name: string
  /** Runs it in the home, in a process group of its own. */
  run(command: string): ChildProcess
}

/** What is cloned: a repository, with the changes of its folder where asked. */
export interface Origin {
  readonly folder: string
  readonly with_changes: boolean
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** This machine's programs, and nothing that this user has. */
export function cleanCopy(folder: string, origin: Origin): Ground {
  const home = join(folder, "home")
  mkdirSync(home)
  cloneRepository(origin, join(home, "repository.git"))
  const env = { ...network(), ...environment(/_CA_|SSL_CERT/), ...empty(home) }
  return {
    name: "a clean copy",
    run: (command) => begin("sh", ["-c", command], { cwd: home, env }),
  }
}

const SUITE = "bookworm"
const PACKAGES = ["ca-certificates", "git", "nodejs", "npm"]
const PROGRAMS = ["git", "node", "npm"]
const CERTIFICATES = "/etc/newcomer.pem"
const ENTER = join(import.meta.dirname, "enter.sh")

/** A Debian with Node, npm and git, and nothing else; `base` is copied where there is one. */
export function bareDebian(folder: string, origin: Origin, base?: string): Ground {
  const root = join(folder, "debian")
  must("cp", ["-a", base ?? bareBase(), root])
  const env = { ...furnish(root), ...empty("/root") }
  cloneRepository(origin, join(root, "root", "repository.git"))
  return {
    name: `a bare Debian with Node ${saidBy("chroot", [root, "node", "--version"])}`,
    run: (command) => begin(...entering(root, ["sh", "-c", command]), { env }),
  }
}

/** Made once, and kept outside of the repository. */
function bareBase(): string {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
  const base = join(caches, "compositor", `bare-${SUITE}`)
  if (existsSync(base)) return base
  const making = `${base}.${process.pid}`
  mkdirSync(dirname(base), { recursive: true })
  try {
    must("debootstrap", ["--variant=minbase", SUITE, making])
    furnish(making)
    renameSync(making, base)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return base
}

/** Gives it what a newcomer has before they hear of us. Returns how it reaches the world. */
function furnish(root: string): NodeJS.ProcessEnv {
  copyFileSync("/etc/resolv.conf", join(root, "etc", "resolv.conf"))
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env
  if (certificates && existsSync(certificates)) copyFileSync(certificates, join(root, CERTIFICATES))
  else writeFileSync(join(root, CERTIFICATES), "")
  const env = { ...network(), NODE_EXTRA_CA_CERTS: CERTIFICATES }
  const lacks = PROGRAMS.some((name) => !existsSync(join(root, "usr", "bin", name)))
  if (lacks) install(root, { ...env, ...empty("/root"), DEBIAN_FRONTEND: "noninteractive" })
  return env
}

// What is there stays as it is: a base may bring a Node of its own.
function install(root: string, env: NodeJS.ProcessEnv) {
  const has = (name: string) => existsSync(join(root, "usr", "bin", name))
  const wanted = PACKAGES.filter((name) => !(has("node") && ["nodejs", "npm"].includes(name)))
  must(...entering(root, ["apt-get", "-q", "update"]), env)
  const args = ["-q", "install", "--yes", "--no-install-recommends", ...wanted]
  must(...entering(root, ["apt-get", ...args]), env)
  must(...entering(root, ["sh", "-c", "apt-get clean && rm -rf /var/lib/apt/lists/*"]), env)
}

function entering(root: string, command: readonly string[]): [string, string[]] {
  const apart = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
  return ["unshare", [...apart, "sh", ENTER, root, ...command]]
}

/** A clone as it comes from a server. Changes are in a commit on top. */
function cloneRepository({ folder, with_changes }: Origin, to: string) {
  must("git", ["clone", "--quiet", "--bare", "--no-local", folder, to])
  if (!with_changes) return
  const git = ["--git-dir", to, "--work-tree", folder, "-c", "user.name=newcomer"]
  const here = [...git, "-c", "user.email=newcomer@localhost", "-c", "core.bare=false"]
  must("git", [...here, "add", "--all", "."])
  must("git", [
    ...here,
    "commit",
    "--quiet",
    "--allow-empty",
    "--message",
    "What is not committed.",
  ])
}

/** How this machine reaches the world; where packages come from is its own business. */
function network(): NodeJS.ProcessEnv {
  const registry = saidBy("npm", ["config", "get", "registry"])
  return { ...environment(/proxy/i), npm_config_registry: registry }
}

function environment(names: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)))
}

function empty(home: string): NodeJS.ProcessEnv {
  return { HOME: home, PATH, npm_config_cache: join(home, ".npm"), LANG: "C.UTF-8", TERM: "dumb" }
}

const running = new Set<ChildProcess>()

function begin(program: string, args: readonly string[], options: object): ChildProcess {
  const stdio = ["ignore", "pipe", "inherit"] as const
  const child = spawn(program, [...args], { ...options, stdio: [...stdio], detached: true })
  child.stdout?.on("data", (text: Uint8Array) => process.stderr.write(text))
  running.add(child)
  child.on("exit", () => running.delete(child))
  return child
}

/** Ends what was begun and still runs, with all that it began. */
export function endAll() {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL")
}

function saidBy(program: string, args: readonly string[]): string {
  return spawnSync(program, [...args], { encoding: "utf8" }).stdout?.trim() ?? ""
}

function must(program: string, args: readonly string[], env = process.env) {
  const { status, error } = spawnSync(program, [...args], { stdio: ["ignore", 2, 2], env })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? status}`)
}
