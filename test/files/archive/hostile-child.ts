// Extracts every archive that it is told of, in one process that does nothing else: its memory tells of
// the worst of them.

import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { extractArchive } from "../../../packages/files/archives/archive.ts"

export interface Outcome {
  readonly what: string
  readonly type: string
  readonly reason: string
  readonly milliseconds: number
  /** What was written. */
  readonly files: number
  readonly bytes: number
  /** Anything that is neither a plain file nor a folder. */
  readonly strange: readonly string[]
  /** Anything new beside the destination. */
  readonly outside: readonly string[]
}

/** A line that asks for one archive, by its path. */
export interface Asked {
  readonly what: string
  readonly path: string
}

const EXPECTED = new Set(["inner", "inner/to", "outside", "outside/secret"])
const [folder = ""] = process.argv.slice(2)

for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await suffer(JSON.parse(line) as Asked)
  const resident = process.resourceUsage().maxRSS * 1024
  process.stdout.write(`${JSON.stringify({ outcome, resident })}\n`)
}

async function suffer({ what, path }: Asked): Promise<Outcome> {
  const box = join(folder, "box")
  const to = join(box, "inner", "to")
  mkdirSync(join(box, "inner"), { recursive: true })
  mkdirSync(join(box, "outside"))
  writeFileSync(join(box, "outside", "secret"), "secret")
  const began = performance.now()
  const result = await extractArchive({ path }, { to })
  const milliseconds = performance.now() - began
  const found = [...everything(to)]
  const outcome = {
    what,
    type: result.type,
    reason: result.type === "refused" ? result.reason : "",
    milliseconds,
    files: found.filter(({ kind }) => kind === "file").length,
    bytes: found.reduce((sum, { size }) => sum + size, 0),
    strange: found.filter(({ kind }) => kind === "strange").map(({ path }) => path),
    outside: outside(box, to),
  }
  rmSync(box, { recursive: true })
  return outcome
}

function* everything(folder: string): Generator<{ path: string; kind: string; size: number }> {
  for (const name of list(folder)) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const isPlain = stats.isFile() && stats.nlink === 1 && (stats.mode & 0o7111) === 0
    const kind = stats.isDirectory() ? "folder" : isPlain ? "file" : "strange"
    yield { path, kind, size: kind === "folder" ? 0 : stats.size }
    if (kind === "folder") yield* everything(path)
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function outside(box: string, to: string): string[] {
  const beside = [...everything(box)]
    .map(({ path }) => path)
    .filter((path) => !path.startsWith(`${to}/`))
    .map((path) => path.slice(box.length + 1))
    .filter((path) => !EXPECTED.has(path))
  const far = list("/tmp").filter((name) => name === "compositor-evil")
  return [...beside, ...far]
}
