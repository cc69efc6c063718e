import { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import { errorMessage } from "compositor-core/message/untyped"
import { bunzip2 } from "./bzip2.ts"
import type { ByteSource } from "./byte-source.ts"
import type { Wrapper } from "./format.ts"
import { gunzip } from "./gzip.ts"
import { ArchiveRefusal } from "./refusal.ts"
import type { EntrySink } from "./sink.ts"
import { beginsAsTar } from "./tar-header.ts"
import { readTar } from "./tar.ts"
import { unxz } from "./xz.ts"

/** Read what a compressed file holds: the entries of a tar, or one file, which `name` then names. */
export async function readWrapped(
  source: ByteSource,
  wrapper: Wrapper,
  { name, sink }: { readonly name: string; readonly sink: EntrySink },
): Promise<void> {
  const chunks = unpacked(source, wrapper, (text) => sink.note(text))
  const { head, all } = await peek(chunks)
  if (beginsAsTar(head)) return readTar(all, sink)
  const path = sink.place({ name, type: "file", size: undefined })
  if (path === undefined) return
  const writer = sink.create(path, name)
  for await (const chunk of all) writer.write(chunk)
  writer.end()
}

const CHUNK_BYTES = 256 * 1024

type Note = (text: string) => void

async function* unpacked(source: ByteSource, wrapper: Wrapper, note: Note): AsyncGenerator<Buffer> {
  try {
    yield* unpack(source, wrapper, note)
  } catch (error) {
    if (error instanceof ArchiveRefusal) throw error
    throw new ArchiveRefusal(`the ${wrapper} data is damaged: ${errorMessage(error)}`)
  }
}

function unpack(
  source: ByteSource,
  wrapper: Wrapper,
  note: Note,
): AsyncIterable<Buffer> | Iterable<Buffer> {
  const packed = source.chunks(0, source.size)
  const stream = () => Readable.from(packed, { objectMode: false })
  switch (wrapper) {
    case "gzip":
      return gunzip(source, note)
    case "zstd":
      return stream().pipe(createZstdDecompress({ chunkSize: CHUNK_BYTES }))
    case "bzip2":
      return bunzip2(packed)
    case "xz":
      return unxz(source)
  }
}

const HEAD_BYTES = 512

async function peek(chunks: AsyncIterator<Buffer> & AsyncIterable<Buffer>) {
  const first: Buffer[] = []
  let length = 0
  while (length < HEAD_BYTES) {
    const next = await chunks.next()
    if (next.done) break
    first.push(next.value)
    length += next.value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    yield* chunks
  }
  return { head: Buffer.concat(first), all: all() }
}
