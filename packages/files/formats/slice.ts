import type { Range } from "compositor-core/message/file-reference"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { FileFragment } from "compositor-core/message/file-location"
import { readArchiveEntry } from "../archives/archive.ts"
import { SNIFF_BYTES, sniff } from "../kinds/sniff.ts"
import { convert, type ConvertOptions } from "./convert.ts"
import { CONVERT_LIMITS, type ConvertFile, type Converted } from "./converted.ts"
import { cut } from "./recording.ts"
import { mostBytes, type SourceFile, withSpilledFile, write } from "./spill.ts"

/** In an archive the entry, then lines or bytes, or another place. */
export interface SliceLocation {
  readonly entry?: string | undefined
  readonly range?: Range | undefined
  readonly fragment?: FileFragment | undefined
}

type FileSlice =
  | { readonly type: "text"; readonly text: string; readonly note?: string | undefined }
  | {
      readonly type: "media"
      readonly bytes: Uint8Array
      readonly mime: string
      readonly name: string
    }
  /** Why it cannot be had, as the end of a sentence. */
  | { readonly type: "refused"; readonly reason: string }

const MAX_MEDIA_BYTES = 32 * 1024 * 1024

/** Take a place out of a file: as the kind of file that it is where that is wanted, else as text. */
export async function sliceFile(
  file: SourceFile,
  place: SliceLocation,
  want: { readonly native: boolean },
  options: ConvertOptions,
): Promise<FileSlice> {
  if (file.size > mostBytes(options))
    return refusal(`it has ${file.size} bytes, more than are read here`)
  return withSpilledFile(file, options, async (whole, within) => {
    const found = await entryOf(whole, place.entry, within)
    if (found.type === "refused") return found
    return taken(found.file, fragmentOf(place), { want, options: within })
  })
}

type Found = { readonly type: "file"; readonly file: ConvertFile } | Refused
type Refused = Extract<FileSlice, { type: "refused" }>

async function entryOf(
  file: ConvertFile,
  entry: string | undefined,
  options: ConvertOptions,
): Promise<Found> {
  if (entry === undefined) return { type: "file", file }
  const { path, name } = file
  const found = await readArchiveEntry({ path, name }, entry, { signal: options.signal })
  if (found.type === "unsupported") return refusal(`${name} is no archive that is read here`)
  if (found.type !== "entry") return refusal(found.reason)
  const inside = join(options.scratch, "entry")
  await write(inside, found.bytes, mostBytes(options))
  const sniffed = await sniff(await headOf(inside), entry, found.size <= SNIFF_BYTES)
  const about = { name: baseName(entry), size: found.size, path: inside }
  return { type: "file", file: { ...about, ...sniffed } }
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function baseName(entry: string): string {
  return entry.split("/").at(-1) || entry
}

function fragmentOf({ range, fragment }: SliceLocation): FileFragment | undefined {
  if (fragment || !range) return fragment
  const { start, end, unit = "line" } = range
  return { unit, start, end }
}

interface Wish {
  readonly want: { readonly native: boolean }
  readonly options: ConvertOptions
}

async function taken(
  file: ConvertFile,
  fragment: FileFragment | undefined,
  { want, options }: Wish,
): Promise<FileSlice> {
  if (want.native && isMedia(file)) return media(file, fragment, options)
  const place = fragment ? { fragment } : {}
  return asSliced(await convert(file, { to: "text", place }, options), file)
}

function isMedia({ kind }: ConvertFile): boolean {
  return kind === "pdf" || kind === "image" || kind === "audio" || kind === "video"
}

async function media(
  file: ConvertFile,
  fragment: FileFragment | undefined,
  options: ConvertOptions,
): Promise<FileSlice> {
  if (!fragment) return asSliced({ type: "files", files: [file] }, file)
  if (fragment.unit === "time")
    return asSliced(await cut(file, fragment, cutContext(options)), file)
  const to = file.kind === "pdf" ? "pdf" : "png"
  return asSliced(await convert(file, { to, place: { fragment } }, options), file)
}

function cutContext({ limits, ...options }: ConvertOptions) {
  return { ...options, limits: { ...CONVERT_LIMITS, ...limits } }
}

async function asSliced(converted: Converted, { name }: ConvertFile): Promise<FileSlice> {
  switch (converted.type) {
    case "refused":
      return refusal(converted.reason)
    case "text": {
      const { text, note } = converted
      return { type: "text", text, ...(note === undefined ? {} : { note }) }
    }
    case "files": {
      const made = converted.files[0]
      if (!made) return refusal(`nothing came of ${name}`)
      if (made.size > MAX_MEDIA_BYTES) return refusal(`it has ${made.size} bytes, too many to send`)
      return { type: "media", bytes: await readFile(made.path), mime: made.mime, name: made.name }
    }
  }
}

/** Its sentence, to be the end of another. */
function refusal(reason: string): Refused {
  return { type: "refused", reason: reason.replace(/\.$/, "") }
}
