import { createHash } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { z } from "zod"
import { fetchUrl } from "compositor-files/fetch/fetch"

const MAX_SKILLS = 100
const MAX_FILES = 200
const MAX_FILE_BYTES = 2 * 1024 * 1024
const MAX_BYTES = 32 * 1024 * 1024
const PATIENCE_MS = 20_000

/** What an address lists at `index.json`: the files of each package, relative to its folder. */
const Index = z.object({
  skills: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
        files: z
          .array(
            z
              .string()
              .max(200)
              .regex(/^(?!.*(?:^|\/)\.)[\w./-]+$/),
          )
          .max(MAX_FILES)
          .default(["SKILL.md"]),
      }),
    )
    .max(MAX_SKILLS),
})

interface RemoteSkillDependencies {
  readonly data: string
  readonly urls: readonly string[]
  readonly log?: ((message: string) => void) | undefined
}

/** Skills that the user's settings name by address (SKL-002). They are fetched once and kept: what is
 *  trusted here does not change because something changed elsewhere. Another address, be it only by
 *  `?v=2`, is fetched anew. */
export class RemoteSkills {
  /** Where they are kept, one folder for each address, there from the start so that it is watched. */
  readonly folders: readonly string[]
  readonly #rooms: RemoteSkillDependencies
  readonly #stop = new AbortController()
  #fetching: Promise<void> | undefined

  constructor(rooms: RemoteSkillDependencies) {
    this.#rooms = rooms
    this.folders = rooms.urls.map((url) => join(rooms.data, "remote-skills", nameOf(url)))
    for (const folder of this.folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  start() {
    this.#fetching ??= this.#fetchAll()
  }

  /** Everything that was asked for has come, or never will. */
  async settled() {
    await this.#fetching
  }

  async close() {
    this.#stop.abort()
    await this.#fetching
  }

  async #fetchAll() {
    for (const [at, folder] of this.folders.entries()) {
      const url = this.#rooms.urls[at] ?? ""
      await this.#fetch(url, folder).catch((error: unknown) => {
        if (this.#stop.signal.aborted) return
        this.#rooms.log?.(`the skills of ${url} could not be fetched: ${reasonOf(error)}`)
      })
    }
  }

  async #fetch(url: string, folder: string) {
    const kept = join(folder, "skills")
    if (existsSync(kept)) return
    const beside = await mkdtemp(join(folder, ".fetched-"))
    try {
      const reader = new Reader(url, this.#stop.signal)
      const { skills } = Index.parse(JSON.parse((await reader.read("index.json")).toString()))
      for (const { name, files } of skills)
        for (const file of files) {
          const path = join(beside, name, file)
          await mkdir(dirname(path), { recursive: true })
          await writeFile(path, await reader.read(`${name}/${file}`))
        }
      await rename(beside, kept)
    } finally {
      await rm(beside, { recursive: true, force: true })
    }
  }
}

/** Reads what lies below one address, up to so many bytes in all. */
class Reader {
  readonly #base: URL
  readonly #signal: AbortSignal
  #left = MAX_BYTES

  constructor(url: string, signal: AbortSignal) {
    this.#base = new URL(url)
    if (!this.#base.pathname.endsWith("/")) this.#base.pathname += "/"
    this.#signal = signal
  }

  async read(path: string): Promise<Buffer> {
    const url = new URL(path, this.#base)
    url.search = this.#base.search
    const most = Math.min(MAX_FILE_BYTES, this.#left)
    const fetched = await fetchUrl(url.href, {
      signal: this.#signal,
      deadline_ms: PATIENCE_MS,
      max_bytes: most,
      // The user named this place, be it at home; where it sends on to is anybody's word.
      allow: [placeOf(this.#base)],
    })
    if (fetched.type === "refused") throw new Error(fetched.reason)
    if (fetched.status !== 200) throw new Error(`${path} was answered with ${fetched.status}`)
    if (fetched.truncated) throw new Error(`${path} is too large`)
    this.#left -= fetched.bytes.length
    return Buffer.from(fetched.bytes)
  }
}

function placeOf({ hostname, port, protocol }: URL): string {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  return `${host}:${port || (protocol === "https:" ? "443" : "80")}`
}

function nameOf(url: string): string {
  return createHash("sha256").update(url).digest("hex").slice(0, 32)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return String(error)
  const [issue] = error.issues
  return `index.json: /${issue?.path.join("/")}: ${issue?.message}`
}
