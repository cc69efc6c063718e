import type { FileFragment } from "compositor-core/message/file-location"
import type { ConvertFile, ConvertRequest, Converted } from "./converted.ts"
import { type ConvertContext, type ConvertRoute, reading, readDocumentText } from "./route.ts"
import { runProgramWhenNeeded, transcribeWhenNeeded } from "./when-needed.ts"

const info = reading("media", { memory: 1 })
const BINS = 60
const PEAK_RATE = 8_000
const MAX_SECONDS = 24 * 3600
const SILENCE_DB = -50

/** What a recording is; how loud it is over time where ffmpeg is; what is said where someone listens. */
export const describing: ConvertRoute = async (file, request, context) => {
  const about = await info(file, { to: "text" }, context)
  if (about.type !== "text") return about
  const span = await spanOf(file, request, context)
  // Without the program less is known; without the place there is nothing to tell.
  if (span.type === "refused" && span.install === undefined && request.place?.fragment) return span
  const wave = span.type === "span" ? await waveform(file, span, context) : ""
  const spoken = await said(file, request, context)
  const parts = [about.text.trimEnd(), wave, spoken.text].filter((part) => part !== "")
  const note = spoken.note ?? (span.type === "refused" ? span.reason : undefined)
  const text = parts.join("\n\n").slice(0, context.limits.text_bytes)
  return { type: "text", text, truncated: false, ...(note ? { note } : {}) }
}

/** Pictures out of a film, at equal distances. */
export const framing: ConvertRoute = async (file, request, context) => {
  const span = await spanOf(file, request, context)
  if (span.type === "refused") return span
  const { start, length } = span
  const count = Math.min(context.limits.pages, Math.max(1, Math.ceil(length)))
  const rate = Math.max(count / Math.max(length, 0.001), 0.001)
  const answer = await runProgramWhenNeeded(
    { shape: "frames", file, values: { start, length, rate: Math.min(rate, 60), count } },
    context,
  )
  if (answer.type !== "files") return answer
  const every = (length / count).toFixed(1)
  return { ...answer, note: `A picture every ${every} seconds, from second ${start}.` }
}

/** The sound as a drawn curve. */
export const drawing: ConvertRoute = async (file, request, context) => {
  const span = await spanOf(file, request, context)
  if (span.type === "refused") return span
  const { start, length } = span
  return runProgramWhenNeeded({ shape: "wave-to-png", file, values: { start, length } }, context)
}

/** A piece of a recording, as a recording. */
export async function cut(
  file: ConvertFile,
  fragment: Extract<FileFragment, { unit: "time" }>,
  context: ConvertContext,
): Promise<Converted> {
  const span = await spanOf(file, { to: "text", place: { fragment } }, context)
  if (span.type === "refused") return span
  const shape =
    file.kind === "video" ? "cut-to-mp4" : /wav/.test(file.mime) ? "cut-to-wav" : "cut-to-mp3"
  return runProgramWhenNeeded(
    { shape, file, values: { start: span.start, length: span.length } },
    context,
  )
}

type Span =
  | { readonly type: "span"; readonly start: number; readonly length: number }
  | Extract<Converted, { type: "refused" }>

async function spanOf(
  file: ConvertFile,
  request: ConvertRequest,
  context: ConvertContext,
): Promise<Span> {
  const answer = await runProgramWhenNeeded({ shape: "duration", file }, context)
  if (answer.type === "refused") return answer
  const duration = Math.min(Number.parseFloat(await readDocumentText(answer)) || 0, MAX_SECONDS)
  const fragment = request.place?.fragment
  if (fragment?.unit !== "time") return { type: "span", start: 0, length: duration }
  const { start, end = duration } = fragment
  if (start >= duration)
    return {
      type: "refused",
      reason: `${file.name} is ${duration.toFixed(1)} seconds long, and has nothing at second ${start}.`,
    }
  return { type: "span", start, length: Math.min(end, duration) - start }
}

async function waveform(
  file: ConvertFile,
  { start, length }: { readonly start: number; readonly length: number },
  context: ConvertContext,
): Promise<string> {
  const samples = Math.max(1, Math.ceil((length * PEAK_RATE) / BINS))
  const answer = await runProgramWhenNeeded(
    { shape: "peaks", file, values: { start, length, samples } },
    context,
  )
  return drawPeaks(readPeaks(await readDocumentText(answer)), start, length)
}

/** The loudest of each stretch, in decibels below the loudest that there can be. */
export function readPeaks(report: string): number[] {
  const found = report.matchAll(/Peak_level=(-?(?:[\d.]+|inf))/g)
  return [...found].map(([, level = ""]) => (level.includes("inf") ? -100 : Number(level)))
}

const HEIGHTS = "▁▂▃▄▅▆▇█"

/** A line of text as high as the sound is loud. */
export function drawPeaks(peaks: readonly number[], start: number, length: number): string {
  if (peaks.length === 0) return ""
  const curve = peaks.map((peak) => HEIGHTS[height(peak)]).join("")
  const quiet = peaks.filter((peak) => peak < SILENCE_DB).length
  const step = length / peaks.length
  const loudest = peaks.indexOf(Math.max(...peaks))
  return [
    `Loudness from second ${start.toFixed(1)} to ${(start + length).toFixed(1)}, ${step.toFixed(2)} s each:`,
    curve,
    `Loudest ${Math.max(...peaks).toFixed(1)} dB at ${(start + loudest * step).toFixed(1)} s; silent for ${(quiet * step).toFixed(1)} s.`,
  ].join("\n")
}

function height(peak: number): number {
  return Math.min(7, Math.max(0, Math.floor((peak + 60) / 7.5)))
}

interface Said {
  readonly text: string
  readonly note?: string
}

async function said(
  file: ConvertFile,
  request: ConvertRequest,
  context: ConvertContext,
): Promise<Said> {
  const { transcriber } = context
  if (!transcriber) return { text: "" }
  const fragment = request.place?.fragment
  const piece = fragment?.unit === "time" ? await cut(file, fragment, context) : undefined
  const made = piece?.type === "files" ? piece.files[0] : undefined
  const heard = made ? { ...file, ...made } : file
  const answer = await transcribeWhenNeeded(heard, transcriber, context)
  if (answer.type === "text") return { text: `Transcript:\n${answer.text}` }
  return { text: "", note: answer.type === "refused" ? answer.reason : "" }
}
