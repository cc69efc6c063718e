import { createWriteStream } from "node:fs"
import { lstat, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { ConvertFile } from "compositor-files/formats/converted"
import { SNIFF_BYTES, sniff } from "compositor-files/kinds/sniff"
import { walkFolder } from "compositor-files/workspace/walk"
import { openWithin } from "compositor-files/disk/within"
import type { FolderEntry } from "compositor-core/contract/files"
import { Refusal } from "compositor-core/message/refusal"
import { viewOf } from "compositor-engine/policy/hidden"
import { judge } from "compositor-engine/policy/judge"
import type { BlobStore } from "compositor-files/blobs/blobs"
import type { Store } from "compositor-engine/store/store"
import type { Workspaces } from "compositor-engine/workspaces/workspaces"
import { existing } from "./workspace-root.ts"

const MAX_ENTRIES = 1000
/** What a person looks at is copied first; more than this is looked at elsewhere. */
export const MAX_LOOKED_AT_BYTES = 64 * 1024 * 1024

/** A file that a person looks at: one of the workspace, or what a part of the session carries. */
export type Looked =
  | { readonly root: string; readonly path: string }
  | { readonly session_id: string; readonly content_id: string; readonly name: string }

export interface BrowsedFiles {
  readonly store: Pick<Store, "session" | "blob" | "sessionHasBlob">
  readonly blobs: Pick<BlobStore, "open">
  readonly workspaces: Pick<Workspaces, "policy">
}

/** What lies in one folder of a workspace, but for what the policy hides. */
export async function entriesOf(
  workspaces: BrowsedFiles["workspaces"],
  root: string,
  folder: string,
) {
  const { settings } = workspaces.policy(root)
  const view = viewOf(root, settings)
  const entries: FolderEntry[] = []
  const depth = folder === "" ? 0 : folder.split("/").length
  for await (const found of walkFolder({ root, folder, view, max_files: MAX_ENTRIES + 1 })) {
    if ("type" in found) throw new Refusal("not_found", found.reason)
    const { path, is_folder } = found
    // A folder's own entries come first; what is deeper comes behind them.
    if (path.split("/").length !== depth + 1) break
    entries.push({ name: basename(path), path, is_folder, size: await sizeOf(root, found) })
  }
  return { folder, entries: entries.slice(0, MAX_ENTRIES), more: entries.length > MAX_ENTRIES }
}

async function sizeOf(root: string, { path, is_folder }: { path: string; is_folder: boolean }) {
  if (is_folder) return null
  return lstat(join(root, path)).then(
    ({ size }) => size,
    () => null,
  )
}

/** Use a copy of a file that a person may look at: whoever reads it, reads only that. */
export async function withCopy<Value>(
  files: BrowsedFiles,
  looked: Looked,
  use: (file: ConvertFile, folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "compositor-look-"))
  try {
    const path = join(folder, "input")
    const copy =
      "root" in looked ? copyOfFile(files, looked, path) : copyOfContent(files, looked, path)
    return await use(await copy, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function copyOfFile(
  files: BrowsedFiles,
  { root, path: asked }: Extract<Looked, { root: string }>,
  path: string,
): Promise<ConvertFile> {
  const opened = await openWithin(root, asked, "file")
  if (opened.type === "refused") throw new Refusal("not_found", opened.reason)
  const { handle, realPath, stats } = opened
  try {
    const arrival = { origin: "ref", path: realPath, size: stats.size } as const
    const verdict = await judge(files.workspaces.policy(root), arrival)
    if (verdict.verdict === "deny") throw new Refusal("invalid", verdict.reason)
    fits(asked, stats.size)
    const head = Buffer.alloc(Math.min(SNIFF_BYTES, stats.size))
    await handle.read(head, 0, head.length, 0)
    const source = handle.createReadStream({ start: 0, autoClose: false })
    await pipeline(source, createWriteStream(path))
    const about = await sniff(head, asked, stats.size <= SNIFF_BYTES)
    return { name: basename(asked), mime: about.mime, kind: about.kind, size: stats.size, path }
  } finally {
    await handle.close()
  }
}

async function copyOfContent(
  files: BrowsedFiles,
  { session_id, content_id, name }: Extract<Looked, { content_id: string }>,
  path: string,
): Promise<ConvertFile> {
  await existing(files.store, session_id)
  const blob = await files.store.blob(content_id)
  if (!blob || !(await files.store.sessionHasBlob(session_id, content_id)))
    throw new Refusal("not_found", `session ${session_id} has no file ${content_id}`)
  fits(name, blob.size)
  await pipeline(files.blobs.open(content_id), createWriteStream(path))
  const head = await headOf(files.blobs.open(content_id))
  const { mime, kind } = await sniff(head, name, blob.size <= SNIFF_BYTES)
  return { name, mime, kind, size: blob.size, path }
}

function fits(name: string, size: number) {
  if (size <= MAX_LOOKED_AT_BYTES) return
  throw new Refusal("too_large", `${name} has ${size} bytes, more than ${MAX_LOOKED_AT_BYTES}`)
}

async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const head: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    head.push(chunk)
    size += chunk.length
    if (size >= SNIFF_BYTES) break
  }
  return Buffer.concat(head).subarray(0, SNIFF_BYTES)
}
