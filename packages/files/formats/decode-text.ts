import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { refuse } from "./refusal.ts"

const SAMPLE_BYTES = 256 * 1024

/** The text of a file as it comes, in whatever encoding it was written. */
export async function* textChunks(path: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOfFile(path, name))
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== "") yield text
  }
  const rest = decoder.decode()
  if (rest !== "") yield rest
}

/** The whole text of a file that is not too large for that. */
export async function wholeText(
  { path, name, size }: { readonly path: string; readonly name: string; readonly size: number },
  most: number,
): Promise<string> {
  if (size > most) refuse(`${name} has ${size} bytes; at most ${most} are read at once.`)
  let text = ""
  for await (const chunk of textChunks(path, name)) text += chunk
  return text
}

/** Bytes of which someone says in which encoding they are, and may be wrong. */
export function decodeAs(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes)
  } catch {
    return new TextDecoder("utf-8").decode(bytes)
  }
}

async function encodingOfFile(path: string, name: string): Promise<string> {
  const sample = await head(path)
  const [first, second] = sample
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  // Before anything is guessed: a guess finds a language in any noise.
  if (sample.includes(0)) refuse(`${name} is not text.`)
  return (await isUtf8(path)) ? "utf-8" : await guessed(sample)
}

async function head(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(chunk, { stream: true })
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

async function guessed(sample: Buffer): Promise<string> {
  const { detect } = await import("chardet")
  const found = detect(sample) ?? "windows-1252"
  return isKnown(found) ? found : "windows-1252"
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== ""
  } catch {
    return false
  }
}
