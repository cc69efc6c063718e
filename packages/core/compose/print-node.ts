import { type Address, printAddress, quotePath } from "./address.ts"
import { TRAITS, WORD_CHARACTER, withoutPunctuation } from "./characters.ts"
import { KNOWN_KINDS } from "./node-kinds.ts"
import type { KnownNode } from "./node.ts"
import { isPath } from "./read-reference.ts"

/** A node that has no place yet: what a palette inserts. Its `raw` is printed where it has none. */
export interface Chip {
  readonly kind: string
  readonly raw?: string
  readonly [field: string]: unknown
}

/** How a chip is written in a source, so that it is read again as the same node wherever that can be
 *  written at all. Where it cannot, the node's span still says exactly what it is. */
export function printNode(chip: Chip): string {
  if (!KNOWN_KINDS.has(chip.kind)) return printUnknown(chip)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its kind is known, and its fields were read with it
  const node = chip as Unplaced
  switch (node.kind) {
    case "text":
      return ""
    case "slash_command":
      return `/${node.name}`
    case "file":
      return printFile(node)
    case "skill":
    case "symbol":
    case "branch":
      return `@${node.kind}:${printValue(node.name)}`
    case "mention":
      return `@${node.of}:${printValue(node.name)}`
    case "context":
      return `@${node.name}`
    case "resource":
      return `@${node.server}:${printValue(node.uri)}`
  }
}

type Unplaced = KnownNode

function printUnknown({ kind, name }: Chip): string {
  return typeof name === "string" ? `@${kind}:${printValue(name)}` : `@${kind}`
}

function printFile(address: Address): string {
  const written = printAddress(address)
  if (written === undefined) return `@${visible(address.path)}`
  if (written.startsWith('"')) return `@${written}`
  const { path } = address
  // A word without a slash or a dot is no path by itself, and one with a colon may name a kind.
  const isPlain = isPath(path, 0, path.length) && path.indexOf(":") < 2 && !written.includes("://")
  return isPlain ? `@${written}` : `@file:${written}`
}

function printValue(value: string): string {
  if (isWord(value)) return value
  return /\p{Cc}/u.test(value) ? visible(value) : quotePath(value)
}

function isWord(value: string): boolean {
  for (let at = 0; at < value.length; at++)
    if (!((TRAITS[value.charCodeAt(at)] ?? 0) & WORD_CHARACTER)) return false
  return withoutPunctuation(value, 0, value.length) === value.length
}

/** No quotes hold a line break. */
function visible(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ")
}
