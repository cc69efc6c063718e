import { createReadStream } from "node:fs"
import type { FileFragment } from "compositor-core/message/file-location"
import { cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { textChunks } from "../decode-text.ts"
import { refuse } from "../refusal.ts"

/** Text in any encoding, whole or some lines of it. */
export async function readText({ file, fragment, limits }: Job): Promise<ReaderAnswer> {
  if (fragment?.unit === "line") return readLines({ file, limits }, fragment)
  if (fragment?.unit === "byte") return readBytes({ file, limits }, fragment)
  return cappedText(limits.text_bytes, async (text) => {
    for await (const chunk of textChunks(file.path, file.name)) text.write(chunk)
  })
}

async function readBytes(
  { file, limits }: Pick<Job, "file" | "limits">,
  { start, end }: Extract<FileFragment, { unit: "byte" }>,
): Promise<ReaderAnswer> {
  if (start >= file.size) refuse(`${file.name} has ${file.size} bytes, and no byte ${start}.`)
  const decoder = new TextDecoder()
  const chunks: AsyncIterable<Buffer> = createReadStream(file.path, { start, end: end - 1 })
  return cappedText(limits.text_bytes, async (text) => {
    for await (const chunk of chunks) text.write(decoder.decode(chunk, { stream: true }))
    text.write(decoder.decode())
  })
}

type Lines = Extract<FileFragment, { unit: "line" }>

async function readLines(
  { file, limits }: Pick<Job, "file" | "limits">,
  { start, end }: Lines,
): Promise<ReaderAnswer> {
  let line = 1
  const answer = await cappedText(limits.text_bytes, async (text) => {
    for await (const chunk of textChunks(file.path, file.name)) {
      for (let at = 0; at < chunk.length; ) {
        const stop = chunk.indexOf("\n", at)
        const next = stop < 0 ? chunk.length : stop + 1
        if (line >= start && line <= end) text.write(chunk.slice(at, next))
        if (stop >= 0) line += 1
        if (line > end) return
        at = next
      }
    }
  })
  if (line < start) refuse(`${file.name} has ${line} lines, and no line ${start}.`)
  return answer
}
