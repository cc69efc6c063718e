import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { MemoryProposal } from "compositor-core/contract/memory"

/** So many may wait; who proposes more is told that nobody has decided those. */
export const MAX_PROPOSALS = 100
/** A body and a head, written as JSON. */
const MAX_FILE_CHARACTERS = 128 * 1024

type NewProposal = Omit<MemoryProposal, "id" | "proposed_at">

/** The proposals of one scope: a folder with one file for each, outside of every repository. */
export class Proposals {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The oldest first. */
  async list(): Promise<MemoryProposal[]> {
    const names = await readdir(this.#folder).catch(() => [])
    const files = names.filter((name) => /^prp_[0-9a-f]{16}\.json$/.test(name))
    const read = await Promise.all(files.map((name) => this.#read(name)))
    const known = read.filter((proposal) => proposal !== undefined)
    return known.sort((left, right) => left.proposed_at - right.proposed_at)
  }

  /** The same change of the same name again takes the place of the one that waits. */
  async add(proposed: NewProposal): Promise<MemoryProposal | "full"> {
    const waiting = await this.list()
    const same = waiting.find(
      ({ action, name }) => action === proposed.action && name === proposed.name,
    )
    if (!same && waiting.length >= MAX_PROPOSALS) return "full"
    const id = same?.id ?? `prp_${randomBytes(8).toString("hex")}`
    const proposal = { ...proposed, id, proposed_at: Date.now() }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#path(id)
    await writeFile(`${path}.part`, JSON.stringify(proposal), { mode: 0o600 })
    await rename(`${path}.part`, path)
    return proposal
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true })
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`)
  }

  async #read(name: string): Promise<MemoryProposal | undefined> {
    const text = await readFile(join(this.#folder, name), "utf8").catch(() => "")
    if (text === "" || text.length > MAX_FILE_CHARACTERS) return undefined
    try {
      return MemoryProposal.safeParse(JSON.parse(text)).data
    } catch {
      return undefined
    }
  }
}
