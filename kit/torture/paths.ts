import { mkdir, mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { Worker } from "node:worker_threads"
import { table } from "../bench/figures.ts"
import { mutateFile } from "../../packages/files/disk/mutate.ts"
import { walkFolder } from "../../packages/files/workspace/walk.ts"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"

export interface PathsOptions {
  readonly reads: number
}

const INSIDE = "inside"
const OUTSIDE = "OUTSIDE: nobody may read this"
/** What is attacked: a file, a folder, a folder in between. */
const PATHS = ["file", "folder/file", "folder/deep/file"]
const READERS = 8
/** Of each hundred reads, so many of the way that checks first and opens then. */
const CONTROL_SHARE = 0.1
const WRITE_SHARE = 0.02
const WALK_SHARE = 0.01

/** Read, write and list a workspace while a thread swaps its files and folders for links that lead
 *  out of it, as fast as it can. True if not one byte from outside came in, and none was changed. */
export async function torturePaths({ reads }: PathsOptions): Promise<boolean> {
  const began = performance.now()
  const folder = await realpath(await mkdtemp(join(tmpdir(), "compositor-paths-")))
  const root = await prepare(folder)
  const swapper = await startSwapping(folder)
  try {
    const careful = await race(reads, (at) => carefully(root, pathAt(at)))
    const control = await race(Math.ceil(reads * CONTROL_SHARE), (at) => naively(root, pathAt(at)))
    const written = await race(Math.ceil(reads * WRITE_SHARE), (at) => write(root, pathAt(at)))
    const listed = await race(Math.ceil(reads * WALK_SHARE), () => list(root))
    const swaps = await swapper.stop()
    const changed = await changedOutside(folder)
    const seconds = (performance.now() - began) / 1000
    console.log(show({ careful, control, written, listed, swaps, changed }))
    console.log(`${seconds.toFixed(1)} s`)
    return careful.outside + listed.outside + changed === 0
  } finally {
    await swapper.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepare(folder: string): Promise<string> {
  const root = join(folder, "ws")
  for (const [place, text] of [
    [root, INSIDE],
    [join(folder, "out"), OUTSIDE],
  ] as const) {
    await mkdir(join(place, "folder", "deep"), { recursive: true })
    for (const path of PATHS) await writeFile(join(place, path), text)
  }
  await mkdir(join(folder, "aside"))
  await symlink(join(folder, "out", "folder"), join(folder, "aside", "folder"))
  return root
}

function pathAt(at: number): string {
  return PATHS[at % PATHS.length] ?? "file"
}

async function startSwapping(folder: string) {
  const worker = new Worker(new URL("./swap-thread.ts", import.meta.url), { workerData: folder })
  await new Promise((resolve) => worker.once("message", resolve))
  let swaps: Promise<number> | undefined
  const ask = async () => {
    const told = new Promise<number>((resolve) => worker.once("message", resolve))
    worker.postMessage("stop")
    const count = await told
    await worker.terminate()
    return count
  }
  return { stop: () => (swaps ??= ask()) }
}

type Seen = "inside" | "outside" | "refused"

interface Tally {
  readonly inside: number
  readonly outside: number
  readonly refused: number
}

async function race(count: number, attempt: (at: number) => Promise<Seen>): Promise<Tally> {
  const tally = { inside: 0, outside: 0, refused: 0 }
  let next = 0
  const reader = async () => {
    while (next < count) tally[await attempt(next++)] += 1
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return tally
}

async function carefully(root: string, path: string): Promise<Seen> {
  const read = await readWorkspaceFile(root, path, { maxBytes: 1000 })
  if (read.type !== "content") return "refused"
  return judge(Buffer.from(read.bytes).toString())
}

/** The way of others: where does the path lead, and then open it. It shows that the swapping bites. */
async function naively(root: string, path: string): Promise<Seen> {
  try {
    const target = join(root, path)
    const real = await realpath(target)
    if (relative(root, real).startsWith("..")) return "refused"
    const handle = await open(target)
    const text = await handle.readFile("utf8")
    await handle.close()
    return judge(text)
  } catch {
    return "refused"
  }
}

async function write(root: string, path: string): Promise<Seen> {
  const mutated = await mutateFile({
    root,
    path,
    change: (current) =>
      current !== null && Buffer.from(current).toString() === OUTSIDE
        ? { type: "content", bytes: Buffer.from("STOLEN") }
        : { type: "content", bytes: Buffer.from(INSIDE) },
    max_bytes: 1000,
  })
  return mutated.type === "written" ? "inside" : "refused"
}

async function list(root: string): Promise<Seen> {
  let seen: Seen = "inside"
  for await (const entry of walkFolder({ root, folder: "folder", max_files: 100 })) {
    if ("type" in entry) return "refused"
    if (entry.path.includes("secret")) seen = "outside"
  }
  return seen
}

function judge(text: string): Seen {
  return text === OUTSIDE ? "outside" : "inside"
}

async function changedOutside(folder: string): Promise<number> {
  const texts = await Promise.all(
    PATHS.map((path) => readFile(join(folder, "out", path), "utf8").catch(() => "")),
  )
  return texts.filter((text) => text !== OUTSIDE).length
}

interface Report {
  readonly careful: Tally
  readonly control: Tally
  readonly written: Tally
  readonly listed: Tally
  readonly swaps: number
  readonly changed: number
}

function show({ careful, control, written, listed, swaps, changed }: Report): string {
  const row = (what: string, { inside, outside, refused }: Tally) =>
    [what, inside + outside + refused, inside, refused, outside].map(String)
  const rows = [
    row("reads", careful),
    row("lists", listed),
    row("writes", { ...written, outside: changed }),
    row("reads that check first (for comparison)", control),
  ]
  return [table([`paths, ${swaps} swaps`, "tried", "inside", "refused", "outside"], rows)].join(
    "\n",
  )
}
