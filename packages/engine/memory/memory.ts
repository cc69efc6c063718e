import { createHash } from "node:crypto"
import { isMostly } from "./echo.ts"
import {
  type Author,
  MAX_BODY_BYTES,
  MemoryName,
  type MemoryScope,
  MemoryType,
} from "compositor-core/contract/memory"
import { asLine, firstLine, type MemoryEntry, neutral } from "./entry.ts"
import type { MemoryProposal } from "compositor-core/contract/memory"
import { MAX_PROPOSALS, Proposals } from "./proposals.ts"
import { MAX_ENTRIES, MemoryFolder, type MemoryFile } from "./shelf.ts"

export interface MemoryDependencies {
  /** Across every session of the user. */
  readonly user: string
  /** Of the project, outside of it: nobody else's. */
  readonly project?: string | undefined
  /** `.agents/memory` of the project: comes and goes with the repository. */
  readonly shared?: string | undefined
  /** The project's folder, which that must lie in. */
  readonly root?: string | undefined
  /** Where a project's memory is written. */
  readonly keep?: "project" | "shared" | undefined
  /** Where changes wait for a person, by scope; without, nothing can be proposed. */
  readonly proposals?: Readonly<Partial<Record<MemoryScope, string>>> | undefined
  readonly trust: MemoryTrust
  /** What may be kept of a text: secrets are taken out (BEY-04). */
  readonly admit?: ((text: string) => string) | undefined
}

/** Whether a file that came with a repository may be used. */
interface MemoryTrust {
  isTrusted(path: string, digest: string): Promise<boolean>
  trust(path: string): Promise<unknown>
}

export interface KnownMemory {
  readonly entry: MemoryEntry
  readonly path: string
  /** It came with the repository, and nobody has said yes to it: its name is all that is told. */
  readonly trusted: boolean
}

export interface NewMemory {
  readonly scope: MemoryScope
  readonly name: string
  readonly body: string
  readonly description?: string | undefined
  readonly type?: string | undefined
  readonly author: Author
  /** What was read from files in this session: a memory is not a copy of one (UX-039). */
  readonly files?: readonly string[]
}

export type MemoryAnswer<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "missing"; readonly message: string }
  /** The name is in both scopes: the caller must say which. */
  | { readonly type: "choose"; readonly scopes: readonly MemoryScope[]; readonly message: string }
  | { readonly type: "refused"; readonly message: string }

/** A change that a person decides later. */
type ProposedChange =
  | ({ readonly action: "write" } & NewMemory)
  | {
      readonly action: "delete"
      readonly name: string
      readonly scope?: MemoryScope | undefined
      readonly author: Author
    }

/** What is kept across sessions: files that people can read, one for each memory. Only memory tools
 *  and people change it; a rewind does not (UX-040). */
export class Memory {
  readonly #rooms: MemoryDependencies
  /** The first that has a name wins, within a scope. */
  readonly #shelves: readonly MemoryFolder[]

