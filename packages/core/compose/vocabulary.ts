import { WordTable } from "./word-table.ts"

/** What a command is to the parser: an action is a node only where it leads the message or was
 *  chosen as a chip, every other kind anywhere (decision 5). */
export type CommandKind = "action" | "template" | "structured" | "skill" | "mcp" | "entity"

/** The words a host knows, as data: the parser asks nobody. A vocabulary is never changed in place;
 *  when the catalog changes, there is a new one. */
export interface Vocabulary {
  /** Names without their slash: `review`, `team:review`, `mcp:github:triage`. */
  readonly commands: ReadonlyMap<string, CommandKind>
  /** What may stand before a colon besides file, skill, symbol and branch: `@ticket:42`. */
  readonly mentions: readonly string[]
  /** What an editor can be asked for by name: `@selection` (CMP-077). */
  readonly contexts: readonly string[]
  /** MCP servers whose resources can be named: `@docs:guide/start`. */
  readonly servers: readonly string[]
}

export const DEFAULT_CONTEXTS = ["selection", "open", "cursor", "last", "history"] as const

/** The words of a host that has no catalog. */
export const BARE_VOCABULARY: Vocabulary = {
  commands: new Map(),
  mentions: [],
  contexts: DEFAULT_CONTEXTS,
  servers: [],
}

/** What stands before the colon of `@word:value`. */
export type Prefix =
  | { readonly type: "file" }
  | { readonly type: "skill" | "symbol" | "branch" }
  | { readonly type: "mention"; readonly of: string }
  | { readonly type: "server"; readonly server: string }

/** A word as it is typed and what it names, so that a node need not cut them out. */
interface KnownName {
  readonly raw: string
  readonly name: string
}

export interface KnownCommand extends KnownName {
  readonly kind: CommandKind
}

/** A vocabulary as the parser reads it. */
export interface ParserVocabulary {
  readonly commands: WordTable<KnownCommand>
  readonly prefixes: WordTable<Prefix>
  readonly contexts: WordTable<KnownName>
}

export function wordsOf(vocabulary: Vocabulary): ParserVocabulary {
  const known = prepared.get(vocabulary)
  if (known) return known
  const commands = [...vocabulary.commands].map(
    ([name, kind]) => [name, { raw: `/${name}`, name, kind }] as const,
  )
  const words = {
    commands: new WordTable(commands),
    prefixes: new WordTable(prefixesOf(vocabulary)),
    contexts: new WordTable(
      vocabulary.contexts.map((name) => [name, { raw: `@${name}`, name }] as const),
    ),
  }
  prepared.set(vocabulary, words)
  return words
}

const prepared = new WeakMap<Vocabulary, ParserVocabulary>()

// The later entry wins: nothing a host adds can take a word of ours.
function prefixesOf({ mentions, servers }: Vocabulary): (readonly [string, Prefix])[] {
  return [
    ...servers.map((server) => [server, { type: "server", server }] as const),
    ...mentions.map((of) => [of, { type: "mention", of }] as const),
    ["skill", { type: "skill" }],
    ["symbol", { type: "symbol" }],
    ["branch", { type: "branch" }],
    ["file", { type: "file" }],
  ]
}
