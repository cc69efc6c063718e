import type { Catalog } from "compositor-core/catalog/catalog"
import type { Command, CommandArgument } from "compositor-core/catalog/command"
import type { Skill } from "compositor-core/catalog/skill"
import { printNode } from "compositor-core/compose/print-node"
import { triggerAt } from "compositor-core/compose/trigger"
import { DEFAULT_CONTEXTS } from "compositor-core/compose/vocabulary"
import type { Finder } from "compositor-files/finder/finder"
import { type Candidate, rank } from "compositor-files/finder/rank"
import { type ArgumentAt, argumentAt, valuesFor } from "./complete-argument.ts"
import type { CompletionAnswer, CompletionItem } from "compositor-core/contract/commands"
import { type CompletionSource, offersOf } from "./completion.ts"
import { type Frecency, keyOf } from "./frecency.ts"

export interface CompleteDependencies {
  readonly catalog: Pick<Catalog, "list" | "names">
  readonly skills: ReadonlyMap<string, Skill>
  /** Null where there is no workspace to look for files in. */
  readonly finder: Pick<Finder, "find"> | null
  readonly sources: readonly CompletionSource[]
  /** Null where nothing is kept of what is used. */
  readonly frecency: Pick<Frecency, "share" | "shares"> | null
}

export interface CompleteQuery {
  readonly source: string
  readonly cursor: number
  readonly limit: number
}

/** What could be meant at the cursor: one answer for web and terminal. */
export async function complete(
  rooms: CompleteDependencies,
  asked: CompleteQuery,
): Promise<CompletionAnswer> {
  const { source, cursor, limit } = asked
  const trigger = triggerAt(source, cursor)
  if (!trigger) return argumentsFor(rooms, asked)
  const { from, to, query, kind } = trigger
  const items =
    kind === "command" ? commandsFor(rooms, query, limit) : await mentionsFor(rooms, query, limit)
  return { from, to, items: shown(items) }
}

async function argumentsFor(
  rooms: CompleteDependencies,
  asked: CompleteQuery,
): Promise<CompletionAnswer> {
  const { source, cursor, limit } = asked
  const at = argumentAt(source.slice(0, cursor), rooms.catalog)
  if (!at) return { from: cursor, to: cursor, items: [] }
  const items = [
    ...(await valuesAt(rooms, at, limit)),
    ...rankedItems(at.query, at.keys.map(keyItem), limit),
  ]
  const hint = at.argument ? nameOf(at.argument) : hintOf(at.command).hint
  return {
    from: at.from,
    to: cursor,
    items: shown(items.slice(0, limit)),
    ...(hint === undefined ? {} : { hint }),
  }
}

async function valuesAt(rooms: CompleteDependencies, at: ArgumentAt, limit: number) {
  const { argument, query, name, command, typed } = at
  if (argument && isFile(argument, command)) return filesFor(rooms, query, limit, plainly)
  const source = rooms.sources.find(({ prefix }) => prefix === `/${name}`)
  const place = { argument: argument?.name, typed }
  const offered = source ? await offersOf(source, query, limit, place) : []
  const own = argument ? valuesFor(argument).map((value) => ({ value })) : []
  const values = [...own, ...offered].map(({ value, ...about }) => ({
    kind: "argument" as const,
    insert: `${value} `,
    label: value,
    ...about,
  }))
  return rankedItems(query, values.map(described), limit)
}

function isFile({ file }: CommandArgument, command: Command): boolean {
  return file === true || (command.kind === "structured" && command.produces.type === "file-ref")
}

function keyItem({ name, description }: CommandArgument): Item {
  return described({ kind: "argument", insert: `${name}=`, label: `${name}=`, description })
}

function nameOf({ name, description }: CommandArgument): string {
  return description === undefined ? name : `${name}: ${description}`
}

function commandsFor(rooms: CompleteDependencies, query: string, limit: number): Scored[] {
  const items = rooms.catalog.list().map(({ name, command }) => ({
    ...described({
      kind: "command",
      insert: `/${name} `,
      label: name,
      description: command.description,
    }),
    ...hintOf(command),
    ...used(rooms, "command", name),
  }))
  return rankedItems(query, items, limit)
}

