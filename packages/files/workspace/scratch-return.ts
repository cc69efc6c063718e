import { constants } from "node:fs"
import { chmod, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { extract, type Extract, type Header } from "tar-stream"
import { removeTree } from "../disk/remove-tree.ts"
import type { ScratchQuota } from "./scratch.ts"

export type Returned =
  | { readonly type: "kept"; readonly notes: readonly string[] }
  /** More than fits: what was there before is still there. */
  | { readonly type: "refused"; readonly reason: string }

interface Folder {
  readonly path: string
  readonly quota: ScratchQuota
}

/** Everything beside a file's bytes that the stream may say of it. */
const HEADER_BYTES = 8 * 1024
const MAX_DEPTH = 32
const MAX_NAME_BYTES = 255
const MAX_NOTES = 20
const INCOMING = ".incoming"

/** Make a folder what a tar stream from the sandbox says, within its quota. Files and folders are
 *  kept, and nothing else: no link, no device, no owner. A stream that says nothing changes nothing. */
export async function takeBack(folder: Folder, tar: Readable): Promise<Returned> {
  const incoming = join(folder.path, INCOMING)
  await removeTree(incoming)
  const extractor = extract()
  const most = folder.quota.bytes + (folder.quota.files + 4) * HEADER_BYTES
  const fed = pipeline(tar, (chunks) => metered(chunks, most), extractor)
  try {
    const [taken] = await Promise.all([takeEntries(folder, incoming, extractor), fed])
    if (taken.entries > 0) await settle(folder.path, incoming)
    return { type: "kept", notes: taken.notes.slice(0, MAX_NOTES) }
  } catch (error) {
    await fed.catch(() => undefined)
    const reason = error instanceof Error ? error.message : String(error)
    return { type: "refused", reason }
  } finally {
    await removeTree(incoming)
  }
}

async function* metered(chunks: AsyncIterable<Buffer>, most: number): AsyncIterable<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new Error("it left more in scratch than fits")
    yield chunk
  }
}

async function takeEntries({ quota }: Folder, incoming: string, extractor: Extract) {
  const notes: string[] = []
  let entries = 0
  let bytes = 0
  for await (const entry of extractor) {
    const { name, type, size } = entry.header
    entries += 1
    bytes += size
    if (entries > quota.files + 1) throw new Error(`it left more than ${quota.files} files`)
    if (bytes > quota.bytes) throw new Error(`it left more than ${quota.bytes} bytes`)
    const path = pathOf(name)
    if (path === undefined) notes.push(`${JSON.stringify(name)} is no name for a file: left out`)
    else if (type === "directory")
      await mkdir(join(incoming, path), { recursive: true, mode: 0o700 })
    else if (type === "file") await takeFile(join(incoming, path), entry.header, entry)
    else notes.push(`${name} is a ${type ?? "thing"}: only files and folders are kept`)
    entry.resume()
  }
  return { notes, entries }
}

/** The path in the folder; undefined for a name that does not stay in it. */
function pathOf(name: string): string | undefined {
  const names = name.split("/").filter((each) => each !== "" && each !== ".")
  // oxlint-disable-next-line no-control-regex
  const bad = names.some((each) => each === ".." || /[\x00-\x1f\\]/.test(each) || isLong(each))
  if (bad || name.startsWith("/") || names.length > MAX_DEPTH) return undefined
  return names.join("/")
}

function isLong(name: string): boolean {
  return Buffer.byteLength(name) > MAX_NAME_BYTES
}

const WRITE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

async function takeFile(path: string, header: Header, chunks: AsyncIterable<unknown>) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await rm(path, { force: true })
  const handle = await open(path, WRITE_FLAGS, ((header.mode ?? 0) & 0o100) | 0o600)
  try {
    for await (const chunk of chunks) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError(`a piece of ${header.name} is no bytes`)
      await handle.writeFile(chunk)
    }
  } finally {
    await handle.close()
  }
}

/** Put what came in the place of what was there. Both lie in one folder, so nothing is copied. */
async function settle(folder: string, incoming: string) {
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (name !== INCOMING) await removeTree(join(folder, name))
  for (const name of await readdir(incoming)) await rename(join(incoming, name), join(folder, name))
  const stats = await lstat(folder)
  if ((stats.mode & 0o777) !== 0o700) await chmod(folder, 0o700)
}
