import { openAsBlob } from "node:fs"
import { errorMessage, recordOf } from "compositor-core/message/untyped"
import { type ConvertFile, type Converted, refuseConversion } from "./converted.ts"
import { runProgram, type SandboxContext } from "./sandboxed.ts"
import type { Transcriber } from "./transcriber.ts"

/** What such servers take at once. */
const MAX_UPLOAD_BYTES = 25 * 1024 * 1024
const ASK_MS = 300_000

/** The words of a recording. */
export async function transcribe(
  file: ConvertFile,
  transcriber: Transcriber,
  context: SandboxContext,
): Promise<Converted> {
  switch (transcriber.type) {
    case "server":
      return ask(file, transcriber, context)
    case "program":
      return listen(file, transcriber.model_path, context)
  }
}

async function ask(
  file: ConvertFile,
  server: Extract<Transcriber, { type: "server" }>,
  { signal, limits }: SandboxContext,
): Promise<Converted> {
  if (file.size > MAX_UPLOAD_BYTES)
    return refuseConversion(
      `${file.name} is larger than the ${MAX_UPLOAD_BYTES} bytes that are transcribed at once.`,
    )
  const form = new FormData()
  form.set("file", await openAsBlob(file.path, { type: file.mime }), file.name)
  form.set("model", server.model)
  form.set("response_format", "json")
  const deadline = AbortSignal.timeout(ASK_MS)
  try {
    const answer = await server.fetch(server.url, {
      method: "POST",
      body: form,
      headers: server.key ? { authorization: `Bearer ${server.key}` } : {},
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    return await transcript(answer, file, limits.text_bytes)
  } catch (error) {
    return refuseConversion(`${file.name} was not transcribed: ${errorMessage(error)}`)
  }
}

async function transcript(answer: Response, file: ConvertFile, most: number): Promise<Converted> {
  const body = await bounded(answer, most * 2)
  if (!answer.ok)
    return refuseConversion(
      `The server that transcribes answered ${answer.status}: ${body.slice(0, 200)}`,
    )
  const text = spoken(body)
  if (text === undefined)
    return refuseConversion(`The transcript of ${file.name} has no text in it.`)
  const kept = text.slice(0, most)
  return { type: "text", text: kept, truncated: kept.length < text.length }
}

function spoken(body: string): string | undefined {
  try {
    const { text } = recordOf(JSON.parse(body))
    return typeof text === "string" ? text.trim() : undefined
  } catch {
    return undefined
  }
}

async function bounded(answer: Response, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > most) throw new Error(`the answer is longer than ${most} characters`)
  }
  return text
}

async function listen(
  file: ConvertFile,
  model: string,
  context: SandboxContext,
): Promise<Converted> {
  // The program reads no other format, nor another rate.
  const wave = await runProgram(
    { shape: "speech-to-wav", file, values: { start: 0, length: 24 * 3600 } },
    context,
  )
  if (wave.type !== "files" || !wave.files[0]) return wave
  const input = { ...file, ...wave.files[0] }
  const answer = await runProgram({ shape: "whisper", file: input, beside: { model } }, context)
  if (answer.type !== "files" || !answer.files[0]) return answer
  const { readFile } = await import("node:fs/promises")
  const text = (await readFile(answer.files[0].path, "utf8")).trim()
  return { type: "text", text: text.slice(0, context.limits.text_bytes), truncated: false }
}
