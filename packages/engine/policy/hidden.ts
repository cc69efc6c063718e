import { denyList } from "./deny.ts"
import { DENIED } from "./deny-rules.ts"
import { type IgnoreLists, ignoredBy } from "./ignore.ts"
import { IgnoreFiles } from "./ignore-files.ts"
import { mayMatch, type NameSieve, unionOf } from "./name-sieve.ts"

/** What the thread that searches for files is told. */
export interface HiddenSettings {
  readonly deny: readonly string[]
  readonly ignore_files: readonly string[]
}

/** What a search for files does not show: what the policy would not let in, and what nobody looks
 *  for. The thread that searches imports this module by its address. */
export function viewOf(root: string, settings: HiddenSettings): Hidden {
  const files = new IgnoreFiles(root, settings.ignore_files)
  const rules = {
    files,
    names: new Set(settings.ignore_files),
    initials: [...new Set(settings.ignore_files.map((name) => name.charCodeAt(0)))],
    denied: denyList([...NEVER_SHOWN, ...DENIED, ...settings.deny]),
  }
  const folder = files.prefix
  const depth = folder.split("/").length
  return new Hidden(rules, holdingHere(rules, files.listsAboveRoot()), { folder, depth })
}

const NEVER_SHOWN = [".git", ".hg", ".svn", ".jj", ".ds_store"]

interface Rules {
  readonly files: IgnoreFiles
  /** Of ignore files, and what those begin with. */
  readonly names: ReadonlySet<string>
  readonly initials: readonly number[]
  readonly denied: IgnoreLists
}

/** Of every kind of ignore file, those that hold in a folder; and what none of them can match. */
interface Holding {
  readonly lists: readonly IgnoreLists[]
  readonly sieve: NameSieve
}

function holdingHere({ denied }: Rules, lists: readonly IgnoreLists[]): Holding {
  return { lists, sieve: unionOf([...denied, ...lists.flat()].map(({ sieve }) => sieve)) }
}

interface Where {
  /** From the top, with a slash at its end. */
  readonly folder: string
  /** Of what lies in the folder. */
  readonly depth: number
}

/** What is hidden in one folder. */
class Hidden {
  readonly #rules: Rules
  readonly #holding: Holding
  readonly #where: Where

  constructor(rules: Rules, holding: Holding, where: Where) {
    this.#rules = rules
    this.#holding = holding
    this.#where = where
  }

  hides(name: string, isFolder: boolean): boolean {
    if (!mayMatch(this.#holding.sieve, name)) return false
    return this.#isDenied(name, isFolder) || this.#isIgnored(name, isFolder)
  }

  #isDenied(name: string, isFolder: boolean): boolean {
    const { folder, depth } = this.#where
    const path = (folder + name).toLowerCase()
    const entry = { path, name: name.toLowerCase(), depth, isFolder }
    return ignoredBy(this.#rules.denied, entry) !== undefined
  }

  #isIgnored(name: string, isFolder: boolean): boolean {
    const { folder, depth } = this.#where
    const entry = { path: folder + name, name, depth, isFolder }
    return this.#holding.lists.some((lists) => ignoredBy(lists, entry) !== undefined)
  }

  /** Whether an entry of this name says what is hidden. */
  isRule(name: string): boolean {
    const { initials, names } = this.#rules
    return initials.includes(name.charCodeAt(0)) && names.has(name)
  }

  /** The view of this folder with the ignore files that were found in it. */
  with(names: readonly string[]): Hidden {
    const { files } = this.#rules
    const lists = this.#holding.lists.map((lists, at) => {
      const name = files.names[at] ?? ""
      const list = names.includes(name) ? files.list(name, this.#where.folder) : undefined
      return list ? [...lists, list] : lists
    })
    return new Hidden(this.#rules, holdingHere(this.#rules, lists), this.#where)
  }

  /** The view of a folder in this one. */
  enter(name: string): Hidden {
    const { folder, depth } = this.#where
    const where = { folder: `${folder}${name}/`, depth: depth + 1 }
    return new Hidden(this.#rules, this.#holding, where)
  }
}
