import { createHash, randomUUID } from "node:crypto"
import { constants, readdirSync, rmSync } from "node:fs"
import { access, copyFile, mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import process from "node:process"
import { pipeline } from "node:stream/promises"
import { setImmediate as nextTurn } from "node:timers/promises"
import { createInflate, deflateSync } from "node:zlib"
import { isRunning } from "../disk/running.ts"
import { runSandboxed } from "./sandbox.ts"

interface GitStoreOptions {
  /** Folders named `.git`. */
  readonly folders: readonly string[]
  /** Files that are kept from commands: git may have copies that no commit names. */
  readonly masked: readonly string[]
  readonly isDenied: (path: string) => boolean | Promise<boolean>
  readonly writable: boolean
}

interface GitStores {
  /** Words for bubblewrap, to stand behind those that show the workspace. */
  readonly words: readonly string[]
  readonly notes: readonly string[]
  /** Bring back what was committed. */
  release(): Promise<void>
}

const MAX_REPOSITORIES = 20

/** Keep from commands what git remembers of files that the deny rules name: `git show HEAD:.env`. Where
 *  a history holds none, git's own objects are shown. Where it does, a copy without them stands in
 *  their place, and where that cannot be told, nothing does. */
export async function coverGitStores(options: GitStoreOptions): Promise<GitStores> {
  const found = await Promise.all(options.folders.map((git) => repositoriesIn(git)))
  const repositories = found.flat()
  const covers: Cover[] = []
  for (const [at, repository] of repositories.entries())
    covers.push(at < MAX_REPOSITORIES ? await cover(repository, options) : hidden(repository))
  return {
    words: covers.flatMap(({ words }) => words),
    notes: covers.flatMap(({ note }) => note ?? []),
    release: async () => {
      for (const { release } of covers) await release?.()
    },
  }
}

interface Repository {
  readonly git: string
  /** The folder that its paths begin at. */
  readonly tree: string
}

const MODULE_DEPTH = 4

/** The repository itself, and those of its submodules, which lie in it. */
async function repositoriesIn(git: string, tree = dirname(git), depth = 0): Promise<Repository[]> {
  const entries = await readdir(git, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (folders.includes("objects")) {
    const inner = await repositoriesIn(join(git, "modules"), tree, depth + 1)
    return [{ git, tree }, ...inner]
  }
  if (depth === 0 || depth > MODULE_DEPTH) return []
  const deeper = folders.map((name) => repositoriesIn(join(git, name), join(tree, name), depth + 1))
  return (await Promise.all(deeper)).flat()
}

interface Cover {
  readonly words: readonly string[]
  readonly note?: string
  readonly release?: () => Promise<void>
}

async function cover(repository: Repository, options: GitStoreOptions): Promise<Cover> {
  const store = await storeFor(repository, options)
  if (store.type === "unknown") return hidden(repository)
  if (store.type === "clean") return { words: [] }
  store.users++
  const objects = join(repository.git, "objects")
  const pack = join(store.folder, "pack")
  const words = options.writable
    ? ["--bind", store.folder, objects, "--ro-bind", pack, join(objects, "pack")]
    : ["--ro-bind", store.folder, objects]
  const release = async () => {
    if (options.writable) await bringBack(store, objects)
    store.users--
    if (store.isStale && store.users === 0) await forget(store)
  }
  return { words, release }
}

function hidden({ git }: Repository): Cover {
  const objects = join(git, "objects")
  return {
    words: ["--tmpfs", objects, "--remount-ro", objects],
    note: `git reads nothing of ${git}: whether it remembers files that are kept from commands could not be told`,
  }
}

type Store =
  | { readonly type: "clean"; readonly state: string }
  | { readonly type: "unknown"; readonly state: string }
  | CleanCopy

interface CleanCopy {
  readonly type: "copy"
  readonly state: string
  readonly folder: string
  users: number
  isStale: boolean
}

const stores = new Map<string, Promise<Store>>()

async function storeFor(repository: Repository, options: GitStoreOptions): Promise<Store> {
  const { git } = repository
  const before = await stores.get(git)
  const loose = await looseCopies(git, options.masked)
  const told = await history(repository, before?.state ?? "", loose)
  if (before !== undefined && told.state === before.state) return before
  const next = judge(repository, { ...options, ...told, loose })
  stores.set(git, next)
  if (before?.type === "copy") {
    before.isStale = true
    if (before.users === 0) await forget(before)
  }
  return next
}

/** What `git add` leaves behind of a file whose secrets were never committed. */
async function looseCopies(git: string, files: readonly string[]): Promise<string[]> {
  const names = await Promise.all(files.map((file) => blobName(file)))
  const kept = await Promise.all(
    names.map((name) => isThere(loosePath(join(git, "objects"), name))),
  )
  return names.filter((name, at) => name !== "" && kept[at])
}

async function blobName(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined) return ""
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

function loosePath(objects: string, name: string): string {
  return join(objects, name.slice(0, 2), name.slice(2))
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

const HISTORY_MS = 20_000
const MAX_HISTORY_BYTES = 64 * 1024 * 1024
/** Whoever owns the repository: it is only read, and here nothing of it can do harm. */
const TRUSTING =
  "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' GIT_NO_LAZY_FETCH=1"

interface History {
  readonly state: string
  /** Undefined where git could not tell, or it is the state that is known. */
  readonly lines: string | undefined
}

/** The name and path of every object that git can reach, unless nothing has changed. */
async function history(
  { git }: Repository,
  known: string,
  loose: readonly string[],
): Promise<History> {
  const command = [
    `${TRUSTING} GIT_DIR=${quoted(git)}; cd "$GIT_DIR" || exit 9`,
    "state=$({ git for-each-ref; git rev-parse HEAD; cksum index logs/HEAD logs/refs/stash; } 2>/dev/null | sha256sum)",
    `state="$state ${createHash("sha256").update(loose.join()).digest("hex").slice(0, 16)}"`,
    'printf "%s\\n" "$state"',
    `[ "$state" = ${quoted(known)} ] || git rev-list --objects --missing=allow-any --all --reflog --indexed-objects`,
  ].join("\n")
  const ran = await runSandboxed({
    command,
    workspace: git,
    timeout_ms: HISTORY_MS,
    max_output_bytes: MAX_HISTORY_BYTES,
  })
  if (ran.type !== "output") return { state: `unknown ${randomUUID()}`, lines: undefined }
  const end = ran.text.indexOf("\n")
  const isWhole = ran.code === 0 && !ran.truncated && end > 0
  if (!isWhole) return { state: `unknown ${randomUUID()}`, lines: undefined }
  return { state: ran.text.slice(0, end), lines: ran.text.slice(end + 1) }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

interface Judging extends GitStoreOptions, History {
  readonly loose: readonly string[]
}

async function judge(repository: Repository, about: Judging): Promise<Store> {
  const { state, lines, loose } = about
  if (lines === undefined) return { type: "unknown", state }
  const { shown, denied } = await sorted(lines, repository, about)
  for (const name of loose) denied.add(name)
  if (denied.size === 0) return { type: "clean", state }
  const folder = await copyWithout(
    repository,
    shown.filter((name) => !denied.has(name)),
    denied,
  )
  return folder === undefined
    ? { type: "unknown", state }
    : { type: "copy", state, folder, users: 0, isStale: false }
}

const PATHS_IN_A_ROW = 500

async function sorted(lines: string, { tree }: Repository, { isDenied }: GitStoreOptions) {
  const shown: string[] = []
  const denied = new Set<string>()
  const known = new Map<string, boolean>([["", false]])
  for (const line of lines.split("\n")) {
    const [name = "", path = ""] = line.split(/ (.*)/s)
    if (name === "") continue
    let verdict = known.get(path)
    if (verdict === undefined) {
      verdict = await isDenied(join(tree, path))
      known.set(path, verdict)
      if (known.size % PATHS_IN_A_ROW === 0) await nextTurn()
    }
    if (verdict) denied.add(name)
    else shown.push(name)
  }
  return { shown, denied }
}

const PACK_MS = 120_000
const PREFIX = "compositor-git-"

/** All objects but the denied ones. For each of those stands a text of ours, because git does not
 *  commit beside an object that is missing. */
async function copyWithout(
  { git }: Repository,
  shown: readonly string[],
  denied: ReadonlySet<string>,
): Promise<string | undefined> {
  sweepOnce()
  const folder = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`)
  await mkdir(folder, { mode: 0o700 })
  await mkdir(join(folder, "pack"))
  await mkdir(join(folder, "info"))
  await writeFile(join(folder, "list"), `${shown.join("\n")}\n`)
  const ran = await runSandboxed({
    command: [
      `${TRUSTING} GIT_DIR=${quoted(git)}; cd ${quoted(folder)} && set -e`,
      "git pack-objects -q --stdout --window=0 --missing=allow-any <list >pack/pack-shown.pack",
      "git index-pack pack/pack-shown.pack >/dev/null",
    ].join("\n"),
    workspace: git,
    mounts: ["--bind", folder, folder],
    timeout_ms: PACK_MS,
  })
  await rm(join(folder, "list"))
  if (ran.type === "output" && ran.code === 0) {
    for (const name of denied) await writePlaceholder(folder, name)
    return folder
  }
  await rm(folder, { recursive: true, force: true })
  return undefined
}

const PLACEHOLDER = "The deny rules keep this file from commands.\n"

async function writePlaceholder(folder: string, name: string): Promise<void> {
  const path = loosePath(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, deflateSync(`blob ${PLACEHOLDER.length}\0${PLACEHOLDER}`), { mode: 0o444 })
}

/** Objects that a command made, if they are what their names say: the texts of ours are not. */
async function bringBack({ folder }: CleanCopy, objects: string): Promise<void> {
  for (const group of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(group)) continue
    for (const { name } of await readdir(join(folder, group), { withFileTypes: true })) {
      const made = join(folder, group, name)
      const target = join(objects, group, name)
      if ((await isThere(target)) || (await nameOf(made)) !== group + name) continue
      await mkdir(dirname(target), { recursive: true })
      await copyFile(made, target, constants.COPYFILE_EXCL)
    }
  }
}

/** The name that an object's content gives it; the length of the file's name says by which sum. */
async function nameOf(path: string): Promise<string> {
  const sum = createHash(basename(path).length > 40 ? "sha256" : "sha1")
  try {
    const file = await open(path, OPEN_PLAIN)
    await pipeline(file.createReadStream(), createInflate(), sum)
    return sum.digest("hex")
  } catch {
    return ""
  }
}

// Whatever lies there under such a name: a link is not followed, and a pipe does not hold us up.
const OPEN_PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function forget({ folder }: CleanCopy): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

let isSwept = false

/** Copies that a killed server left, and ours when we end. */
function sweepOnce(): void {
  if (isSwept) return
  isSwept = true
  const remove = (isOurs: (pid: number) => boolean) => {
    for (const name of readdirSync(tmpdir())) {
      const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : NaN
      if (isOurs(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
  remove((pid) => Number.isInteger(pid) && !isRunning(pid))
  process.once("exit", () => remove((pid) => pid === process.pid))
}
