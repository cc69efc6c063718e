import { denyList } from "./deny.ts"
import { DENIED } from "./deny-rules.ts"
import { type IgnoreLists, ignoredBy } from "./ignore.ts"
import { IgnoreFiles } from "./ignore-files.ts"
import { mayMatch } from "./name-sieve.ts"

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
    initials: new Set(settings.ignore_files.map((name) => name.charCodeAt(0))),
    denied: denyList([...DENIED, ...settings.deny]),
  }
  const folder = files.prefix
  const where = { folder, lower: folder.toLowerCase(), depth: folder.split("/").length }
  return new Hidden(rules, files.listsAboveRoot(), where)
}

const DOT = 0x2e
const NEVER_SHOWN: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj", ".DS_Store"])

interface Rules {
  readonly files: IgnoreFiles
  /** Of ignore files, and what those begin with. */
  readonly names: ReadonlySet<string>
  readonly initials: ReadonlySet<number>
  readonly denied: IgnoreLists
}

interface Where {
  /** From the top, with a slash at its end; and the same in lower case. */
  readonly folder: string
  readonly lower: string
  /** Of what lies in the folder. */
  readonly depth: number
}

/** What is hidden in one folder. */
class Hidden {
  readonly #rules: Rules
  /** Of every kind of ignore file, those that hold here. */
  readonly #lists: readonly IgnoreLists[]
  readonly #where: Where

  constructor(rules: Rules, lists: readonly IgnoreLists[], where: Where) {
    this.#rules = rules
    this.#lists = lists
    this.#where = where
  }

  hides(name: string, isFolder: boolean): boolean {
    if (name.charCodeAt(0) === DOT && NEVER_SHOWN.has(name)) return true
    return this.#isDenied(name, isFolder) || this.#isIgnored(name, isFolder)
  }

  #isDenied(name: string, isFolder: boolean): boolean {
    const { denied } = this.#rules
    if (!anyMayMatch(denied, name)) return false
    const { lower, depth } = this.#where
    const small = name.toLowerCase()
    const entry = { path: lower + small, name: small, depth, isFolder }
    return ignoredBy(denied, entry) !== undefined
  }

  #isIgnored(name: string, isFolder: boolean): boolean {
    const { folder, depth } = this.#where
    for (const lists of this.#lists) {
      if (!anyMayMatch(lists, name)) continue
      if (ignoredBy(lists, { path: folder + name, name, depth, isFolder })) return true
    }
    return false
  }

  /** Whether an entry of this name says what is hidden. */
  isRule(name: string): boolean {
    return this.#rules.initials.has(name.charCodeAt(0)) && this.#rules.names.has(name)
  }

  /** The view of this folder with the ignore files that were found in it. */
  with(names: readonly string[]): Hidden {
    const { files } = this.#rules
    const lists = this.#lists.map((lists, at) => {
      const name = files.names[at] ?? ""
      const list = names.includes(name) ? files.list(name, this.#where.folder) : undefined
      return list ? [...lists, list] : lists
    })
    return new Hidden(this.#rules, lists, this.#where)
  }

  /** The view of a folder in this one. */
  enter(name: string): Hidden {
    const { folder, lower, depth } = this.#where
    return new Hidden(this.#rules, this.#lists, {
      folder: `${folder}${name}/`,
      lower: `${lower}${name.toLowerCase()}/`,
      depth: depth + 1,
    })
  }
}

function anyMayMatch(lists: IgnoreLists, name: string): boolean {
  for (const { sieve } of lists) if (mayMatch(sieve, name)) return true
  return false
}
