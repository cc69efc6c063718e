import type { IncomingMessage } from "node:http"
import type { Readable, Transform } from "node:stream"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib"

interface FetchedBody {
  readonly bytes: Uint8Array
  /** There was more than may come. */
  readonly truncated: boolean
}

/** What an answer carries, unpacked and counted as it comes: more than the limit is never held. */
export async function readFetchedBody(
  response: IncomingMessage,
  max_bytes: number,
): Promise<FetchedBody | string> {
  const said = response.headers["content-encoding"]?.trim().toLowerCase() ?? ""
  const unpack = DECODERS[said]
  if (unpack === undefined) return `is packed as ${said.slice(0, 60)}, which is not unpacked here`
  const decoder = unpack()
  if (decoder) response.on("error", (error) => decoder.destroy(error))
  const stream: Readable = decoder ? response.pipe(decoder) : response
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > max_bytes) break
    }
  } finally {
    response.destroy()
    decoder?.destroy()
  }
  return { bytes: Buffer.concat(chunks).subarray(0, max_bytes), truncated: size > max_bytes }
}

/** How far back a packed text may refer: the memory that unpacking takes. */
const ZSTD_WINDOW_LOG = 23
const CHUNK = { chunkSize: 64 * 1024 }

const DECODERS: Readonly<Record<string, () => Transform | null>> = {
  "": () => null,
  identity: () => null,
  gzip: () => createGunzip(CHUNK),
  "x-gzip": () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  zstd: () =>
    createZstdDecompress({
      ...CHUNK,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
}
