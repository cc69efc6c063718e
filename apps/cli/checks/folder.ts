import { access, constants, readFile, stat, statfs } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import process from "node:process"
import { errorMessage } from "compositor-core/message/untyped"
import { showSize } from "../show.ts"
import { version } from "../version.ts"
import { type CheckFinding, fine, findMissing, findWrong } from "./finding.ts"

const MEGABYTE = 1024 * 1024
const LEAST_FREE_BYTES = 512 * MEGABYTE
const LITTLE_FREE_BYTES = 2048 * MEGABYTE
const LEAST_FREE_FILES = 1000
const USUAL_PORT = 4747

/** The data folder, what lies in it, and where its server listens. */
export async function folderFindings(folder: string): Promise<CheckFinding[]> {
  return [
    await dataFinding(folder),
    await spaceOf(folder),
    await privateFinding("token", join(folder, "token"), "none yet: the first server makes it"),
    await settingsFinding(folder),
    ...(await serverFindings(folder)),
  ]
}

async function dataFinding(folder: string): Promise<CheckFinding> {
  const about = "data folder"
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) return absent(folder, found)
  if (!found.isDirectory())
    return findWrong(
      about,
      `${folder} is a file`,
      "move it away, or name another folder with --data",
    )
  const user = process.getuid?.()
  if (user !== undefined && found.uid !== user)
    return findWrong(
      about,
      `${folder} belongs to user ${found.uid}`,
      `sudo chown -R ${user} ${folder}`,
    )
  const reachable = await may(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  if (!reachable)
    return findWrong(about, `${folder} may not be read and written by you`, `chmod u+rwx ${folder}`)
  const far = await networkDisk(folder)
  if (far !== undefined)
    return findWrong(
      about,
      `${folder} lies on ${far}, where a database of SQLite can be damaged`,
      "keep it on a disk of this machine (--data, COMPOSITOR_DATA), or use --store postgres://…",
    )
  return mended(folder)
}

/** What others could look at is shut at once, and told. */
async function mended(folder: string): Promise<CheckFinding> {
  const about = "data folder"
  const { makePrivate } = await import("compositor-files/disk/private-folder")
  const changed = await makePrivate(folder, true).catch((error: Error) => error)
  if (changed instanceof Error)
    return findWrong(about, changed.message, "nothing starts before this is mended")
  if (changed.length === 0) return fine(about, `${folder}: only you may look into it`)
  const names = changed.slice(0, 3).join(", ")
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ""
  return findMissing(about, `${folder}: others could look at ${names}${more}; now only you can`)
}

async function absent(folder: string, error: NodeJS.ErrnoException): Promise<CheckFinding> {
  const about = "data folder"
  if (error.code !== "ENOENT")
    return findWrong(
      about,
      `${folder}: ${error.message}`,
      "make it reachable, or name another: --data",
    )
  const parent = await nearest(dirname(folder))
  if (await may(parent, constants.W_OK | constants.X_OK))
    return findMissing(
      about,
      `${folder} is not there yet: the first command that needs it makes it`,
    )
  return findWrong(
    about,
    `${folder} is not there, and you may not make it in ${parent}`,
    "name another folder: --data or COMPOSITOR_DATA",
  )
}

async function nearest(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  return found || folder === dirname(folder) ? folder : nearest(dirname(folder))
}

async function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}

/** Kinds of file systems, as the kernel numbers them. */
const NETWORK_DISKS = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "a Windows share"],
  [0xfe534d42, "a Windows share"],
  [0x517b, "a Windows share"],
])

async function networkDisk(folder: string): Promise<string | undefined> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk && NETWORK_DISKS.get(disk.type)
}

async function spaceOf(folder: string): Promise<CheckFinding> {
  const disk = await statfs(await nearest(folder)).catch(() => undefined)
  if (!disk) return findMissing("free space", "unknown")
  return spaceFinding(folder, disk)
}

interface Disk {
  readonly bavail: number
  readonly bsize: number
  /** Files that can still be made; a file system that does not count them says none of none. */
  readonly ffree: number
  readonly files: number
}

