import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { errorCode, errorMessage } from "compositor-core/message/untyped"

export interface RefusedPath {
  readonly type: "refused"
  readonly outcome: "denied" | "failed"
  /** One sentence that names the path. */
  readonly reason: string
}

interface OpenedWithin {
  readonly type: "opened"
  readonly handle: FileHandle
  readonly stats: Stats
  /** What was opened, as the kernel names it. */
  readonly realPath: string
  readonly realRoot: string
}

// Not blocking: a FIFO without a writer would hold the reader for ever.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const FOLDER = READ | (constants.O_DIRECTORY ?? 0)

/** Open what a path under `root` leads to, or say why not. It is opened first and then asked where it
 *  lies: a path that is checked before it is opened can lead elsewhere by the time it is used. Whoever
 *  gets a handle closes it. */
export async function openWithin(
  root: string,
  path: string,
  kind: "file" | "folder",
): Promise<OpenedWithin | RefusedPath> {
  if (NOT_PORTABLE.test(path)) return refuseAsDenied(`${path} is not a path this host reads`)
  try {
    const realRoot = await realpath(root)
    const target = resolve(realRoot, path)
    if (!isWithin(realRoot, target) && !isWithin(resolve(root), target)) return refuseOutside(path)
    return await openTarget({ realRoot, target, path }, kind)
  } catch (error) {
    return refuseAsFailed(`${path} ${describeError(error)}`)
  }
}

/** A NUL, and the Windows prefixes that leave the file system: devices, NT objects, UNC shares. */
// oxlint-disable-next-line no-control-regex
const NOT_PORTABLE = /\0|^\\\\|^\/\/|^\\\?\?\\/

export function isWithin(root: string, path: string): boolean {
  const between = relative(root, path)
  return between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

interface Target {
  readonly realRoot: string
  readonly target: string
  readonly path: string
}

async function openTarget(
  { realRoot, target, path }: Target,
  kind: "file" | "folder",
): Promise<OpenedWithin | RefusedPath> {
  const handle = await open(target, kind === "folder" ? FOLDER : READ)
  try {
    const stats = await handle.stat()
    const realPath = await openedPath(handle, target)
    const refusal = refusalOf({ realRoot, realPath, path, stats, kind })
    if (refusal === undefined && realPath !== undefined)
      return { type: "opened", handle, stats, realPath, realRoot }
    await handle.close()
    return refusal ?? refuseOutside(path)
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface Found {
  readonly realRoot: string
  readonly realPath: string | undefined
  readonly path: string
  readonly stats: Stats
  readonly kind: "file" | "folder"
}

function refusalOf({ realRoot, realPath, path, stats, kind }: Found): RefusedPath | undefined {
  if (realPath === undefined) return refuseAsDenied(`${path} changed while it was opened`)
  if (!isWithin(realRoot, realPath)) return refuseOutside(path)
  if (kind === "file" && stats.isDirectory()) return refuseAsFailed(`${path} is a directory`)
  if (kind === "file" && !stats.isFile()) return refuseAsFailed(`${path} is not a regular file`)
  return undefined
}

/** The path of what was opened. Without /proc, the path counts only if it still leads to the same
 *  file. */
export async function openedPath(
  handle: FileHandle,
  target: string,
  descriptors = DESCRIPTORS,
): Promise<string | undefined> {
  const link = await readlink(`${descriptors}/${handle.fd}`).catch(() => undefined)
  if (link !== undefined) return link.endsWith(DELETED) ? nameBeforeDeletion(link) : link
  const [found, opened] = await Promise.all([realpath(target), handle.stat()])
  const now = await stat(found)
  return now.dev === opened.dev && now.ino === opened.ino ? found : undefined
}

/** Where Linux says what is open. */
const DESCRIPTORS = "/proc/self/fd"
const DELETED = " (deleted)"

// The kernel adds a word to the name of what is gone: rules about names must not see it. A file may
// also be called so.
async function nameBeforeDeletion(link: string): Promise<string> {
  const exists = await lstat(link).then(
    () => true,
    () => false,
  )
  return exists ? link : link.slice(0, -DELETED.length)
}

/** A path that leads through the folder that is open, wherever that has gone since: with /proc nobody
 *  can put another folder in its place. */
export async function pathThrough(handle: FileHandle, realPath: string): Promise<string> {
  const path = `${DESCRIPTORS}/${handle.fd}`
  const link = await readlink(path).catch(() => undefined)
  return link === undefined ? realPath : path
}

export function refuseOutside(path: string): RefusedPath {
  return refuseAsDenied(`${path} is outside the workspace`)
}

export function refuseAsDenied(reason: string): RefusedPath {
  return { type: "refused", outcome: "denied", reason }
}

export function refuseAsFailed(reason: string): RefusedPath {
  return { type: "refused", outcome: "failed", reason }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read by this process",
  EPERM: "may not be read by this process",
  ELOOP: "is a circle of links",
  ENXIO: "is not a regular file",
  EISDIR: "is a directory",
  EROFS: "lies where nothing can be written",
  ENOSPC: "could not be written: the disk is full",
  EDQUOT: "could not be written: the disk is full",
  ENAMETOOLONG: "has too long a name",
  EMFILE: "could not be opened: too many files are open",
}

export function describeError(error: unknown): string {
  const [code, message] = [errorCode(error), errorMessage(error)]
  return (code && SENTENCES[code]) || `could not be read: ${code ?? message}`
}
