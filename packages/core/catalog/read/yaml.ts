import { errorMessage, recordOf } from "../../message/untyped.ts"
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
} from "yaml"
import { MAX_YAML_DEPTH, MAX_YAML_NODES } from "../limits.ts"

/** A value as YAML has it, with every scalar a string: `3000`, `true` and `1.0` are what was
 *  written, and the reader of a key decides what it means. */
export type YamlValue = string | readonly YamlValue[] | { readonly [key: string]: YamlValue }

export interface YamlEntry {
  readonly value: YamlValue
  /** As written, so that `[topic: x | y]` can be what its author meant: a text. */
  readonly written: string
  /** 1-based, within the YAML. */
  readonly line: number
}

interface YamlNote {
  readonly line: number
  readonly message: string
}

export type YamlReading =
  | {
      readonly type: "map"
      readonly entries: ReadonlyMap<string, YamlEntry>
      /** What had to be repaired before it could be read. */
      readonly repairs: readonly YamlNote[]
    }
  | {
      readonly type: "fault"
      readonly line: number
      readonly message: string
      /** It could be read, and is not wanted: nothing to repair. */
      readonly refused?: boolean
    }

/** Read a YAML map that people write by hand. The usual slips are repaired, and told of. */
export function readYaml(text: string): YamlReading {
  const plain = plainMap(text)
  if (plain) return plain
  if (isTooDeep(text)) return { ...fault(1, TOO_DEEP), refused: true }
  const first = parse(text)
  if (first.type === "map" || first.refused) return first
  const { repaired, repairs } = repair(text)
  if (repairs.length === 0) return first
  const second = parse(repaired)
  return second.type === "map" ? { ...second, repairs } : first
}

// Letters and marks that mean nothing to YAML where they stand: a word of them, or a quoted text.
const PLAIN_LINE =
  /^([A-Za-z][\w-]*): (?:([A-Za-z0-9][\w .,;()/'"+-]*)|"([ !#-[\]-~\u00a1-\u167f\u2010-\u2027]*)")$/

/** Most heads are lines of one key and one plain value. Those are read without the parser, which has to
 *  be woken first; undefined for all others. */
function plainMap(text: string): YamlReading | undefined {
  const entries = new Map<string, YamlEntry>()
  for (const [at, line] of text.replace(/\n$/, "").split("\n").entries()) {
    const [, key, word, quoted] = PLAIN_LINE.exec(line) ?? []
    const value = word ?? quoted
    if (key === undefined || value === undefined || FORBIDDEN.has(key) || entries.has(key))
      return undefined
    if (word?.endsWith(" ")) return undefined
    entries.set(key, { value, written: line.slice(key.length + 2), line: at + 1 })
  }
  return { type: "map", entries, repairs: [] }
}

const TOO_DEEP = `it nests deeper than ${MAX_YAML_DEPTH} levels`

function fault(line: number, message: string): Extract<YamlReading, { type: "fault" }> {
  return { type: "fault", line, message }
}

// Asked before the parser is, whose time grows with the depth.
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const { 0: bracket } of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1))
    if (depth > MAX_YAML_DEPTH) return true
  }
  return false
}

function parse(text: string): YamlReading {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  })
  const [error] = document.errors
  if (error) return fault(lines.linePos(error.pos[0]).line, sentence(error.message))
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === ""))
    return { type: "map", entries: new Map(), repairs: [] }
  if (!isMap(contents)) return fault(1, "it is not a list of keys and values")
  try {
    const walk: Walk = { document, nodes: 0 }
    const entries = contents.items.map((pair) => entryOf(pair, walk, { text, lines }))
    return { type: "map", entries: new Map(entries), repairs: [] }
  } catch (error) {
    const told = fault(1, sentence(errorMessage(error)))
    return error instanceof Refused ? { ...told, refused: true } : told
  }
}

function sentence(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/[\s.:]+$/, "")
}

interface Walk {
  readonly document: Document
  nodes: number
}

interface Written {
  readonly text: string
  readonly lines: LineCounter
}

function entryOf(pair: Pair, walk: Walk, { text, lines }: Written): [string, YamlEntry] {
  const [from = 0] = rangeOf(pair.key)
  const [start = from, end = start] = rangeOf(pair.value)
  const value = valueOf(pair.value, walk, 1)
  return [
    keyOf(pair.key),
    { value, written: text.slice(start, end), line: lines.linePos(from).line },
  ]
}

function rangeOf(node: unknown): readonly number[] {
  const { range } = recordOf(node)
  return Array.isArray(range) ? range : []
}

class Refused extends Error {}

const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"])

function keyOf(node: unknown): string {
  const key = isScalar(node) ? String(node.value) : ""
  if (FORBIDDEN.has(key)) throw new Refused(`it has the key ${key}, which is refused`)
  return key
}

function valueOf(node: unknown, walk: Walk, depth: number): YamlValue {
  walk.nodes += 1
  if (walk.nodes > MAX_YAML_NODES)
    throw new Refused(`it comes to more than ${MAX_YAML_NODES} values`)
  if (depth > MAX_YAML_DEPTH) throw new Refused(TOO_DEEP)
  if (isAlias(node)) return valueOf(anchored(node, walk), walk, depth + 1)
  if (isSeq(node)) return node.items.map((item) => valueOf(item, walk, depth + 1))
  if (isMap(node))
    return Object.fromEntries(
      node.items.map((pair) => [keyOf(pair.key), valueOf(pair.value, walk, depth + 1)]),
    )
  return isScalar(node) && typeof node.value === "string" ? node.value : ""
}

function anchored(alias: Alias, { document }: Walk): unknown {
  const node = alias.resolve(document)
  if (node === undefined) throw new Error(`nothing is called ${alias.source}`)
  return node
}

/** Past this many lines nobody's slip is looked for. */
const MAX_REPAIRED_LINES = 400

/** A value on one line that YAML cannot read as it stands is read as if it were quoted: most often
 *  it holds `: `, or goes on after a bracket or a quote. */
function repair(text: string): { repaired: string; repairs: YamlNote[] } {
  const lines = text.split(/\r?\n/)
  const repairs: YamlNote[] = []
  if (lines.length > MAX_REPAIRED_LINES) return { repaired: text, repairs }
  const repaired = lines.map((line, at) => {
    const [, key, value] = ONE_LINE.exec(line) ?? []
    if (key === undefined || value === undefined || goesOn(lines[at + 1])) return line
    if (parse(line).type === "map") return line
    repairs.push({ line: at + 1, message: `the value of ${key} was read as if it were quoted` })
    return `${key}: '${value.replaceAll("'", "''")}'`
  })
  return { repaired: repaired.join("\n"), repairs }
}

const ONE_LINE = /^([A-Za-z][\w-]{0,63}):[ \t]+(\S.*?)[ \t]*$/

function goesOn(next: string | undefined): boolean {
  return next !== undefined && /^[ \t]+\S/.test(next)
}
