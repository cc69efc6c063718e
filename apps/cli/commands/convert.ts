import { constants, createReadStream } from "node:fs"
import { copyFile, mkdir, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { type FileFragment, parseFragment } from "compositor-core/message/file-location"
import { UsageError } from "../complain.ts"
import { showSize } from "../show.ts"
import { endProgress, printText, printJson, printLine, tellLine, tellProgress } from "../print.ts"

interface ConvertCommandOptions {
  readonly to?: string
  readonly fragment?: string
  readonly out?: string
  readonly json?: boolean
}

const REFUSED = 1
const NOT_INSTALLED = 3

/** Make text, pictures or a PDF of a file: text is printed, files are put into a folder. */
export async function convertCommand(path: string, options: ConvertCommandOptions) {
  const { TARGETS } = await import("compositor-files/formats/converted")
  const to = TARGETS.find((target) => target === (options.to ?? "text"))
  if (!to) throw new UsageError(`--to is ${TARGETS.join(", ")}, and not ${options.to}`)
  const fragment = options.fragment === undefined ? undefined : fragmentOf(options.fragment)
  const file = await fileAt(path)
  const scratch = await mkdtemp(join(tmpdir(), "compositor-convert-"))
  try {
    const result = await watched(file.name, async (signal) => {
      const { convert } = await import("compositor-files/formats/convert")
      return convert(file, { to, place: { fragment } }, { scratch, signal })
    })
    await show(result, options)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function fragmentOf(text: string): FileFragment {
  const read = parseFragment(text.replace(/^#/, ""))
  if (!read) throw new UsageError(`--fragment: ${text} names no place, as page=3-7 or t=40,70 do`)
  if (read.type === "fault") throw new UsageError(`--fragment: ${read.fault.message}`)
  return read.fragment
}

async function fileAt(path: string) {
  const about = await stat(path)
  if (!about.isFile()) throw new UsageError(`${path} is not a file`)
  const { SNIFF_BYTES, sniff } = await import("compositor-files/kinds/sniff")
  const head: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: SNIFF_BYTES - 1 })) head.push(chunk)
  const name = basename(path)
  const sniffed = await sniff(Buffer.concat(head), name, about.size <= SNIFF_BYTES)
  return { name, ...sniffed, size: about.size, path: resolve(path) }
}

/** Say that it goes on, and stop it when the user does. */
async function watched<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const began = Date.now()
  const ticking = setInterval(() => {
    tellProgress(`Converting ${name} … ${Math.round((Date.now() - began) / 1000)} s`)
  }, 500)
  process.once("SIGINT", stop)
  try {
    return await work(stopping.signal)
  } finally {
    clearInterval(ticking)
    process.off("SIGINT", stop)
    endProgress()
  }
}

type Converting = typeof import("compositor-files/formats/convert")
type Converted = Awaited<ReturnType<Converting["convert"]>>

async function show(result: Converted, options: ConvertCommandOptions) {
  switch (result.type) {
    case "refused":
      process.exitCode = result.install === undefined ? REFUSED : NOT_INSTALLED
      if (options.json) return printJson(result)
      return complain(result.reason)
    case "text":
      if (options.json) return printJson(result)
      printText(result.text.endsWith("\n") ? result.text : `${result.text}\n`)
      return complain(result.note)
    case "files": {
      const files = await kept(result.files, resolve(options.out ?? "."))
      if (options.json) return printJson({ ...result, files })
      for (const { path, size } of files) printLine(`${path}  ${showSize(size)}`)
      return complain(result.note)
    }
  }
}

function complain(text: string | undefined) {
  if (text) tellLine(`compositor: ${text}`)
}

type MadeFile = Extract<Converted, { type: "files" }>["files"][number]

/** Put the files where the user wants them; what lies there already is not touched. */
async function kept(files: readonly MadeFile[], folder: string): Promise<MadeFile[]> {
  await mkdir(folder, { recursive: true })
  const moved: MadeFile[] = []
  for (const file of files) {
    const path = join(folder, file.name)
    await copyFile(file.path, path, constants.COPYFILE_EXCL).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EEXIST")
          throw new UsageError(`${path} exists already; --out names another folder`)
        throw error
      },
    )
    moved.push({ ...file, path })
  }
  return moved
}
