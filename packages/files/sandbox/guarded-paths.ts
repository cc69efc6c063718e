import { lstat, mkdir, readdir, readFile, readlink, rename, rmdir } from "node:fs/promises"
import { symlink, unlink, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve, sep } from "node:path"

/** What other programs run or obey by themselves when they come upon it: git, direnv, editors, other
 *  agents. A sandbox never changes it, also where all else of the workspace may be changed. */
const GUARDED_NAMES: ReadonlySet<string> = new Set(
  ".git .envrc .vscode .idea .agents .claude .cursor .codex .gemini .opencode .mcp.json .husky .githooks".split(
    " ",
  ),
)

export function isGuardedName(name: string): boolean {
  return GUARDED_NAMES.has(name.toLowerCase())
}

/** Whether a path below the workspace lies in something that is guarded. */
export function isGuarded(path: string): boolean {
  return path.split(/[\\/]/).some(isGuardedName)
}

interface Guard {
  /** Words for bubblewrap, to stand behind those that make the workspace writable. */
  readonly words: readonly string[]
  /** Take the stand-ins away, and put aside what came to be guarded meanwhile: in sentences. */
  release(found: readonly string[]): Promise<string[]>
}

/** Keep what is guarded as it is, in a workspace that may be written. What is there is mounted over
 *  itself, so that it can neither be changed nor renamed; for what is missing at the top stands an empty
 *  folder, which git does not see. `found` are the guarded paths deeper down. */
export async function guardPaths(root: string, found: readonly string[]): Promise<Guard> {
  const standIns: StandIn[] = []
  const words: string[] = []
  const known = new Map<string, Known>()
  for (const path of [...[...GUARDED_NAMES].map((name) => join(root, name)), ...found]) {
    const before = await knownAt(path)
    if (before === undefined && dirname(path) === root) standIns.push({ path, type: "folder" })
    if (before !== undefined) known.set(path, before)
    if (before?.target !== undefined) continue // A link has no mount: it is looked at afterwards.
    if (before?.is_folder && basename(path) === ".git") {
      const inside = await gitPlaces(path, root)
      standIns.push(...inside.standIns)
      words.push("--bind", path, path, ...inside.kept.flatMap(overItself))
    } else words.push(...overItself(path))
  }
  for (const standIn of standIns) await put(standIn)
  return { words, release: (after) => release({ standIns, known }, after) }
}

function overItself(path: string): string[] {
  return ["--ro-bind-try", path, path]
}

/** What was at a guarded path, so that it is recognised wherever it is afterwards. */
interface Known {
  readonly inode: bigint
  readonly is_folder: boolean
  /** Of a link: where it leads. */
  readonly target?: string
}

async function knownAt(path: string): Promise<Known | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return undefined
  const is_folder = stats.isDirectory()
  if (!stats.isSymbolicLink()) return { inode: stats.ino, is_folder }
  return { inode: stats.ino, is_folder, target: await readlink(path) }
}

interface StandIn {
  readonly path: string
  readonly type: "folder" | "file"
  readonly content?: string
}

/** Where git finds programs and settings. `commondir` says where else it looks for them: here. */
async function gitPlaces(git: string, root: string) {
  const folders = ["hooks", "info", "modules", "worktrees"].map((name) => join(git, name))
  const hooks = await hooksElsewhere(git, root)
  const standIns: StandIn[] = [
    ...[...folders, ...hooks].map((path) => ({ path, type: "folder" }) as const),
    { path: join(git, "commondir"), type: "file", content: ".\n" },
    { path: join(git, "config.worktree"), type: "file", content: "" },
  ]
  return { standIns, kept: [join(git, "config"), ...standIns.map(({ path }) => path)] }
}

/** `core.hooksPath`, where that is a folder of the workspace. */
async function hooksElsewhere(git: string, root: string): Promise<string[]> {
  const config = await readFile(join(git, "config"), "utf8").catch(() => "")
  const named = /^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1]
  const path = named === undefined ? undefined : resolve(dirname(git), named)
  return path?.startsWith(root + sep) ? [path] : []
}

/** How many runs need a stand-in now. */
const needed = new Map<string, number>()

async function put({ path, type, content = "" }: StandIn): Promise<void> {
  needed.set(path, (needed.get(path) ?? 0) + 1)
  const made = type === "folder" ? mkdir(path) : writeFile(path, content, { flag: "wx" })
  // What is there is no stand-in, and what we cannot make the sandbox cannot make either.
  await made.catch(() => undefined)
}

async function take(standIn: StandIn): Promise<void> {
  const { path } = standIn
  const left = (needed.get(path) ?? 1) - 1
  if (left > 0) return void needed.set(path, left)
  needed.delete(path)
  if (standIn.type === "folder") return removeEmpty(path)
  const content = await readFile(path, "utf8").catch(() => undefined)
  if (content === standIn.content) await unlink(path).catch(() => undefined)
}

async function removeEmpty(path: string): Promise<void> {
  const entries = await readdir(path).catch(() => [""])
  if (entries.length === 0) await rmdir(path).catch(() => undefined)
}

interface Held {
  readonly standIns: readonly StandIn[]
  readonly known: ReadonlyMap<string, Known>
}

async function release({ standIns, known }: Held, after: readonly string[]): Promise<string[]> {
  for (const standIn of standIns) await take(standIn)
  const inodes = new Set([...known.values()].map(({ inode }) => inode))
  const notes: string[] = []
  for (const path of new Set([...known.keys(), ...after])) {
    const now = await knownAt(path)
    if (now !== undefined && !isSame(now, known.get(path), inodes)) notes.push(await putAside(path))
    const { target } = known.get(path) ?? {}
    if (target !== undefined) await symlink(target, path).catch(() => undefined)
  }
  return notes
}

function isSame(now: Known, before: Known | undefined, inodes: ReadonlySet<bigint>): boolean {
  if (now.target !== undefined || before?.target !== undefined) return now.target === before?.target
  return inodes.has(now.inode)
}

const ASIDE = ".from-sandbox"

/** Nothing is lost: it only has a name that nobody obeys. */
async function putAside(path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const aside = `${path}${ASIDE}${count > 1 ? `-${count}` : ""}`
    if ((await knownAt(aside)) !== undefined) continue
    await rename(path, aside)
    return `${path} is obeyed by other programs and was not there before: it is now ${aside}`
  }
}
