import { type Glob, globMatches, lastNameOf, type GlobEntry } from "./glob.ts"
import { mayMatch, type NameSieve, sieveOf } from "./name-sieve.ts"
import { readGlob } from "./read-glob.ts"

interface IgnoreRule {
  readonly glob: Glob
  readonly negated: boolean
  readonly foldersOnly: boolean
  /** As it was written, and where. */
  readonly pattern: string
  readonly line: number
}

/** The rules of one ignore file. They hold in its folder and below. */
export interface IgnoreList {
  /** What a person is told: `src/.gitignore`. */
  readonly file: string
  /** The folder it lies in, from the top: "" or "src/". */
  readonly base: string
  /** How many names `base` has. */
  readonly depth: number
  /** The rules that ask for a certain name at the end of the path, by that name. */
  readonly named: ReadonlyMap<string, readonly IgnoreRule[]>
  readonly others: readonly IgnoreRule[]
  readonly sieve: NameSieve
}

/** The lists that hold in a folder, the outermost first. */
export type IgnoreLists = readonly IgnoreList[]

const MAX_RULES = 20_000

/** Read an ignore file as git does. One with too many rules hides its whole folder: what it would
 *  have hidden is not known. */
export function readIgnoreList(file: string, base: string, text: string): IgnoreList {
  const lines = text.replace(/^\uFEFF/, "").split("\n", MAX_RULES + 1)
  return listOf(file, base, lines.length > MAX_RULES ? EVERYTHING : lines)
}

/** For an ignore file that could not be read. */
export function hideEverything(file: string, base: string): IgnoreList {
  return listOf(file, base, EVERYTHING)
}

const EVERYTHING = ["*"]

export function listOf(file: string, base: string, lines: readonly string[]): IgnoreList {
  const rules = lines.flatMap((line, at) => ruleOf(line, at + 1) ?? [])
  return {
    file,
    base,
    depth: base.split("/").length - 1,
    named: byName(rules),
    others: rules.filter(({ glob }) => lastNameOf(glob) === undefined),
    sieve: sieveOf(rules.map(({ glob }) => glob)),
  }
}

function byName(rules: readonly IgnoreRule[]): Map<string, IgnoreRule[]> {
  const groups = new Map<string, IgnoreRule[]>()
  for (const rule of rules) {
    const name = lastNameOf(rule.glob)
    const group = name === undefined ? undefined : groups.get(name)
    if (group) group.push(rule)
    else if (name !== undefined) groups.set(name, [rule])
  }
  return groups
}

function ruleOf(text: string, line: number): IgnoreRule | undefined {
  if (text.startsWith("#")) return undefined
  const pattern = withoutTrailingSpaces(text.endsWith("\r") ? text.slice(0, -1) : text)
  const negated = pattern.startsWith("!")
  const positive = negated ? pattern.slice(1) : pattern
  if (positive === "") return undefined
  const foldersOnly = positive.endsWith("/")
  const glob = readGlob(foldersOnly ? positive.slice(0, -1) : positive)
  return { glob, negated, foldersOnly, pattern, line }
}

/** Spaces at the end do not count, unless a backslash stands before them. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === " ") end -= 1
  if (end === text.length) return text
  let backslashes = 0
  while (text[end - 1 - backslashes] === "\\") backslashes += 1
  return text.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

/** Something in the tree, by its path from the top. */
interface TreeEntry {
  readonly path: string
  readonly name: string
  /** How many names the path has. */
  readonly depth: number
  readonly isFolder: boolean
}

export interface IgnoredBy {
  readonly file: string
  readonly rule: IgnoreRule
}

/** The rule that decides about an entry: the last that matches, in the innermost list that has one.
 *  Whether its folder is ignored was asked before: nothing in an ignored folder comes back. */
export function ignoredBy(lists: IgnoreLists, entry: TreeEntry): IgnoredBy | undefined {
  for (let at = lists.length - 1; at >= 0; at--) {
    const list = lists[at]!
    if (!mayMatch(list.sieve, entry.name)) continue
    const rule = decisiveRule(list, entry)
    if (rule) return rule.negated ? undefined : { file: list.file, rule }
  }
  return undefined
}

function decisiveRule(list: IgnoreList, entry: TreeEntry): IgnoreRule | undefined {
  const { path, name, isFolder } = entry
  const place = { path, from: list.base.length, name, depth: entry.depth - list.depth, isFolder }
  return lastMatch(list.others, place, lastMatch(list.named.get(name), place, undefined))
}

/** The last rule that matches and was written after `known`, else `known`. */
function lastMatch(
  rules: readonly IgnoreRule[] | undefined,
  place: GlobEntry & { readonly isFolder: boolean },
  known: IgnoreRule | undefined,
): IgnoreRule | undefined {
  if (rules === undefined) return known
  const after = known?.line ?? 0
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at]!
    if (rule.line < after) return known
    if (rule.foldersOnly && !place.isFolder) continue
    if (globMatches(rule.glob, place)) return rule
  }
  return known
}

/** Every entry on the way to a path, from the first below `from`; the path itself comes last. */
export function entriesTo(path: string, from: number, isFolder: boolean): TreeEntry[] {
  const entries: TreeEntry[] = []
  let depth = path.slice(0, from).split("/").length
  let start = from
  while (start < path.length) {
    const slash = path.indexOf("/", start)
    const end = slash < 0 ? path.length : slash
    const isLast = slash < 0
    entries.push({
      path: path.slice(0, end),
      name: path.slice(start, end),
      depth,
      isFolder: !isLast || isFolder,
    })
    depth += 1
    start = end + 1
  }
  return entries
}
