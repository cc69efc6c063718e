import { z } from "zod"
import type { SlashCommandDefinition } from "../store/store.ts"
import { type Agent, ASSISTANT } from "../agents/agent.ts"
import type { EntityContext } from "./context.ts"
import { SlashCommands } from "compositor-core/contract/entities"
import type { StandardSchema } from "./standard-schema.ts"

export type InboxSchemas = Readonly<Record<string, StandardSchema>>

/** Rows that an entity keeps, by their key; every reader of its stream sees them. */
export interface CollectionDefinition<Row extends StandardSchema = StandardSchema> {
  readonly schema: Row
  /** What the events of its rows are called; the collection's name unless said. */
  readonly type?: string
  /** The field that is a row's key. */
  readonly primaryKey: string
}
export type StateCollections = Readonly<Record<string, CollectionDefinition>>

/** An agent is an entity type, and this is its manifest (decision 14). */
export interface EntityDefinition<
  Inbox extends InboxSchemas = InboxSchemas,
  State extends StateCollections = StateCollections,
> extends Partial<Omit<Agent, "type">> {
  readonly type: string
  readonly slashCommands?: readonly SlashCommandDefinition[]
  /** The message types beside `composer_input`, each with its schema (EA-034). */
  readonly inbox?: Inbox
  /** Refuse types that `inbox` does not name. */
  readonly inbox_closed?: boolean
  readonly state?: State
  /** Who gives commands their meaning (decision 15). */
  readonly resolve?: "submit" | "handler"
  /** Without one, skills are loaded and the model answers. */
  readonly handler?: (ctx: EntityContext<Inbox, State>) => Promise<void>
}

/** A definition as the house keeps it: of any inbox and state. */
export type AnyDefinition = Omit<EntityDefinition, "handler"> & {
  readonly resolve: "submit" | "handler"
  readonly handler?: (ctx: EntityContext) => Promise<void>
}

const Shape = z.looseObject({
  type: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, "must be a lowercase name"),
  slashCommands: SlashCommands.optional(),
  inbox: z.record(z.string().min(1).max(128), z.looseObject({ "~standard": z.any() })).optional(),
  state: z
    .record(
      z.string().regex(/^[a-z][a-zA-Z0-9_]{0,63}$/, "must be a name"),
      z.looseObject({ type: z.string().min(1).max(64).optional(), primaryKey: z.string().min(1) }),
    )
    .optional(),
})

/** Events of these names are the house's own. */
const RESERVED_TYPES: ReadonlySet<string> = new Set([
  "session",
  "message",
  "part",
  "turn",
  "status",
  "inbox",
  "slash_command",
  "context",
  "entity",
])

/** Of a definition that declares none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type
type Nothing = Readonly<Record<never, never>>

export function defineEntity<
  const Inbox extends InboxSchemas = Nothing,
  const State extends StateCollections = Nothing,
>(definition: EntityDefinition<Inbox, State>): AnyDefinition {
  const parsed = Shape.safeParse(definition)
  if (!parsed.success) throw new Error(faultsOf(definition.type, parsed.error))
  for (const [name, { type = name }] of Object.entries(definition.state ?? {}))
    if (RESERVED_TYPES.has(type))
      throw new Error(`the entity ${definition.type} may not call its rows ${type}`)
  const { resolve = definition.handler ? "handler" : "submit" } = definition
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a definition of any types is kept as one of none
  return { ...definition, resolve } as unknown as AnyDefinition
}

function faultsOf(type: unknown, { issues }: z.ZodError): string {
  const faults = issues.map(({ path, message }) => `/${path.map(String).join("/")} ${message}`)
  return `the entity ${String(type)} is not defined well: ${faults.join("; ")}`
}

/** Whether it is spoken to in ways of its own. The built-in assistant is not, so that nothing needs to
 *  be asked about most sessions. */
export function hasOwnWays(definition: AnyDefinition): boolean {
  const { handler, resolve, slashCommands = [], inbox, inbox_closed = false } = definition
  return (
    Boolean(handler ?? inbox) || resolve === "handler" || slashCommands.length > 0 || inbox_closed
  )
}

/** The manifest that its turns run by. */
export function agentFromDefinition(definition: AnyDefinition): Agent {
  const own = Object.entries(definition).filter(([name]) => !OWN_FIELDS.has(name))
  return { ...ASSISTANT, ...Object.fromEntries(own), type: definition.type }
}

const OWN_FIELDS: ReadonlySet<string> = new Set([
  "slashCommands",
  "inbox",
  "inbox_closed",
  "state",
  "resolve",
  "handler",
])
