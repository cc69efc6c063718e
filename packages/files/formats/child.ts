// Runs in a process of its own: one job in by standard input, one answer out by file descriptor 3.
// Standard output is not used, because some libraries think that it is theirs.

import { writeSync } from "node:fs"
import { text } from "node:stream/consumers"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { type ReaderAnswer, Job } from "./converted.ts"
import { READERS } from "./readers.ts"
import { ReadingRefused } from "./refusal.ts"

const ANSWERS = 3

const job = Job.parse(JSON.parse(await text(process.stdin)))
const answer = await read(job)
// In kilobytes.
const peak_rss = process.resourceUsage().maxRSS * 1024
send(Buffer.from(JSON.stringify({ answer, peak_rss })))
process.exit(0)

async function read(job: Job): Promise<ReaderAnswer> {
  const load = READERS[job.reader]
  if (!load) throw new Error(`There is no reader named ${job.reader}.`)
  try {
    const reader = await load()
    return await reader(job)
  } catch (error) {
    return lacking(error) ?? { type: "refused", reason: told(error, job.file.name) }
  }
}

function lacking(error: unknown): ReaderAnswer | undefined {
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined
  return { type: "lacking", package: /'([^']+)'/.exec(message)?.[1] ?? "a package" }
}

function told(error: unknown, name: string): string {
  if (error instanceof ReadingRefused) return error.message
  return `${name} is damaged: ${firstLine(errorMessage(error) || String(error))}`
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 300) ?? ""
}

function send(bytes: Buffer): void {
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(ANSWERS, bytes, sent)
    } catch (error) {
      if (errorCode(error) !== "EAGAIN") throw error
    }
  }
}
