import { randomUUID } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { extname, join } from "node:path"
import type { Job, MadeFile } from "./converted.ts"
import { refuse } from "./refusal.ts"

/** The files that a reader makes: all in its scratch, and all together not too much. */
export class MadeFiles {
  readonly #job: Job
  readonly #made: MadeFile[] = []
  #left: number

  constructor(job: Job) {
    this.#job = job
    this.#left = job.limits.output_bytes
  }

  get files(): readonly MadeFile[] {
    return this.#made
  }

  async add(suffix: string, mime: string, bytes: Uint8Array): Promise<void> {
    this.#left -= bytes.length
    if (this.#left < 0)
      refuse(
        `What is made of ${this.#job.file.name} exceeds ${this.#job.limits.output_bytes} bytes.`,
      )
    const name = `${stem(this.#job.file.name)}${suffix}`
    const path = join(this.#job.scratch, `${randomUUID()}${extname(name)}`)
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 })
    this.#made.push({ path, name, mime, size: bytes.length })
  }
}

/** A file's name without its extension, fit to be the beginning of another. */
export function stem(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? ""
  const bare = base.slice(0, base.length - extname(base).length) || base
  const plain = bare.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "")
  return plain.slice(0, 60).toWellFormed() || "file"
}
