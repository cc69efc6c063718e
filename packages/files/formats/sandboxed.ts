import { randomUUID } from "node:crypto"
import { createWriteStream } from "node:fs"
import { realpath, unlink } from "node:fs/promises"
import { extname, join } from "node:path"
import { finished, pipeline } from "node:stream/promises"
import { extract } from "tar-stream"
import { startContained } from "../sandbox/contained.ts"
import { watchMemory } from "../sandbox/memory-watch.ts"
import { findProgram } from "../sandbox/sandbox.ts"
import { emptyWalls, readOnlyIfThere } from "../sandbox/walls.ts"
import {
  type ConvertFile,
  type ConvertLimits,
  type Converted,
  type MadeFile,
  refuseConversion,
} from "./converted.ts"
import { type FoundProgram, findKnownProgram } from "./identity.ts"
import { stem } from "./made-files.ts"
import { type CommandShape, commandShape, fillShape, type ShapeName } from "./programs.ts"

export interface SandboxContext {
  readonly signal?: AbortSignal | undefined
  /** Where the results go. The program itself never writes there. */
  readonly scratch: string
  readonly limits: ConvertLimits
}

interface ProgramRun {
  readonly shape: ShapeName
  readonly file: ConvertFile
  /** Numbers for the shape's words. */
  readonly values?: Readonly<Record<string, number>>
  /** Another file that it reads, such as a speech model: the word and the path. */
  readonly beside?: Readonly<Record<string, string>>
}

/** What these programs are set up with, beside what every sandbox has. */
const PROGRAM_DATA = [
  ..."/etc/fonts /etc/libreoffice /etc/ghostscript /etc/ImageMagick-6 /etc/ImageMagick-7".split(
    " ",
  ),
  ..."/var/lib/ghostscript /var/lib/libreoffice /var/cache/fontconfig".split(" "),
]
const TEMPORARY_BYTES = 256 * 1024 * 1024
const MAX_RESULTS = 200
const MAX_COMPLAINT = 4096
const WATCH_MS = 50

/** It writes to a small disk of its own; what lies there when it is done comes out as one stream, and
 *  is counted. So nothing that it does can fill ours. */
const SCRIPT =
  '"$@" </dev/null >/tmp/log 2>&1; code=$?; tail -c 2000 /tmp/log >&2; cd /out && tar -cf - .; exit $code'

/** Run one of the known commands on a file, without network, seeing the file and nothing else. */
export async function runProgram(run: ProgramRun, context: SandboxContext): Promise<Converted> {
  const shape = commandShape(run.shape)
  if (context.signal?.aborted) return refuseConversion("The conversion was stopped.")
  const found = await findKnownProgram(shape.programs)
  if (found.type === "missing") return refuseConversion(whyNot(found, shape, run), shape.package)
  const bubblewrap = await findProgram("bwrap")
  if (bubblewrap === undefined)
    return refuseConversion(
      `${shape.programs[0]} runs only in a sandbox, and bubblewrap is not installed.`,
      "bubblewrap",
    )
  if (found.type === "other") return refuseConversion(whyNot(found, shape, run), shape.package)
  const program = found.path
  return collect({ bubblewrap, program, shape, run }, context)
}

function whyNot(
  found: Exclude<FoundProgram, { type: "found" }>,
  { programs, package: from }: CommandShape,
  { file }: ProgramRun,
): string {
  const why =
    found.type === "other" ? `and ${found.path} is another program` : "which is not installed"
  return `${file.name} needs ${programs[0]}, ${why}; install ${from}.`
}

interface Prepared {
  readonly bubblewrap: string
  readonly program: string
  readonly shape: CommandShape
  readonly run: ProgramRun
}