function hintOf({ argument_hint, arguments: declared }: Command): { hint?: string } {
  const names = declared?.map(({ name, required }) => (required ? name : `[${name}]`))
  const hint = argument_hint ?? names?.join(" ")
  return hint === undefined ? {} : { hint }
}

async function mentionsFor(
  rooms: CompleteDependencies,
  query: string,
  limit: number,
): Promise<Scored[]> {
  const { prefix, rest } = split(query)
  if (prefix === "skill") return skillsFor(rooms, rest, limit)
  if (prefix === "file") return filesFor(rooms, rest, limit)
  const source = rooms.sources.find((known) => known.prefix === prefix)
  if (source) return offeredBy(rooms, source, { query: rest, limit })
  const [files, ...offered] = await Promise.all([
    filesFor(rooms, query, limit),
    ...rooms.sources
      .filter(({ kind }) => kind !== "argument")
      .map((known) => offeredBy(rooms, known, { query, limit: MOST_OF_EACH })),
  ])
  const found = [...skillsFor(rooms, query, MOST_OF_EACH), ...files, ...offered.flat()]
  const best = found.toSorted((left, right) => right.score - left.score)
  return [...contextsFor(query), ...best].slice(0, limit)
}

/** How many of what was not asked for by name stand beside the files. */
const MOST_OF_EACH = 5

function split(query: string): { prefix: string; rest: string } {
  const colon = query.indexOf(":")
  if (colon < 0) return { prefix: "", rest: query }
  return { prefix: query.slice(0, colon), rest: query.slice(colon + 1) }
}

function contextsFor(query: string): Scored[] {
  if (query === "") return []
  return DEFAULT_CONTEXTS.filter((name) => name.startsWith(query)).map((name) => ({
    kind: "context",
    insert: `@${name} `,
    label: name,
    positions: [],
    description: "what the editor shows",
    score: 0,
  }))
}

function skillsFor(rooms: CompleteDependencies, query: string, limit: number): Scored[] {
  const items = [...rooms.skills.values()].map(({ name, description }) => ({
    ...described({ kind: "skill", insert: `${printNode({ kind: "skill", name })} `, label: name }),
    description,
    ...used(rooms, "skill", name),
  }))
  return rankedItems(query, items, limit)
}

async function filesFor(
  { finder, frecency }: CompleteDependencies,
  query: string,
  limit: number,
  written = mentioned,
): Promise<Scored[]> {
  const found = await finder?.find(query, { limit, frecency: frecency?.shares("file") })
  return (found ?? []).map(({ path, positions, score }) => ({
    kind: "file",
    insert: `${written(path)} `,
    label: path,
    positions,
    score,
  }))
}

function mentioned(path: string): string {
  return printNode({ kind: "file", path })
}

function plainly(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path
}

async function offeredBy(
  rooms: CompleteDependencies,
  source: CompletionSource,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<Scored[]> {
  const { prefix, kind } = source
  const offers = await offersOf(source, query, limit)
  const items = offers.map(({ value, description }) => {
    const node = kind === "symbol" ? { name: value } : { server: prefix, uri: value }
    const insert = `${printNode({ kind, ...node })} `
    const key = kind === "symbol" ? value : `${prefix}:${value}`
    return { ...described({ kind, insert, label: value, description }), ...used(rooms, kind, key) }
  })
  return rankedItems(query, items, limit)
}

/** How well it fits, by the one measure for files and all else. */
type Scored = CompletionItem & { readonly score: number }

function shown(items: readonly Scored[]): CompletionItem[] {
  return items.map((scored) => {
    const { score: _, ...item } = scored
    return item
  })
}

type Item = Omit<CompletionItem, "positions"> & Pick<Candidate, "frecency">

function described(item: Omit<Item, "description"> & { description?: string | undefined }): Item {
  const { description, ...rest } = item
  return description === undefined ? rest : { ...rest, description }
}

function used({ frecency }: CompleteDependencies, kind: string, name: string) {
  return { frecency: frecency?.share(keyOf(kind, name)) ?? 0 }
}

function rankedItems(query: string, items: readonly Item[], limit: number): Scored[] {
  const candidates = items.map((item) => ({ text: item.label, frecency: item.frecency, item }))
  return rank(query, candidates, limit).map(({ candidate, positions, score }) => {
    const { frecency: _, ...item } = candidate.item
    return { ...item, positions, score }
  })
}