  constructor(rooms: MemoryDependencies) {
    this.#rooms = rooms
    this.#shelves = [
      new MemoryFolder("user", rooms.user),
      ...(rooms.project === undefined ? [] : [new MemoryFolder("project", rooms.project)]),
      ...(rooms.shared === undefined
        ? []
        : [new MemoryFolder("project", rooms.shared, rooms.root)]),
    ]
  }

  async list(): Promise<KnownMemory[]> {
    const known = new Map<string, KnownMemory>()
    for (const shelf of this.#shelves)
      for (const file of await shelf.list()) {
        const key = `${shelf.scope}/${file.entry.name}`
        if (!known.has(key)) known.set(key, await this.#know(shelf, file))
      }
    return [...known.values()]
  }

  async read(name: string, scope?: MemoryScope): Promise<MemoryAnswer<MemoryEntry>> {
    const found = await this.#find(name, scope)
    if (found.type !== "done") return found
    const { entry, path, trusted } = found.value.memory
    if (trusted) return { type: "done", value: entry }
    const message = `The memory ${name} came with the repository (${path}) and is not trusted yet.`
    return { type: "refused", message }
  }

  async write(memory: NewMemory): Promise<MemoryAnswer<MemoryEntry>> {
    const fault = this.#fault(memory)
    if (fault) return { type: "refused", message: fault }
    const shelf = this.#shelfFor(memory.scope)
    if (!shelf) return { type: "refused", message: "There is no project here to keep it for." }
    const entry = this.#entryOf(memory)
    const known = await shelf.list()
    if (known.length >= MAX_ENTRIES && !known.some((file) => file.entry.name === entry.name))
      return {
        type: "refused",
        message: `There are ${MAX_ENTRIES} memories already: delete one first.`,
      }
    const { path } = await shelf.write(entry)
    if (shelf.folder === this.#rooms.shared) await this.#rooms.trust.trust(path)
    return { type: "done", value: entry }
  }

  async delete(name: string, scope?: MemoryScope): Promise<MemoryAnswer<MemoryEntry>> {
    const found = await this.#find(name, scope)
    if (found.type !== "done") return found
    await found.value.shelf.delete(name)
    return { type: "done", value: found.value.memory.entry }
  }

  /** Whether the name is a file's that came with a repository and that nobody has said yes to. */
  async isUntrusted(name: string, scope?: MemoryScope): Promise<boolean> {
    if (!MemoryName.safeParse(name).success) return false
    for (const shelf of this.#shelves) {
      const file = scope && shelf.scope !== scope ? undefined : await shelf.read(name)
      if (file && !(await this.#know(shelf, file)).trusted) return true
    }
    return false
  }

  /** Keep a change for a person to decide; nothing else happens yet (UX-041). */
  async propose(change: ProposedChange, reason: string): Promise<MemoryAnswer<MemoryProposal>> {
    const told = change.action === "write" ? this.#written(change) : await this.#deleted(change)
    if (told.type !== "done") return told
    const entry = told.value
    const folder = this.#rooms.proposals?.[entry.scope]
    if (folder === undefined)
      return { type: "refused", message: "There is no project here to keep it for." }
    const { scope, name, description, type, body } = entry
    const { action, author } = change
    const about = { scope, name, description, type, body, author, reason }
    const proposal = await new Proposals(folder).add({ action, ...about })
    if (proposal !== "full") return { type: "done", value: proposal }
    const message = `There are ${MAX_PROPOSALS} proposals that nobody has decided yet.`
    return { type: "refused", message }
  }

  /** What waits for a person, the oldest first. */
  async proposals(): Promise<MemoryProposal[]> {
    const { user, project } = this.#rooms.proposals ?? {}
    const folders = [user, project].filter((folder) => folder !== undefined)
    const waiting = await Promise.all(folders.map((folder) => new Proposals(folder).list()))
    return waiting.flat().sort((left, right) => left.proposed_at - right.proposed_at)
  }

  /** A person's yes or no. What was agreed to and cannot be done still waits. */
  async decide(id: string, accepted: boolean): Promise<MemoryAnswer<MemoryProposal>> {
    const proposal = (await this.proposals()).find((one) => one.id === id)
    if (!proposal)
      return { type: "missing", message: `There is no proposal ${asLine(id)} that waits.` }
    if (accepted) {
      const done = await this.#perform(proposal)
      if (done.type !== "done") return done
    }
    await new Proposals(this.#rooms.proposals?.[proposal.scope] ?? "").remove(id)
    return { type: "done", value: proposal }
  }

  #perform({ action, scope, name, body, description, type, author }: MemoryProposal) {
    if (action === "write") return this.write({ scope, name, body, description, type, author })
    return this.delete(name, scope)
  }

  #written(memory: NewMemory): MemoryAnswer<MemoryEntry> {
    const fault = this.#fault(memory)
    return fault
      ? { type: "refused", message: fault }
      : { type: "done", value: this.#entryOf(memory) }
  }

  async #deleted({
    name,
    scope,
    author,
  }: {
    name: string
    scope?: MemoryScope | undefined
    author: Author
  }): Promise<MemoryAnswer<MemoryEntry>> {
    const found = await this.#find(name, scope)
    if (found.type !== "done") return found
    return { type: "done", value: { ...found.value.memory.entry, body: "", author } }
  }

  #shelfFor(scope: MemoryScope): MemoryFolder | undefined {
    if (scope === "user") return this.#shelves[0]
    const folder = this.#rooms.keep === "shared" ? this.#rooms.shared : this.#rooms.project
    return this.#shelves.find((shelf) => shelf.folder === folder)
  }

  #fault({ name, body, type, files = [] }: NewMemory): string | undefined {
    const named = MemoryName.safeParse(name)
    if (!named.success) return `"${asLine(name)}" is no name: it ${named.error.issues[0]?.message}.`
    if (type !== undefined && !MemoryType.safeParse(type).success)
      return `"${asLine(type)}" is no type: one lower-case word is.`
    if (neutral(body).trim() === "") return "There is nothing to remember in it."
    if (Buffer.byteLength(body) > MAX_BODY_BYTES)
      return `It is longer than ${MAX_BODY_BYTES} bytes: keep what cannot be read again elsewhere.`
    if (isMostly(body, files))
      return "It is mostly a file that was read: remember where it is instead."
    return undefined
  }

  #entryOf({ scope, name, body, description, type, author }: NewMemory): MemoryEntry {
    const admit = this.#rooms.admit ?? ((text: string) => text)
    const kept = neutral(admit(body)).trim()
    return {
      scope,
      name,
      description: asLine(admit(description ?? firstLine(kept))),
      type: type ?? scope,
      body: kept,
      author,
      updated_at: Date.now(),
    }
  }

  async #find(
    name: string,
    scope?: MemoryScope,
  ): Promise<MemoryAnswer<{ memory: KnownMemory; shelf: MemoryFolder }>> {
    if (!MemoryName.safeParse(name).success) return missing(name)
    const found = new Map<MemoryScope, { memory: KnownMemory; shelf: MemoryFolder }>()
    for (const shelf of this.#shelves) {
      if ((scope && shelf.scope !== scope) || found.has(shelf.scope)) continue
      const file = await shelf.read(name)
      if (file) found.set(shelf.scope, { memory: await this.#know(shelf, file), shelf })
    }
    const [first, second] = found.values()
    if (!first) return missing(name)
    if (!second) return { type: "done", value: first }
    const message = `${name} is a memory of the user and one of the project: say which scope.`
    return { type: "choose", scopes: [...found.keys()], message }
  }

  async #know(shelf: MemoryFolder, { entry, path, text }: MemoryFile): Promise<KnownMemory> {
    if (shelf.folder !== this.#rooms.shared) return { entry, path, trusted: true }
    return { entry, path, trusted: await this.#rooms.trust.isTrusted(path, digestOf(text)) }
  }
}

function missing(name: string): { type: "missing"; message: string } {
  return { type: "missing", message: `There is no memory named ${asLine(name)}.` }
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`
}
