import process from "node:process"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { cleanForTerminal } from "compositor-core/message/terminal-text"

// The one file of the surfaces that writes to standard output and standard error (`npm run house` looks
// after it). What goes to a terminal was often written by strangers, so nothing of it reaches the terminal
// as a control; what goes into a pipe or a file is left as it is.

/** The answer of a command, as it comes. */
export function printText(text: string) {
  write(process.stdout, text)
}

export function printLine(text = "") {
  printText(`${text}\n`)
}

/** JSON escapes what a terminal would obey, and stays JSON. */
export function printJson(value: unknown) {
  printLine(JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0))
}

/** A long answer, as it comes. */
export async function printStream(bytes: Readable) {
  if (!process.stdout.isTTY) return pipeline(bytes, process.stdout, { end: false })
  for await (const text of bytes.setEncoding("utf8")) printText(String(text))
}

/** What a person should know beside the answer: on standard error. */
export function tell(text: string) {
  write(process.stderr, text)
}

export function tellLine(text: string) {
  tell(`${text}\n`)
}

/** A line that the next one takes the place of, for whoever looks at a terminal. */
export function tellProgress(text: string) {
  if (process.stderr.isTTY) process.stderr.write(`\r${cleanForTerminal(text)}\u001b[K`)
}

export function endProgress() {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
}

/** Whoever read our output has gone, as in `compositor export | head`: there is nobody to tell. */
export function leaveWithReader() {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1)
  })
}

/** Whether a person reads what is told beside the answer. */
export function isWatched(): boolean {
  return process.stderr.isTTY
}

/** Whether there is a person to be asked. */
export function isTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Standard output for a protocol that another program reads. */
export function protocolOutput(): NodeJS.WriteStream {
  return process.stdout
}

function write(stream: NodeJS.WriteStream, text: string) {
  stream.write(stream.isTTY ? cleanForTerminal(text) : text)
}
