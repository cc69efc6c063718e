import { realpath } from "node:fs/promises"
import { isWithin } from "compositor-files/disk/within"
import type { Owners } from "compositor-engine/principals/owners"
import { ID_PATTERN } from "compositor-core/message/id"
import type { Caller } from "./caller.ts"
import { HttpError } from "./errors.ts"

/** What a request names: rows and contents by their ids, and folders to work in. */
export interface Named {
  readonly ids: ReadonlySet<string>
  /** What it would make under these ids, if nobody has. */
  readonly fresh: ReadonlySet<string>
  readonly workspaces: ReadonlySet<string>
}

const CONTENT_ID = /^sha256:[0-9a-f]{64}$/
const MAX_NAMED = 10_000
/** Where a sender says under which id something is to be kept. */
const NEW_UNDER: ReadonlySet<string> = new Set(["id", "key"])
/** Words for people and models: nothing is ever looked up by them. */
const WORDS: ReadonlySet<string> = new Set([
  "text",
  "source",
  "message",
  "title",
  "prompt",
  "reason",
  "description",
  "body",
])
/** What waits to be sent to an entity has the id of a part and is none yet; it is looked for among the
 *  caller's own entities only. */
const UNSENT = "prt_"
/** What is being typed, where an address carries it. */
const TYPED = "source"
const FOLDERS: ReadonlySet<string> = new Set(["workspace", "workspace_root"])

/** What stands in an address: any step of its path, any value of its query. */
export function namedInAddress(path: string, query: Readonly<Record<string, string[]>>): Named {
  const names = new Names()
  for (const step of path.split("/")) names.id(decoded(step))
  for (const [key, values] of Object.entries(query))
    for (const value of values) {
      if (FOLDERS.has(key)) names.folder(value)
      else if (key !== TYPED) names.id(value)
    }
  return names
}

/** What stands in a body: any string in it that is wholly an id of ours. */
export function namedInBody(body: unknown): Named {
  const names = new Names()
  names.value("", body)
  return names
}

/** The one place that decides whose things are whose: a principal may name what is its own, and what
 *  is another's is told exactly as what never was (issue I, line 4). */
export async function requireOwn(owners: Owners, caller: Caller, named: Named) {
  if (caller.type === "operator") return
  const { principal } = caller
  for (const folder of named.workspaces)
    if (!principal.workspaces.includes(folder)) throw notFoundError()
  await requireRows(owners, principal.id, named)
  const contents = [...named.ids, ...named.fresh].filter((id) => CONTENT_ID.test(id))
  const own = await owners.contents(principal.id, contents)
  if (contents.some((id) => !own.has(id))) throw notFoundError()
}

async function requireRows(known: Owners, principal: string, { ids, fresh }: Named) {
  const rows = [...ids, ...fresh].filter((id) => ID_PATTERN.test(id))
  const owners = await known.ofAll(rows)
  for (const id of rows) {
    const mayBeNew = id.startsWith(UNSENT) || (fresh.has(id) && !ids.has(id))
    if (mayBeNew && !owners.has(id)) continue
    if (owners.get(id) !== principal) throw notFoundError()
  }
}

/** Whether a folder lies in one of those that the caller may work in. Of one outside, nothing is told,
 *  not even whether it is there. */
export async function requireWithin(caller: Caller, folder: string) {
  if (caller.type === "operator") return
  const path = await realpath(folder).catch(() => undefined)
  const { workspaces } = caller.principal
  if (path === undefined || !workspaces.some((root) => isWithin(root, path))) throw notFoundError()
}

export function notFoundError(): HttpError {
  return new HttpError(404, "not_found", "it is not there, or it is another's")
}

class Names implements Named {
  readonly ids = new Set<string>()
  readonly fresh = new Set<string>()
  readonly workspaces = new Set<string>()

  id(value: string) {
    if (isOurs(value)) this.#keep(this.ids, value)
  }

  folder(value: string) {
    this.#keep(this.workspaces, value)
  }

  value(key: string, value: unknown) {
    if (typeof value === "string") return this.#text(key, value)
    if (typeof value !== "object" || value === null) return
    if (Array.isArray(value)) for (const one of value) this.value(key, one)
    else for (const [name, one] of Object.entries(value)) this.value(name, one)
  }

  #text(key: string, value: string) {
    if (FOLDERS.has(key)) return this.folder(value)
    if (WORDS.has(key) || !isOurs(value)) return
    this.#keep(NEW_UNDER.has(key) ? this.fresh : this.ids, value)
  }

  #keep(names: Set<string>, value: string) {
    names.add(value)
    if (names.size <= MAX_NAMED) return
    throw new HttpError(413, "too_large", `a request names at most ${MAX_NAMED} things`)
  }
}

function isOurs(value: string): boolean {
  return ID_PATTERN.test(value) || CONTENT_ID.test(value)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
