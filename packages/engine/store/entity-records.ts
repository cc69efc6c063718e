import type { Append, Branch, NewSession } from "./records.ts"
import type { NewPart } from "./records.ts"
import type { Claim, TurnKey } from "./turn-records.ts"

/** A session under a name of its own, whose wakes are handled by code (decision 14). */
export interface StoredEntity {
  readonly session_id: string
  readonly type: string
  readonly name: string
  readonly args: unknown
  readonly tags: Readonly<Record<string, string>>
  /** `/<type>/<name>` of the entity that spawned it. */
  readonly parent: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly killed_at: number | null
}

/** What a handler does carries the wake it does it for and a number of its own: done again, it is
 *  done once (EA-035). */
export interface Effect extends TurnKey {
  readonly wake: string
  readonly ordinal: number
  /** What it is, so that a handler that does something else the second time is found out. */
  readonly kind: string
}

export interface SlashCommandDefinition {
  readonly name: string
  readonly description?: string | undefined
  readonly arguments?:
    | readonly {
        readonly name: string
        readonly type: "string" | "number" | "boolean"
        readonly required?: boolean | undefined
        readonly description?: string | undefined
      }[]
    | undefined
}

/** One who registered a command; `dynamic_layers` has them all, the last one wins. */
export interface SlashCommandLayer extends SlashCommandDefinition {
  readonly owner?: string
  readonly version?: string
  readonly updated_at: string
}

/** A command as whoever reads the collection sees it (EA-015). */
export interface SlashCommandRow extends SlashCommandLayer {
  readonly key: string
  readonly source: "static" | "dynamic"
  readonly dynamic_layers?: readonly SlashCommandLayer[]
}

export type CommandChange =
  | {
      readonly type: "register"
      readonly owner: string
      readonly command: SlashCommandDefinition & { readonly version?: string | undefined }
    }
  /** Without an owner, the one that is on top. */
  | { readonly type: "unregister"; readonly name: string; readonly owner: string | null }
  /** What this owner does not name any more goes. */
  | {
      readonly type: "replace"
      readonly owner: string
      readonly commands: readonly SlashCommandDefinition[]
    }

export interface CommandsChanged {
  /** How many effective rows are others than before. */
  readonly changed: number
  readonly txid: string
}

export interface NewEntity {
  readonly session: NewSession
  readonly type: string
  readonly name: string
  readonly args: unknown
  readonly tags: Readonly<Record<string, string>>
  readonly parent: string | null
  /** Whose spawning this is: the same again finds the same entity. */
  readonly spawned_by: string | null
  readonly commands: readonly SlashCommandDefinition[]
  readonly commands_digest: string
  /** The message that tells the handler. */
  readonly wake: Append | null
}

export interface Spawned {
  readonly type: "spawned" | "same"
  readonly entity: StoredEntity
  readonly claim: Claim | null
  readonly txid: string
}

/** A row of a collection that an entity keeps. */
export interface EntityRow {
  readonly collection: string
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface RowWrite {
  readonly session_id: string
  readonly effect: Effect | null
  readonly collection: string
  /** What its events are called. */
  readonly event_type: string
  readonly key: string
  readonly operation: "insert" | "update" | "upsert" | "delete"
  readonly value: Readonly<Record<string, unknown>> | null
}

export interface RowWritten {
  readonly changed: boolean
  readonly txid: string
}

/** Something for the model to read, with where it comes from (EA-030). */
export interface ContextWrite {
  readonly session_id: string
  readonly effect: Effect
  readonly message_id: string
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
  readonly part: NewPart
}

export interface StoredObservation {
  readonly observer: string
  readonly observed: string
  /** Whose rows wake it; empty is when a turn ends. */
  readonly collections: readonly string[]
  /** What was told up to here. */
  readonly seen: number
}

export interface EntityFilter {
  readonly type?: string | undefined
  readonly parent?: string | undefined
  /** Only those of one principal. */
  readonly principal?: string | undefined
}

export interface EntityWrites {
  spawnEntity(input: NewEntity): Spawned
  killEntity(input: { readonly session_id: string }): { entity: StoredEntity; txid: string }
  tagEntity(input: {
    readonly session_id: string
    readonly tags: Readonly<Record<string, string | null>>
  }): { entity: StoredEntity; txid: string }
  /** A branch under a name, with the rows that the entity had. */
  forkEntity(input: {
    readonly branch: Branch
    readonly name: string
    parent: string | null
  }): Spawned
  /** Put what a definition declares in the place of what it declared before. */
  declareCommands(input: {
    readonly session_id: string
    readonly commands: readonly SlashCommandDefinition[]
    readonly digest: string
  }): CommandsChanged
  changeCommands(input: {
    readonly session_id: string
    readonly effect: Effect | null
    readonly changes: readonly CommandChange[]
  }): CommandsChanged
  writeRow(input: RowWrite): RowWritten
  putContext(input: ContextWrite): { txid: string }
  removeContext(input: {
    readonly session_id: string
    readonly effect: Effect
    readonly key: string
  }): { removed: boolean; txid: string }
  /** What came of something that was done elsewhere. */
  recordEffect(input: {
    readonly session_id: string
    readonly effect: Effect
    readonly answer: unknown
  }): { txid: string }
  /** Which message a sender's own key stands for: the first one that was said for it. */
  reserveKey(input: {
    readonly session_id: string
    readonly key: string
    readonly message_id: string
  }): { message_id: string }
  /** Say of a message that waits when it shall run. */
  remode(input: {
    readonly session_id: string
    readonly message_id: string
    readonly mode: "immediate" | "queued" | "steer"
  }): { txid: string }
  observe(input: {
    readonly observer: string
    readonly observed: string
    readonly collections: readonly string[]
    readonly effect: Effect
  }): { txid: string }
  unobserve(input: {
    readonly observer: string
    readonly observed: string
    readonly effect: Effect
  }): { txid: string }
  /** Told up to here; false when another told it. */
  seeObservation(input: {
    readonly observer: string
    readonly observed: string
    readonly from: number
    readonly to: number
  }): { seen: boolean }
}

export interface EntityReads {
  /** By its name among those of a principal; null is the operator. */
  entity(type: string, name: string, principal: string | null): StoredEntity | null
  entityOf(session_id: string): StoredEntity | null
  entities(filter: EntityFilter): StoredEntity[]
  /** Entities of a type that were declared other commands than these. */
  outdatedEntities(type: string, digest: string): string[]
  slashCommands(session_id: string): SlashCommandRow[]
  entityRows(session_id: string, collection: string): EntityRow[]
  entityRow(session_id: string, collection: string, key: string): EntityRow | null
  /** What a wake did already, by its ordinal. */
  effects(session_id: string, wake: string): { ordinal: number; kind: string; answer: unknown }[]
  observationsOf(observed: string): StoredObservation[]
  observations(): StoredObservation[]
}
