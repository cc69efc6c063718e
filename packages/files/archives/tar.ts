import { pipeline, Readable } from "node:stream"
import { errorMessage, recordOf, type UntypedRecord } from "compositor-core/message/untyped"
import { extract, type Header } from "tar-stream"
import { decodeName } from "./cp437.ts"
import { ArchiveRefusal, refuseEntry } from "./refusal.ts"
import type { EntrySink, FoundEntry } from "./sink.ts"

// Its own types know only what every stream has.
const TAR_OPTIONS: object = { allowUnknownFormat: true, filenameEncoding: "latin1" }

/** Read a tar as it streams by. */
export async function readTar(chunks: Chunks, sink: EntrySink): Promise<void> {
  const entries = extract(TAR_OPTIONS)
  let failure: unknown
  pipeline(Readable.from(metered(chunks, sink), { objectMode: false }), entries, (error) => {
    failure = error
  })
  let name: string | undefined
  try {
    for await (const entry of entries) {
      const found = foundEntry(entry.header)
      name = found.name
      const path = sink.place(found)
      if (path === undefined) entry.resume()
      else await writeEntry(entry, path, { name, sink })
      if (sink.done) return
    }
  } catch (error) {
    throw damaged(failure ?? error, name)
  }
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/** Entries that are passed over cost time as well. */
async function* metered(chunks: Chunks, sink: EntrySink): AsyncGenerator<Buffer> {
  let scanned = 0
  for await (const chunk of chunks) {
    scanned += chunk.length
    if (scanned > sink.maxScanned)
      throw new ArchiveRefusal(`the archive unpacks to more than ${sink.maxScanned} bytes`)
    yield chunk
  }
}

const TYPES: ReadonlyMap<Header["type"], FoundEntry["type"]> = new Map([
  ["file", "file"],
  ["contiguous-file", "file"],
  ["directory", "folder"],
  ["link", "link"],
  ["symlink", "link"],
])

function foundEntry(header: Header): FoundEntry {
  const pax = recordOf(header.pax)
  // A pax name was UTF-8 from the start; any other comes as its bytes.
  const name =
    typeof pax.path === "string" ? pax.path : decodeName(Buffer.from(header.name, "latin1"))
  const type = isSparse(pax) ? "special" : (TYPES.get(header.type) ?? "special")
  const isFolder = type === "file" && /[\\/]$/.test(name)
  return { name, type: isFolder ? "folder" : type, size: header.size }
}

/** Its bytes are a map of holes and what lies between them, not the file. */
function isSparse(pax: UntypedRecord): boolean {
  return Object.keys(pax).some((key) => key.startsWith("GNU.sparse."))
}

async function writeEntry(
  chunks: AsyncIterable<unknown>,
  path: string,
  { name, sink }: { readonly name: string; readonly sink: EntrySink },
): Promise<void> {
  const writer = sink.create(path, name)
  for await (const chunk of chunks) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError(`a piece of ${name} is no bytes`)
    writer.write(chunk)
  }
  writer.end()
}

function damaged(error: unknown, name: string | undefined): Error {
  if (error instanceof ArchiveRefusal) return error
  const message = errorMessage(error)
  if (name === undefined) return new ArchiveRefusal(`the tar is damaged: ${message}`)
  return refuseEntry(name, `or what follows it is damaged: ${message}`)
}
