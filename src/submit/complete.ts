import type { Catalog } from "../catalog/catalog.ts"
import { triggerAt } from "../compose/trigger.ts"
import { DEFAULT_CONTEXTS } from "../compose/vocabulary.ts"
import type { Finder } from "../files/finder/finder.ts"
import { rank } from "../files/finder/rank.ts"

export interface Completion {
  readonly kind: "command" | "file" | "skill" | "context"
  /** What stands in the source when it is chosen. */
  readonly insert: string
  readonly label: string
  readonly description?: string
  readonly hint?: string
  /** Which letters of the label were meant. */
  readonly positions: readonly number[]
}

export interface Completions {
  /** The span of the source that is being completed; null when nothing is. */
  readonly from: number
  readonly to: number
  readonly items: readonly Completion[]
}

export interface CompleteRooms {
  readonly catalog: Pick<Catalog, "list">
  /** Null where there is no workspace to look for files in. */
  readonly finder: Pick<Finder, "find"> | null
}

export interface CompleteQuery {
  readonly source: string
  readonly cursor: number
  readonly limit: number
}

/** What could be meant at the cursor: one answer for web and terminal. */
export async function complete(rooms: CompleteRooms, asked: CompleteQuery): Promise<Completions> {
  const trigger = triggerAt(asked.source, asked.cursor)
  if (!trigger) return { from: asked.cursor, to: asked.cursor, items: [] }
  const { from, to, query, kind } = trigger
  const items =
    kind === "command"
      ? commandsFor(rooms, query, asked.limit)
      : await mentionsFor(rooms, query, asked.limit)
  return { from, to, items }
}

function commandsFor({ catalog }: CompleteRooms, query: string, limit: number): Completion[] {
  const candidates = catalog.list().map(({ name, command }) => ({ text: name, name, command }))
  return rank(query, candidates, limit).map(({ candidate: { name, command }, positions }) => ({
    kind: "command",
    insert: `/${name} `,
    label: name,
    positions,
    ...(command.description === undefined ? {} : { description: command.description }),
    ...hintOf(command),
  }))
}

function hintOf(command: {
  argument_hint?: string | undefined
  arguments?: readonly Argument[] | undefined
}) {
  const declared = command.arguments?.map(({ name, required }) => (required ? name : `[${name}]`))
  const hint = command.argument_hint ?? declared?.join(" ")
  return hint === undefined ? {} : { hint }
}

interface Argument {
  readonly name: string
  readonly required?: boolean | undefined
}

async function mentionsFor(
  rooms: CompleteRooms,
  query: string,
  limit: number,
): Promise<Completion[]> {
  const { prefix, rest } = split(query)
  if (prefix === "skill") return skillsFor(rooms, rest, limit)
  const files = await filesFor(rooms, rest, limit)
  if (prefix === "file") return files
  return [...contextsFor(query), ...skillsFor(rooms, query, 5), ...files].slice(0, limit)
}

function split(query: string): { prefix: string; rest: string } {
  const colon = query.indexOf(":")
  const prefix = query.slice(0, Math.max(colon, 0))
  if (prefix !== "skill" && prefix !== "file") return { prefix: "", rest: query }
  return { prefix, rest: query.slice(colon + 1) }
}

function contextsFor(query: string): Completion[] {
  if (query === "") return []
  return DEFAULT_CONTEXTS.filter((name) => name.startsWith(query)).map((name) => ({
    kind: "context",
    insert: `@${name} `,
    label: name,
    positions: [],
    description: "what the editor shows",
  }))
}

function skillsFor({ catalog }: CompleteRooms, query: string, limit: number): Completion[] {
  const skills = catalog
    .list()
    .flatMap(({ name, command }) =>
      command.kind === "skill" ? [{ text: name, name, command }] : [],
    )
  return rank(query, skills, limit).map(({ candidate: { name, command }, positions }) => ({
    kind: "skill",
    insert: `@skill:${name} `,
    label: name,
    positions,
    ...(command.description === undefined ? {} : { description: command.description }),
  }))
}

async function filesFor(
  { finder }: CompleteRooms,
  query: string,
  limit: number,
): Promise<Completion[]> {
  const found = (await finder?.find(query, { limit })) ?? []
  return found.map(({ path, positions }) => ({
    kind: "file",
    insert: /[\s"]/.test(path) ? `@"${path}" ` : `@${path} `,
    label: path,
    positions,
  }))
}
