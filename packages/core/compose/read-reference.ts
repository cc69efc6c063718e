import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "../message/limits.ts"
import { type ReadAddress, readAddress, readQuoted, readWordAddress } from "./address.ts"
import { AT_SIGN, BANG, COLON, HASH, PATH, SEPARATOR, TRAITS } from "./characters.ts"
import type { KnownNode } from "./node.ts"
import { plainLines, plainLinesAt } from "./plain-lines.ts"
import { examine, type SourceReading, readWord, strippedEnd } from "./reading.ts"
import { traitAt, unitAt, type Units } from "./units.ts"
import type { Prefix } from "./vocabulary.ts"

/** A reference is read this far and no further, so that no keystroke can matter far away. */
const MAX_REFERENCE_CHARACTERS = MAX_PATH_CHARACTERS

const QUOTE = 34
const COLON_UNIT = 58

/** Read the reference whose `@` is at `at`, if there is one, and say where to go on. */
export function readReference(reading: SourceReading, at: number): number {
  const { text } = reading
  const start = at + 1
  const limit = Math.min(text.length, at + MAX_REFERENCE_CHARACTERS)
  const end = readWord(reading, start, limit)
  if (end === start)
    return unitAt(reading.units, start) === QUOTE ? readFile(reading, at, start) : start
  if (end === limit && limit < text.length) return end
  const { seen } = reading
  if (seen & COLON) return readColon(reading, at, end)
  if (seen & (HASH | BANG)) return readPlacedPath(reading, at, end)
  return seen & PATH ? readPath(reading, at, end) : readContext(reading, at, end)
}

/** A word that looks like a path. */
function readPath(reading: SourceReading, at: number, end: number): number {
  const { text, nodes, base } = reading
  const start = at + 1
  const stripped = strippedEnd(reading, start, end)
  if ((stripped < end || isOdd(reading, start)) && !isPath(text, start, stripped)) return end
  const raw = text.slice(at, stripped)
  const path = text.slice(start, stripped)
  nodes.push({ kind: "file", start: at - base, end: stripped - base, raw, path })
  return stripped
}

/** Whether the word read last needs a second look to be a path. */
function isOdd({ units, seen }: SourceReading, start: number): boolean {
  if (seen & AT_SIGN || !(seen & PATH)) return true
  return (traitAt(units, start) & PATH) !== 0
}

/** Whether a word is a path by its looks: it has a slash or a dot, and something besides. */
export function isPath(text: string, start: number, end: number): boolean {
  let seen = 0
  let marks = 0
  for (let at = start; at < end; at++) {
    const trait = TRAITS[text.charCodeAt(at)] ?? 0
    if (trait & PATH) marks++
    if (at > start) seen |= trait
  }
  // "@me@example.com" is an address of another kind.
  const isHandle = (seen & AT_SIGN) !== 0 && !(seen & SEPARATOR)
  return marks > 0 && marks < end - start && !isHandle
}

/** The same, with a place in the file behind it. */
function readPlacedPath(reading: SourceReading, at: number, end: number): number {
  const { text, units, seen, nodes, base } = reading
  const start = at + 1
  const stripped = strippedEnd(reading, start, end)
  const hash = seen & (COLON | BANG) ? -1 : plainLinesAt(units, start, stripped)
  const range = hash < 0 ? undefined : plainLines(units, hash + 2, stripped)
  if (range && !isOdd(reading, start)) {
    const raw = text.slice(at, stripped)
    const path = text.slice(start, hash)
    nodes.push({ kind: "file", start: at - base, end: stripped - base, raw, path, range })
    return stripped
  }
  const read = readWordAddress(text, start, stripped)
  if (!read || !isPath(read.address.path, 0, read.address.path.length))
    return readContext(reading, at, end)
  return pushFile(reading, at, read)
}

