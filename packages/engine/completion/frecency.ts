import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { z } from "zod"
import { newId } from "compositor-core/message/id"

/** What is kept of a name: how much it was used, when last, and by which sessions. */
const Used = z.tuple([z.number().min(0), z.number().min(0)], z.string().max(64))
type Used = z.infer<typeof Used>
const Kept = z.object({ version: z.literal(1), used: z.record(z.string(), Used) })

const MAX_NAMES = 1000
const MAX_KEY_CHARACTERS = 512
/** A name that more sessions use is not one session's own. */
const MAX_SESSIONS = 8
const MAX_FILE_BYTES = 2 * 1024 * 1024
const MAX_FILES = 200
const HALF_LIFE_MS = 7 * 24 * 60 * 60 * 1000
/** A name that was used so often lately is worth half of the most a name can be worth. */
const HALF_WORTH = 3
const WRITE_MS = 1000

export function keyOf(kind: string, name: string): string {
  return `${kind}:${name}`
}

/** How much and how lately names were used in a workspace: a small file that outlives the process.
 *  Losing it costs a better order and nothing else, so nothing waits for it and no fault is told. */
export class Frecency {
  readonly #file: string
  readonly #used: Map<string, Used>
  /** Sessions that are gone, and what they named with them. */
  readonly #gone = new Set<string>()
  #writing: NodeJS.Timeout | undefined

  static async open(file: string): Promise<Frecency> {
    return new Frecency(file, await readKept(file))
  }

  private constructor(file: string, used: Map<string, Used>) {
    this.#file = file
    this.#used = used
  }

  /** From 0, never, to 1. */
  share(key: string, now = Date.now()): number {
    const weight = weightOf(this.#used.get(key), now)
    return weight / (weight + HALF_WORTH)
  }

  /** Those of one kind, by name. */
  shares(kind: string, now = Date.now()): Record<string, number> {
    const prefix = keyOf(kind, "")
    const keys = [...this.#used.keys()].filter((key) => key.startsWith(prefix))
    return Object.fromEntries(keys.map((key) => [key.slice(prefix.length), this.share(key, now)]))
  }

  use(keys: readonly string[], session_id: string, now = Date.now()) {
    const short = new Set(keys.filter((key) => key.length <= MAX_KEY_CHARACTERS))
    if (short.size === 0) return
    for (const key of short) this.#used.set(key, usedBy(this.#used.get(key), session_id, now))
    forgetLeast(this.#used, now)
    this.#writing ??= setTimeout(() => void this.close(), WRITE_MS).unref()
  }

  /** What only this session named is forgotten with it (decision 17). */
  async forget(session_id: string) {
    this.#gone.add(session_id)
    const keys = [...this.#used].filter(([, [, , ...sessions]]) => sessions.includes(session_id))
    for (const [key, used] of keys) this.#put(key, used)
    if (keys.length > 0) await this.#write().catch(() => undefined)
  }

  /** Write what was not written yet. */
  async close() {
    if (this.#writing === undefined) return
    clearTimeout(this.#writing)
    this.#writing = undefined
    await this.#write().catch(() => undefined)
  }

  // Another process may have written since: of each name, the later word counts.
  async #write() {
    for (const [key, used] of await readKept(this.#file))
      if (used[1] > (this.#used.get(key)?.[1] ?? 0)) this.#put(key, used)
    forgetLeast(this.#used, Date.now())
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    const text = JSON.stringify({ version: 1, used: Object.fromEntries(this.#used) })
    const beside = `${this.#file}.${newId("prt")}`
    await writeFile(beside, text, { mode: 0o600 })
    await rename(beside, this.#file)
    await removeOldest(dirname(this.#file))
  }

  #put(key: string, [weight, at, ...sessions]: Used) {
    const left = sessions.filter((session_id) => !this.#gone.has(session_id))
    if (sessions.length > 0 && left.length === 0) this.#used.delete(key)
    else this.#used.set(key, [weight, at, ...left])
  }
}

function usedBy(used: Used | undefined, session_id: string, now: number): Used {
  const [, , ...sessions] = used ?? [0, 0]
  const others = sessions.filter((one) => one !== session_id)
  return [weightOf(used, now) + 1, now, ...[...others, session_id].slice(-MAX_SESSIONS)]
}

function weightOf(used: Used | undefined, now: number): number {
  if (!used) return 0
  const [weight, at] = used
  return weight * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS)
}

function forgetLeast(used: Map<string, Used>, now: number) {
  if (used.size <= MAX_NAMES) return
  const least = [...used].toSorted(
    ([, left], [, right]) => weightOf(left, now) - weightOf(right, now),
  )
  for (const [key] of least.slice(0, used.size - MAX_NAMES)) used.delete(key)
}

async function readKept(file: string): Promise<Map<string, Used>> {
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) return new Map()
    const { used } = Kept.parse(JSON.parse(await readFile(file, "utf8")))
    return new Map(Object.entries(used).slice(0, MAX_NAMES))
  } catch {
    return new Map()
  }
}

/** One file for each workspace that was ever used would be one too many some day. */
async function removeOldest(folder: string) {
  const names = await readdir(folder)
  if (names.length <= MAX_FILES) return
  const times = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  )
  const oldest = times.toSorted((left, right) => left.at - right.at)
  for (const { name } of oldest.slice(0, names.length - MAX_FILES))
    await rm(join(folder, name), { force: true })
}
