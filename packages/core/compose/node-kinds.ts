import type { ComposerNode, KnownNode } from "./node.ts"

/** The kinds of nodes that this version knows, for whoever must not load their schemas: a page. */
const KINDS: Readonly<Record<KnownNode["kind"], true>> = {
  text: true,
  slash_command: true,
  file: true,
  skill: true,
  symbol: true,
  branch: true,
  context: true,
  resource: true,
  mention: true,
}

export const KNOWN_KINDS: ReadonlySet<string> = new Set(Object.keys(KINDS))

export function isKnownNode(node: ComposerNode): node is KnownNode {
  return KNOWN_KINDS.has(node.kind)
}