export function spaceFinding(folder: string, { bavail, bsize, ffree, files }: Disk): CheckFinding {
  const about = "free space"
  const free = bavail * bsize
  const says = `${showSize(free)} beside ${folder}`
  const mend =
    "make room: compositor vacuum gives back what was deleted, or move the folder (--data)"
  if (free < LEAST_FREE_BYTES) return findWrong(about, `${says}: too little`, mend)
  if (files > 0 && ffree < LEAST_FREE_FILES)
    return findWrong(
      about,
      `${ffree} more files fit beside ${folder}`,
      "delete files you do not need",
    )
  if (free < LITTLE_FREE_BYTES) return findMissing(about, `${says}: not much`, mend)
  return fine(about, says)
}

/** A file that holds a secret, and who may read it. */
async function privateFinding(about: string, path: string, none: string): Promise<CheckFinding> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return findMissing(about, none)
  if ((found.mode & 0o077) !== 0)
    return findWrong(about, `${path}: others may read it`, `chmod 600 ${path}`)
  return fine(about, `${path}: only you may read it`)
}

async function settingsFinding(folder: string): Promise<CheckFinding> {
  const about = "settings"
  const path = join(folder, "config.json")
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => error)
  const mend = `mend ${path}, or move it away: nothing starts as long as it does not fit`
  if (text instanceof Error) {
    if (text.code === "ENOENT") return fine(about, "none: everything is as usual")
    return findWrong(about, `${path} cannot be read: ${text.message}`, `chmod 600 ${path}`)
  }
  try {
    JSON.parse(text)
  } catch (error) {
    return findWrong(about, `${path} is not JSON: ${errorMessage(error)}`, mend)
  }
  try {
    const { readEngineSettings: readHouseSettings } = await import(
      "compositor-engine/host/settings"
    )
    await readHouseSettings(folder)
  } catch (error) {
    return findWrong(about, errorMessage(error), mend)
  }
  return fine(about, path)
}

/** The file in which a server says where it lives, and the port that the next one would take. */
async function serverFindings(folder: string): Promise<CheckFinding[]> {
  const { findServer, Registration } = await import("compositor-server/registration")
  const about = "server"
  const path = join(folder, "server.json")
  const text = await readFile(path, "utf8").catch(() => undefined)
  if (text === undefined)
    return [fine(about, "none lives here: commands do without"), await portFinding()]
  const said = Registration.safeParse(parsed(text)).data
  if (!said)
    return [
      findMissing(
        about,
        `${path} cannot be understood: a server that lives is not found`,
        `rm ${path}`,
      ),
      await portFinding(),
    ]
  const alive = await findServer(folder)
  if (!alive) return [await staleFinding(path, said), await portFinding()]
  const open = await privateFinding(about, path, "")
  if (open.state === "wrong") return [open]
  if (alive.version !== version())
    return [
      findMissing(
        about,
        `${alive.url} is version ${alive.version}, this command ${version()}`,
        `start it anew: kill ${alive.pid}, then compositor serve`,
      ),
    ]
  return [fine(about, `${alive.url} (process ${alive.pid})`)]
}

async function staleFinding(
  path: string,
  { pid, url }: { readonly pid: number; readonly url: string },
): Promise<CheckFinding> {
  const { isRunning } = await import("compositor-files/disk/running")
  const about = "server"
  if (!isRunning(pid))
    return findMissing(
      about,
      `${path} names process ${pid}, which is gone`,
      `nothing is lost by it; the next server writes it anew, or: rm ${path}`,
    )
  return findWrong(
    about,
    `process ${pid} lives, and nothing answers at ${url}`,
    `look what it is (ps -p ${pid}); where it is no server of ours: rm ${path}`,
  )
}

export async function portFinding(port = USUAL_PORT): Promise<CheckFinding> {
  const about = "port"
  const fault = await listenFault(port)
  if (fault === undefined) return fine(about, `${port} is free`)
  return findMissing(
    about,
    `${port} is taken (${fault}): serve takes another one, and its link is another`,
    `end what listens there (ss -ltnp sport = :${port}), or choose: compositor serve --port <number>`,
  )
}

function listenFault(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(undefined)))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
