import { createHash, randomUUID } from "node:crypto"
import { mkdir, open, readdir, readFile, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Pin } from "compositor-core/contract/commands"
import { TextFiles } from "./files.ts"
import { packageDigest } from "./package.ts"

export type Trusted =
  | { readonly type: "trusted"; readonly pin: Pin }
  | { readonly type: "refused"; readonly reason: string }

/** Who says whether a file of the project may be used. */
export interface Trust {
  /** `path` is what was opened, as the kernel names it; `digest` of its bytes. */
  isTrusted(path: string, digest: string): Promise<boolean>
}

/** A file that was written over, as the kernel names it, and the digests of what it held. */
export interface WrittenFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** For one call in which the user said yes to everything that is there. */
export const TRUST_ALL: Trust = { isTrusted: async () => true }
export const TRUST_NONE: Trust = { isTrusted: async () => false }

/** Pins in a folder, one small file each: two processes never write the same one. A file that
 *  changed since it was pinned is not trusted, until the user says so again. */
export class TrustStore implements Trust {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async isTrusted(path: string, digest: string): Promise<boolean> {
    const pin = await this.#pin(path)
    if (pin?.path !== path) return false
    return pin.digest === (isSkill(path) ? await packageDigest(dirname(path)) : digest)
  }

  /** Pin a file, or the skill it is the head of, as it is now. `seen` is the digest of what the
   *  user was shown: should the file be another by now, nothing is pinned. */
  async trust(path: string, seen?: string): Promise<Trusted> {
    const file = await new TextFiles().read(path, null)
    if (file.type === "refused") return file
    if (seen !== undefined && seen !== file.digest)
      return { type: "refused", reason: `${path} changed since it was shown` }
    const digest = isSkill(file.realPath)
      ? await packageDigest(dirname(file.realPath))
      : file.digest
    if (digest === undefined)
      return { type: "refused", reason: `${dirname(path)} holds more than can be pinned` }
    const pin = { path: file.realPath, digest, trusted_at: Date.now() }
    await this.#write(pin)
    return { type: "trusted", pin }
  }

  /** A file that was trusted was changed by the user, or with their consent: it stays trusted, with
   *  what was written and nothing else. */
  async keep({ path, before, after }: WrittenFile): Promise<void> {
    if (!(await this.isTrusted(path, before))) return
    await this.#write({ path, digest: after, trusted_at: Date.now() })
  }

  async untrust(path: string): Promise<void> {
    const real = await realpath(path).catch(() => path)
    await rm(this.#file(real), { force: true })
  }

  async list(): Promise<Pin[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const pins = await Promise.all(
      names.filter((name) => PIN_FILE.test(name)).map((name) => readPin(join(this.#folder, name))),
    )
    return pins.filter((pin) => pin !== undefined)
  }

  #pin(path: string): Promise<Pin | undefined> {
    return readPin(this.#file(path))
  }

  #file(path: string): string {
    return join(this.#folder, `${createHash("sha256").update(path).digest("hex")}.json`)
  }

  async #write(pin: Pin): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const target = this.#file(pin.path)
    const temporary = `${target}.${randomUUID()}`
    const handle = await open(temporary, "wx", 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(pin)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  }
}

const PIN_FILE = /^[0-9a-f]{64}\.json$/

function isSkill(path: string): boolean {
  return basename(path).toLowerCase() === "skill.md"
}

async function readPin(path: string): Promise<Pin | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return Pin.parse(JSON.parse(text))
  } catch {
    // A pin that cannot be read pins nothing: the user is asked again.
    return undefined
  }
}
