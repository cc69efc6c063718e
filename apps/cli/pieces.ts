import type { FileRefPart } from "compositor-core/parts/file-ref"
import type { PartData } from "compositor-core/parts/define-part"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { Readable } from "node:stream"
import { errorMessage } from "compositor-core/message/untyped"
import type { Client } from "compositor-client/client"
import { UsageError } from "./complain.ts"
import { type CommonOptions, workspaceFolder } from "./connect.ts"
import { withProgress } from "./progress.ts"

/** One flag of `send`, in the order in which it was given: order means something in a message. */
export interface SendPiece {
  readonly type: "ref" | "attach" | "context" | "dir"
  readonly value: string
}

export interface Sending {
  readonly client: Client
  /** The session that the message goes to; asking for it may begin one. */
  readonly session: () => Promise<string>
}

export async function readPartArgument(
  piece: SendPiece,
  { client, session }: Sending,
): Promise<PartData> {
  switch (piece.type) {
    case "ref":
      return fileRef(piece.value)
    case "attach":
      return uploadAttachment(piece.value, client)
    case "context":
      return editorContext(piece.value)
    case "dir":
      return directory(piece.value, client, await session())
  }
}

/** A file that is not there is noticed before anything is sent. Where the server is elsewhere, only it
 *  knows what lies in its workspace. */
export async function requireFiles(pieces: readonly SendPiece[], options: CommonOptions) {
  for (const { type, value } of pieces) {
    if (type === "attach" && !(await stat(value).catch(() => undefined)))
      throw new UsageError(`${value}: there is no such file`)
    if (type !== "ref" || options.url !== undefined) continue
    const part = await fileRef(value)
    if (part.ref.kind !== "path") continue
    const { path } = part.ref
    if (!(await stat(resolve(workspaceFolder(options), path)).catch(() => undefined)))
      throw new UsageError(`${path}: there is no such file in ${workspaceFolder(options)}`)
  }
}

/** `path`, `path#L10-25`, `path#page=3-7`, `archive.zip!/path#L1-9` (BEY-08). */
async function fileRef(text: string): Promise<FileRefPart> {
  const { readWordAddress } = await import("compositor-core/compose/address")
  const read = readWordAddress(text, 0, text.length)
  if (read?.fault) throw new UsageError(`${text}: ${read.fault.message}`)
  // A `#` that begins no place is a letter of the name.
  const address = read?.end === text.length ? read.address : { path: text }
  return { type: "file-ref", ref: { kind: "path", ...address } }
}

async function uploadAttachment(file: string, client: Client, inline = false): Promise<PartData> {
  const { part } = await upload(file, client, inline)
  return part
}

/** Only this flag gives a folder away: a path in a text never does (CMPH-002). */
async function directory(folder: string, client: Client, session_id: string): Promise<PartData> {
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) throw new UsageError(`${folder}: there is no such folder`)
  const { part } = await client.giveFolder(session_id, resolve(folder))
  return part
}

async function upload(file: string, client: Client, inline: boolean) {
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new UsageError(`${file}: there is no such file`)
  if (!found.isFile()) throw new UsageError(`${file} is not a regular file`)
  const read = withProgress(createReadStream(file), { total: found.size, doing: `sending ${file}` })
  const bytes = Readable.toWeb(Readable.from(read)) as ReadableStream<Uint8Array>
  return client.upload(bytes, { name: basename(file), ...(inline ? { inline } : {}) })
}

function editorContext(text: string): PartData {
  const at = text.indexOf("=")
  if (at < 1) throw new UsageError(`--context ${text}: write kind=json, e.g. selection={"node":7}`)
  const payload = parse(text.slice(at + 1), text)
  const kind = text.slice(0, at)
  return { type: "editor-context", kind, source: "cli", payload, emitted_at: Date.now() }
}

function parse(json: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw new UsageError(`--context ${text}: ${errorMessage(error)}`)
  }
  throw new UsageError(`--context ${text}: the payload must be a JSON object`)
}
