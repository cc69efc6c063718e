import { constants } from "node:fs"
import { open, readdir, stat } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { errorCode } from "compositor-core/message/untyped"
import { z } from "zod"

/** An editor that waits to be spoken to. */
export type EditorEndpoint =
  | {
      readonly kind: "claude"
      readonly name: string
      readonly port: number
      readonly token: string
    }
  | {
      readonly kind: "gemini"
      readonly name: string
      readonly port: number
      readonly token: string
    }

const MAX_FILES = 64
const MAX_FILE_BYTES = 64 * 1024

const Port = z.coerce.number().int().min(1).max(65_535)
const Token = z.string().min(1).max(1024)

/** `~/.claude/ide/<port>.lock` */
const Lock = z.object({
  pid: z.int().optional(),
  workspaceFolders: z.array(z.string()).default([]),
  ideName: z.string().max(200).default("editor"),
  transport: z.literal("ws").default("ws"),
  authToken: Token,
})

/** `<tmp>/gemini/ide/gemini-ide-server-<pid>-<port>.json` */
const Discovery = z.object({
  port: Port,
  workspacePath: z.string(),
  authToken: Token,
  ideInfo: z.object({ displayName: z.string().max(200).optional() }).optional(),
})

export interface EditorFolders {
  readonly home?: string
  readonly temporary?: string
}

/** The editors that have this folder open; the one that was started last comes first. */
export async function findEditors(
  workspace: string,
  places: EditorFolders = {},
): Promise<EditorEndpoint[]> {
  const { home = homedir(), temporary = tmpdir() } = places
  const locks = await filesIn(join(home, ".claude", "ide"), /^\d+\.lock$/)
  const found = await filesIn(join(temporary, "gemini", "ide"), /^gemini-ide-server-\d+-\d+\.json$/)
  const doors = [
    ...locks.flatMap(({ name, at, text }) =>
      claudeDoor(name, text, workspace).map((door) => ({ door, at })),
    ),
    ...found.flatMap(({ at, text }) => geminiDoor(text, workspace).map((door) => ({ door, at }))),
  ]
  return doors.sort((a, b) => b.at - a.at).map(({ door }) => door)
}

function claudeDoor(name: string, text: string, workspace: string): EditorEndpoint[] {
  const lock = Lock.safeParse(parsed(text)).data
  const port = Port.safeParse(name.replace(/\.lock$/, "")).data
  if (!lock || port === undefined || !isAlive(lock.pid)) return []
  if (!lock.workspaceFolders.some((folder) => holds(folder, workspace))) return []
  return [{ kind: "claude", name: lock.ideName, port, token: lock.authToken }]
}

function geminiDoor(text: string, workspace: string): EditorEndpoint[] {
  const found = Discovery.safeParse(parsed(text)).data
  if (!found || !found.workspacePath.split(":").some((folder) => holds(folder, workspace)))
    return []
  const name = found.ideInfo?.displayName ?? "editor"
  return [{ kind: "gemini", name, port: found.port, token: found.authToken }]
}

function holds(folder: string, workspace: string): boolean {
  const base = folder.replace(/\/+$/, "")
  return workspace === base || workspace.startsWith(`${base}/`)
}

interface Found {
  readonly name: string
  readonly at: number
  readonly text: string
}

/** Files that only their owner could have written, in folders that only their owner may change: who
 *  else may write there could send us anywhere. */
async function filesIn(folder: string, pattern: RegExp): Promise<Found[]> {
  const safe = await Promise.all([folder, dirname(folder)].map(isOurFolder))
  const names = safe.every(Boolean) ? await readdir(folder).catch(() => [] as string[]) : []
  const read = names
    .filter((name) => pattern.test(name))
    .slice(0, MAX_FILES)
    .map((name) => readOurs(join(folder, name), name).catch(() => []))
  return (await Promise.all(read)).flat()
}

async function isOurFolder(folder: string): Promise<boolean> {
  const about = await stat(folder).catch(() => undefined)
  return about?.isDirectory() === true && isOurs(about.uid) && (about.mode & 0o002) === 0
}

// What was opened is asked whose it is: between a look and an open, a name can come to mean another.
async function readOurs(path: string, name: string): Promise<Found[]> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const about = await file.stat()
  if (!about.isFile() || !isOurs(about.uid) || (about.mode & 0o022) !== 0) return []
  if (about.size > MAX_FILE_BYTES) return []
  return [{ name, at: about.mtimeMs, text: await file.readFile("utf8") }]
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === "EPERM"
  }
}
