import { type Catalog, vocabulary as commandWords } from "compositor-core/catalog/catalog"
import type { NamedCommand } from "compositor-core/catalog/arrange"
import { entityCommands } from "compositor-core/catalog/foreign"
import { DEFAULT_CONTEXTS, type Vocabulary } from "compositor-core/compose/vocabulary"
import type { SlashCommandRow } from "../store/store.ts"
import type { SubmissionContext } from "../submit/submission-context.ts"
import { type AnyDefinition, hasOwnWays } from "./definition.ts"
import type { EntityDependencies } from "./rooms.ts"

/** Where something is typed. */
export type TypedIn = Pick<SubmissionContext, "session_id" | "workspace_root" | "agent">

/** The commands that can be typed somewhere. */
export type CommandLookup = Pick<Catalog, "get" | "list" | "names" | "hidden">

/** Commands that skills brought are skills where the house resolves them itself. */
export const SKILLS_OWNER = "skills"

type Rooms = Pick<EntityDependencies, "store" | "catalog" | "servers">

/** What can be typed in a session, the same for every surface and every way in: what its entity
 *  offers now stands before what its workspace has, or alone where its handler gives commands their
 *  meaning (decision 15). */
export async function commandsIn(
  rooms: Rooms,
  definition: AnyDefinition | undefined,
  { session_id, workspace_root }: TypedIn,
): Promise<CommandLookup> {
  const workspace = await rooms.catalog(workspace_root)
  if (session_id === null || !definition || !hasOwnWays(definition)) return workspace
  const rows = ownRows(definition, await rooms.store.slashCommands(session_id))
  const isHandler = definition.resolve === "handler"
  return withOwn(ownEntries(definition, rows), isHandler ? NOTHING : workspace)
}

/** The words of a session, for a parser. */
export async function vocabularyIn(
  rooms: Rooms,
  definition: AnyDefinition | undefined,
  place: TypedIn,
): Promise<Vocabulary> {
  const { commands } = commandWords(await commandsIn(rooms, definition, place))
  const servers = rooms.servers(place.workspace_root)
  return { commands, mentions: [], contexts: DEFAULT_CONTEXTS, servers }
}

function ownRows({ resolve }: AnyDefinition, rows: readonly SlashCommandRow[]) {
  return resolve === "handler" ? rows : rows.filter(({ owner }) => owner !== SKILLS_OWNER)
}

function ownEntries({ type }: AnyDefinition, rows: readonly SlashCommandRow[]): NamedCommand[] {
  return entityCommands(type, rows).map((command) => ({ name: command.name, command }))
}

const NOTHING: CommandLookup = {
  get: () => undefined,
  list: () => [],
  names: () => new Map(),
  hidden: () => [],
}

function withOwn(own: readonly NamedCommand[], others: CommandLookup): CommandLookup {
  const named = new Map(own.map((entry) => [entry.name, entry]))
  const names = new Map([...others.names(), ...named])
  return {
    get: (typed) => names.get(typed)?.command,
    names: () => names,
    list: () => [...own, ...others.list().filter(({ name }) => !named.has(name))],
    hidden: () => [
      ...others.hidden(),
      ...others.list().flatMap(({ name, command }) => {
        const by = named.get(name)?.command
        return by ? [{ command, by, because: `the entity has a command /${name} of its own` }] : []
      }),
    ],
  }
}