async function collect(prepared: Prepared, context: SandboxContext): Promise<Converted> {
  const { bubblewrap, program, shape, run } = prepared
  const child = startContained(bubblewrap, await walls(prepared, context.limits), {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const milliseconds = Math.max(shape.milliseconds, context.limits.milliseconds)
  let stopped: string | undefined
  let complaint = ""
  const stop = (reason: string) => {
    stopped ??= reason
    child.kill("SIGKILL")
  }
  const timer = setTimeout(
    () => stop(`${shape.programs[0]} took longer than ${milliseconds} ms on ${run.file.name}.`),
    milliseconds,
  )
  const { address_space_bytes } = shape
  const watch = watchMemory(child.pid, {
    bytes: address_space_bytes,
    every_ms: WATCH_MS,
    exceeded: () =>
      stop(`${shape.programs[0]} needs more than ${address_space_bytes} bytes of memory.`),
  })
  const abort = () => stop("The conversion was stopped.")
  context.signal?.addEventListener("abort", abort, { once: true })
  const code = new Promise<number>((resolve) => {
    child.on("error", (error) => {
      complaint = error.message
      resolve(-1)
    })
    child.on("close", (status) => resolve(status ?? -1))
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-MAX_COMPLAINT)
  })
  if (!child.stdout) throw new Error("a program whose output nobody reads was started")
  const taken = takeFiles(child.stdout, { run, shape, context }).catch((error: Error) => {
    stop(error.message)
    return []
  })
  const [files, status] = await Promise.all([taken, code])
  clearTimeout(timer)
  watch.end()
  context.signal?.removeEventListener("abort", abort)
  if (stopped !== undefined) return forget(files, stopped)
  if (files.length > 0 && status === 0) return { type: "files", files }
  await forget(files, "")
  return failed(prepared, { status, complaint, program })
}

async function forget(files: readonly MadeFile[], reason: string): Promise<Converted> {
  await Promise.all(files.map(({ path }) => unlink(path).catch(() => undefined)))
  return refuseConversion(reason)
}

function failed(
  { shape, run }: Prepared,
  { status, complaint, program }: { status: number; complaint: string; program: string },
): Converted {
  if (complaint.startsWith("bwrap: "))
    return refuseConversion(`The sandbox cannot be put up: ${complaint.trim()}`)
  const why = complaint.trim().split("\n").at(-1)?.slice(0, 300) || `it ended with ${status}`
  const reason = `${shape.programs[0]} could not convert ${run.file.name}: ${why}`
  // An office suite without this part of it ends well and writes nothing.
  if (status === 0 || /source file could not be loaded/.test(complaint))
    return refuseConversion(`${reason} (${program} may lack ${shape.package})`, shape.package)
  return refuseConversion(reason)
}

async function walls(prepared: Prepared, limits: ConvertLimits): Promise<string[]> {
  const { program, shape, run } = prepared
  const input = `/in/file${safeExtension(run.file.name)}`
  const beside = Object.entries(run.beside ?? {})
  const values = {
    ...Object.fromEntries(
      Object.entries(run.values ?? {}).map(([name, value]) => [name, shown(value)]),
    ),
    ...Object.fromEntries(beside.map(([name]) => [name, `/in/${name}`])),
    input,
  }
  return [
    ...emptyWalls(TEMPORARY_BYTES),
    ...PROGRAM_DATA.flatMap((path) => readOnlyIfThere(path)),
    ...`--size ${limits.output_bytes} --tmpfs /out`.split(" "),
    ..."--setenv OMP_THREAD_LIMIT 2 --setenv SAL_USE_VCLPLUGIN svp".split(" "),
    "--ro-bind",
    await realpath(run.file.path),
    input,
    ...beside.flatMap(([name, path]) => ["--ro-bind", path, `/in/${name}`]),
    // The root is in memory and has no limit of its own.
    ...`--remount-ro / --chdir /tmp prlimit --as=${shape.address_space_bytes} --core=0`.split(" "),
    "sh",
    "-c",
    SCRIPT,
    "sh",
    program,
    ...fillShape(shape, values),
  ]
}

function shown(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

/** Programs judge a file by its name's end; anything else of the name is not theirs to see. */
function safeExtension(name: string): string {
  const extension = extname(name).toLowerCase()
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : ""
}

async function takeFiles(
  stream: NodeJS.ReadableStream,
  { run, shape, context }: { run: ProgramRun; shape: CommandShape; context: SandboxContext },
): Promise<MadeFile[]> {
  const files: MadeFile[] = []
  const unpacking = extract()
  let left = context.limits.output_bytes
  unpacking.on("entry", (header, entry, next) => {
    const wanted = header.type === "file" && shape.makes.test(header.name)
    if (!wanted || files.length >= MAX_RESULTS) {
      entry.resume()
      entry.on("end", next)
      return
    }
    left -= header.size ?? 0
    if (left < 0) return next(new Error(`What is made of ${run.file.name} is too large.`))
    const path = join(context.scratch, `${randomUUID()}${extname(header.name)}`)
    const name = `${stem(run.file.name)}-${stem(header.name)}${extname(header.name)}`
    files.push({ path, name, mime: shape.mime, size: header.size ?? 0 })
    const target = createWriteStream(path, { flags: "wx", mode: 0o600 })
    pipeline(entry, target).then(() => next(), next)
  })
  stream.pipe(unpacking)
  await finished(unpacking)
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
