import { randomUUID } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { type FileHandle, link, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { relative, resolve, sep } from "node:path"
import { errorCode } from "compositor-core/message/untyped"
import {
  refuseAsDenied,
  describeError,
  refuseAsFailed,
  isWithin,
  openedPath,
  openWithin,
  refuseOutside,
  pathThrough,
  type RefusedPath,
} from "./within.ts"

interface Mutation {
  readonly root: string
  readonly path: string
  /** Where it would be written, as the kernel names it: why not, if it may not be. Asked before the
   *  file is looked into, with no size yet, and again before it is written. */
  readonly permit?: (
    realPath: string,
    size: number,
  ) => string | undefined | Promise<string | undefined>
  /** The new content, from what is there now; null where nothing is. */
  readonly change: (current: Uint8Array | null) => Changed | Promise<Changed>
  /** More than this is not read back, and not written. */
  readonly max_bytes: number
}

export type Changed =
  | { readonly type: "content"; readonly bytes: Uint8Array }
  /** What is too large to be held in memory whole; asked for again where the first try failed. */
  | { readonly type: "stream"; readonly size: number; chunks(): AsyncIterable<Uint8Array> }
  | { readonly type: "nothing"; readonly reason: string }

export type Mutated =
  | {
      readonly type: "written"
      readonly realPath: string
      readonly size: number
      readonly created: boolean
    }
  | RefusedPath

const ATTEMPTS = 3

/** Change one file under a folder: all of it or nothing, never through a link at its end, never
 *  outside, and only if it is still what `change` was shown (TOL-007). */
export async function mutateFile(mutation: Mutation): Promise<Mutated> {
  const place = placeOf(mutation)
  if ("type" in place) return place
  try {
    const folder = await openParents(mutation, place.folders)
    if (folder.type === "refused") return folder
    try {
      return await replaceIn({ ...folder, name: place.name }, mutation)
    } finally {
      await folder.handle.close()
    }
  } catch (error) {
    return refuseAsFailed(`${mutation.path} ${describeError(error)}`)
  }
}

interface Place {
  readonly folders: readonly string[]
  readonly name: string
}

const MAX_DEPTH = 64

function placeOf({ root, path }: Mutation): Place | RefusedPath {
  // oxlint-disable-next-line no-control-regex
  if (/[\0\n]|^\\\\|^\/\//.test(path))
    return refuseAsDenied(`${path} is not a path this host writes`)
  const target = resolve(root, path)
  if (!isWithin(resolve(root), target)) return refuseOutside(path)
  const names = relative(resolve(root), target).split(sep)
  const name = names.pop() ?? ""
  if (name === "") return refuseAsFailed(`${path} is a directory`)
  if (names.length > MAX_DEPTH)
    return refuseAsFailed(`${path} lies more than ${MAX_DEPTH} folders deep`)
  return { folders: names, name }
}

interface OpenFolder {
  readonly type: "opened"
  readonly handle: FileHandle
  readonly realPath: string
  readonly realRoot: string
}

/** The folder the file lies in, made where it is missing. Every step is taken from the folder before
 *  it, and asked where it led. */
async function openParents(
  mutation: Mutation,
  names: readonly string[],
): Promise<OpenFolder | RefusedPath> {
  const { root, path } = mutation
  let folder: OpenFolder | RefusedPath = await openWithin(root, ".", "folder")
  for (const name of names) {
    if (folder.type === "refused") return folder
    const above: OpenFolder = folder
    try {
      folder = await enter(above, name, path)
    } finally {
      await above.handle.close()
    }
  }
  return folder
}

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)

async function enter(
  folder: OpenFolder,
  name: string,
  path: string,
): Promise<OpenFolder | RefusedPath> {
  const target = `${await pathThrough(folder.handle, folder.realPath)}/${name}`
  await mkdir(target, 0o755).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  const handle = await open(target, FOLDER_FLAGS)
  const realPath = await openedPath(handle, target).catch(() => undefined)
  if (realPath !== undefined && isWithin(folder.realRoot, realPath))
    return { type: "opened", handle, realPath, realRoot: folder.realRoot }
  await handle.close()
  return refuseOutside(path)
}

interface Spot extends OpenFolder {
  readonly name: string
}

async function replaceIn(spot: Spot, mutation: Mutation): Promise<Mutated> {
  const folder = await pathThrough(spot.handle, spot.realPath)
  const target = `${folder}/${spot.name}`
  const realPath = `${spot.realPath}/${spot.name}`
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await lstat(target).catch(missing)
    const refusal = refusalOf(before, mutation)
    if (refusal) return refusal
    const forbidden = await mutation.permit?.(realPath, 0)
    if (forbidden !== undefined) return refuseAsDenied(forbidden)
    const current = before ? await readCurrent(target, before) : null
    const changed = await mutation.change(current)
    if (changed.type === "nothing") return refuseAsFailed(changed.reason)
    const size = changed.type === "content" ? changed.bytes.length : changed.size
    if (size > mutation.max_bytes)
      return refuseAsFailed(
        `${mutation.path} would have ${size} bytes, more than ${mutation.max_bytes}`,
      )
    const reason = await mutation.permit?.(realPath, size)
    if (reason !== undefined) return refuseAsDenied(reason)
    const content = changed.type === "content" ? changed.bytes : changed.chunks()
    if (await land({ folder, target, before }, content))
      return { type: "written", realPath, size, created: before === undefined }
  }
  return refuseAsFailed(`${mutation.path} keeps changing while it is written`)
}

function refusalOf(
  before: Stats | undefined,
  { path, max_bytes }: Mutation,
): RefusedPath | undefined {
  if (before === undefined) return undefined
  if (before.isSymbolicLink())
    return refuseAsDenied(`${path} is a link: name the file that it leads to instead`)
  if (before.isDirectory()) return refuseAsFailed(`${path} is a directory`)
  if (!before.isFile()) return refuseAsFailed(`${path} is not a regular file`)
  if (before.size > max_bytes)
    return refuseAsFailed(`${path} has ${before.size} bytes, more than ${max_bytes}`)
  return undefined
}

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function readCurrent(target: string, { size }: Stats): Promise<Uint8Array> {
  const handle = await open(target, READ_FLAGS)
  try {
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await handle.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

interface Landing {
  readonly folder: string
  readonly target: string
  readonly before: Stats | undefined
}

const WRITE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** False when someone else was there in the meantime. */
async function land(
  { folder, target, before }: Landing,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const temporary = `${folder}/.${randomUUID()}.tmp`
  const handle = await open(temporary, WRITE_FLAGS, before ? before.mode & 0o777 : 0o644)
  try {
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
    if (!before) return await linkInto(temporary, target)
    if (!isSame(before, await lstat(target).catch(missing))) return false
    await rename(temporary, target)
    return true
  } finally {
    await handle.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
}

// A link, and not a rename: what came in the meantime is not overwritten.
async function linkInto(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target)
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false
    throw error
  }
}

function isSame(before: Stats, now: Stats | undefined): boolean {
  return (
    now !== undefined &&
    now.ino === before.ino &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs &&
    now.ctimeMs === before.ctimeMs
  )
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}
