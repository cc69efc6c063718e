import type { ComposerInput } from "compositor-core/compose/composer-input"
import type { Memory } from "../memory/memory.ts"
import type { Skill } from "compositor-core/catalog/skill"
import type { Mode } from "compositor-core/message/message"
import type { EntityRow, SlashCommandDefinition, SlashCommandRow } from "../store/store.ts"
import type { Resolved } from "../submit/resolve.ts"
import type { Schedule } from "compositor-core/triggers/schedule"
import type { EntityAddress } from "./address.ts"
import type { InboxSchemas, StateCollections } from "./definition.ts"
import type { EntitySchema } from "compositor-core/contract/entities"
import type { SentToInbox } from "./inbox.ts"
import type { OutputOf } from "./standard-schema.ts"
import type { HandlerWake, InboxWake } from "./wake.ts"

/** What a handler is given. All that it does through this is done once, also when its process dies and
 *  it runs again for the same wake: what it does is known by its order, so it must do the same things
 *  in the same order (EA-035). */
export interface EntityContext<
  Inbox extends InboxSchemas = InboxSchemas,
  State extends StateCollections = StateCollections,
> {
  readonly entity: EntityAddress & { readonly session_id: string; readonly args: unknown }
  readonly wake: HandlerWake<Inbox>
  readonly workspace_root: string | null
  readonly signal: AbortSignal
  readonly slashCommands: SlashCommandHelpers
  readonly db: { readonly collections: Collections<State> & BuiltinCollections }
  /** What was learnt in earlier sessions. */
  memory(): Promise<Memory>
  /** The skills of the workspace, by name. */
  skills(): Promise<ReadonlyMap<string, Skill>>
  /** Something for the model to read, and where it comes from. */
  insertContext(context: NewContext): Promise<void>
  removeContext(about: { readonly type: string; readonly title: string }): Promise<boolean>
  listContext(): Promise<KnownContext[]>
  /** Run the model loop on what was said so far. */
  agent(options?: AgentOptions<Inbox>): Promise<AgentAnswer>
  /** What the house's own catalog would make of the input, where the handler resolves it. */
  resolve(): Promise<Resolved>
  scratchDir(): Promise<string>
  send(to: string | EntityAddress, message: OutgoingMessage): Promise<SentToInbox>
  spawn(to: string | EntityAddress, options?: SpawnOptions): Promise<EntitySchema>
  /** Be woken when another entity's turn ends, or when rows of these collections change. */
  observe(to: string | EntityAddress, options?: ObserveOptions): Promise<Observed>
  unobserve(to: string | EntityAddress): Promise<void>
  schedule(name: string, about: NewSchedule): Promise<void>
  unschedule(name: string): Promise<boolean>
}

export interface SlashCommandHelpers {
  get(name: string): SlashCommandRow | undefined
  list(): readonly SlashCommandRow[]
  register(command: SlashCommandDefinition, options?: RegisterOptions): Promise<void>
  /** Without an owner, whoever registered it last. What was declared is there again. */
  unregister(name: string, options?: { readonly owner?: string }): Promise<void>
  replaceOwned(owner: string, commands: readonly SlashCommandDefinition[]): Promise<void>
}

export interface RegisterOptions {
  readonly owner?: string
  readonly version?: string
}

export type Collections<State extends StateCollections> = {
  readonly [Name in keyof State]: RowCollection<OutputOf<State[Name]["schema"]>>
}

/** Rows of one kind. Every write is of a whole row, and one that changes nothing is not told. */
export interface RowCollection<Row> {
  get(key: string): Promise<Row | undefined>
  list(): Promise<Row[]>
  insert(row: Row): Promise<void>
  update(key: string, change: (row: Row) => Row): Promise<void>
  upsert(row: Row): Promise<void>
  delete(key: string): Promise<void>
}

interface BuiltinCollections {
  readonly slashCommands: Pick<SlashCommandHelpers, "get" | "list">
}

export interface NewContext {
  readonly type: string
  readonly title: string
  readonly content: string
  /** Where it comes from: `source`, `nodeKind`, `command`, `rawInput` … */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface KnownContext extends NewContext {
  readonly key: string
  readonly wake: string
  readonly inserted_at: number
}

export interface AgentOptions<Inbox extends InboxSchemas = InboxSchemas> {
  /** Hear what was steered into the loop, as the wake it would have been. */
  steered?(wake: InboxWake<Inbox>): void | Promise<void>
}

interface AgentAnswer {
  readonly message_id: string
  readonly text: string
  readonly finish: string
}

export interface OutgoingMessage {
  readonly type: string
  readonly payload: unknown
  readonly mode?: Mode
}

interface SpawnOptions {
  readonly args?: unknown
  readonly tags?: Readonly<Record<string, string>>
  readonly initialMessage?: OutgoingMessage
}

interface ObserveOptions {
  readonly collections?: readonly string[]
}

export interface Observed {
  readonly entity: EntitySchema
  rows(collection: string): Promise<EntityRow[]>
}

export interface NewSchedule {
  readonly schedule: Schedule
  readonly payload?: unknown
  /** Deliver it as a message of this type. */
  readonly message_type?: string
}

/** The input that a wake brought, if it is one. */
export function composerInput(wake: HandlerWake): ComposerInput | undefined {
  if (wake.type !== "inbox" || wake.message.message_type !== "composer_input") return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the inbox has read it
  return wake.message.payload as ComposerInput
}
