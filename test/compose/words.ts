import type { KnownNode } from "../../packages/core/compose/node.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import {
  type CommandKind,
  DEFAULT_CONTEXTS,
  type Vocabulary,
} from "../../packages/core/compose/vocabulary.ts"

const COMMANDS: readonly (readonly [string, CommandKind])[] = [
  ["review", "template"],
  ["search", "structured"],
  ["clear", "action"],
  ["compact", "action"],
  ["pdf", "skill"],
  ["worktree", "entity"],
  ["pr-review", "entity"],
  ["team:review", "template"],
  ["team/notes", "template"],
  ["mcp:github:triage", "mcp"],
  ["server.prompt", "mcp"],
  ["c++", "template"],
  ["评审", "template"],
]

/** The words of the tests. */
export const vocabulary: Vocabulary = {
  commands: new Map(COMMANDS),
  mentions: ["ticket"],
  contexts: [...DEFAULT_CONTEXTS, "viewport"],
  servers: ["docs"],
}

/** Each node as its span and what it says, so that a case is one line. */
export function nodesIn(source: string): Record<string, unknown>[] {
  return parse(source, vocabulary).map(meaning)
}

export function meaning(node: KnownNode): Record<string, unknown> {
  const { start: _start, end: _end, ...rest } = node
  return rest
}