function readContext(reading: SourceReading, at: number, end: number): number {
  const { units, words, nodes, base } = reading
  if (!words.contexts.mayStart(units, at + 1)) return end
  const known = words.contexts.find(units, at + 1, strippedEnd(reading, at + 1, end))
  if (!known) return end
  const { raw, name } = known
  nodes.push({ kind: "context", start: at - base, end: at - base + raw.length, raw, name })
  return at + raw.length
}

/** `@skill:pdf`; but a colon may also stand in a path, and a drive or a URL begin with one. */
function readColon(reading: SourceReading, at: number, end: number): number {
  const { text, units, words } = reading
  const colon = colonFrom(units, at + 1)
  const prefix = words.prefixes.find(units, at + 1, colon)
  if (prefix?.type === "file") return readFile(reading, at, colon + 1)
  if (prefix) return readNamed(reading, at, { prefix, start: colon + 1, end })
  const isUrl = text.startsWith("//", colon + 1) && colon > at + 2
  return isUrl ? end : readPlacedPath(reading, at, end)
}

function colonFrom(units: Units, start: number): number {
  let at = start
  while (unitAt(units, at) !== COLON_UNIT) at++
  return at
}

interface Named {
  readonly prefix: Exclude<Prefix, { type: "file" }>
  readonly start: number
  readonly end: number
}

function readNamed(reading: SourceReading, at: number, named: Named): number {
  const { text, units } = reading
  const { prefix, start, end } = named
  if (unitAt(units, start) === QUOTE) return readQuotedName(reading, at, named)
  const stripped = strippedEnd(reading, start, end)
  if (stripped === start || stripped - start > MAX_NAME_CHARACTERS) return end
  const { base, nodes } = reading
  const name = text.slice(start, stripped)
  nodes.push(
    nodeOf(prefix, { start: at - base, end: stripped - base, raw: text.slice(at, stripped) }, name),
  )
  return stripped
}

function readQuotedName(reading: SourceReading, at: number, { prefix, start, end }: Named): number {
  const { text, base, nodes } = reading
  const quoted = readQuoted(text, start, limitOf(reading, at))
  if (!quoted || quoted.value === "" || quoted.value.length > MAX_NAME_CHARACTERS) return end
  const raw = text.slice(at, quoted.end)
  nodes.push(nodeOf(prefix, { start: at - base, end: quoted.end - base, raw }, quoted.value))
  return quoted.end
}

interface Placed {
  readonly start: number
  readonly end: number
  readonly raw: string
}

function nodeOf(prefix: Named["prefix"], { start, end, raw }: Placed, name: string): KnownNode {
  switch (prefix.type) {
    case "skill":
      return { kind: "skill", start, end, raw, name }
    case "symbol":
      return { kind: "symbol", start, end, raw, name }
    case "branch":
      return { kind: "branch", start, end, raw, name }
    case "mention":
      return { kind: "mention", start, end, raw, of: prefix.of, name }
    case "server":
      return { kind: "resource", start, end, raw, server: prefix.server, uri: name }
  }
}

/** `@"a b.md"#L3`, or what follows `@file:`, which may be any word. */
function readFile(reading: SourceReading, at: number, start: number): number {
  const read = readAddress(reading.text, start, limitOf(reading, at))
  return read ? pushFile(reading, at, read) : start
}

function limitOf(reading: SourceReading, at: number): number {
  const limit = Math.min(reading.text.length, at + MAX_REFERENCE_CHARACTERS)
  examine(reading, limit)
  return limit
}

function pushFile({ text, nodes, base }: SourceReading, at: number, read: ReadAddress): number {
  const { address, fault } = read
  const { path, range } = address
  const start = at - base
  const end = read.end - base
  const raw = text.slice(at, read.end)
  if (range && !fault && address.entry === undefined)
    nodes.push({ kind: "file", start, end, raw, path, range })
  else nodes.push({ kind: "file", start, end, raw, ...address, ...(fault ? { fault } : {}) })
  return read.end
}
