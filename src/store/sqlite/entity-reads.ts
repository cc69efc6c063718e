import type {
  EntityFilter,
  EntityReads,
  EntityRow,
  SlashCommandRow,
  StoredEntity,
  StoredObservation,
} from "../store.ts"
import {
  type EntityRecord,
  entityOf,
  type ObservationRecord,
  observationOf,
} from "./entity-rows.ts"
import { effectiveRow, LAYERS, type LayerRecord } from "./slash-command-rows.ts"
import type { Statements } from "./transaction.ts"

type Value = string | number | null

interface RowRecord {
  readonly collection: string
  readonly key: string
  readonly value_json: string
}

const MAX_LISTED = 10_000

/** Reads what sessions are as entities. */
export class SqliteEntityReads implements EntityReads {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  entity(type: string, name: string): StoredEntity | null {
    const record = this.#get<EntityRecord>(
      "SELECT * FROM entities WHERE type = ? AND name = ?",
      type,
      name,
    )
    return record ? entityOf(record) : null
  }

  entityOf(session_id: string): StoredEntity | null {
    const record = this.#get<EntityRecord>(
      "SELECT * FROM entities WHERE session_id = ?",
      session_id,
    )
    return record ? entityOf(record) : null
  }

  entities({ type, parent }: EntityFilter): StoredEntity[] {
    return this.#all<EntityRecord>(
      `SELECT * FROM entities WHERE (? IS NULL OR type = ?) AND (? IS NULL OR parent = ?)
       ORDER BY created_at, session_id LIMIT ${MAX_LISTED}`,
      type ?? null,
      type ?? null,
      parent ?? null,
      parent ?? null,
    ).map(entityOf)
  }

  outdatedEntities(type: string, digest: string): string[] {
    const rows = this.#all<{ session_id: string }>(
      `SELECT session_id FROM entities
       WHERE type = ? AND commands_digest <> ? AND killed_at IS NULL`,
      type,
      digest,
    )
    return rows.map(({ session_id }) => session_id)
  }

  slashCommands(session_id: string): SlashCommandRow[] {
    const layers = this.#all<LayerRecord>(LAYERS, session_id)
    const rows = [...Map.groupBy(layers, ({ name }) => name).values()].map(effectiveRow)
    return rows.filter((row) => row !== undefined)
  }

  entityRows(session_id: string, collection: string): EntityRow[] {
    return this.#all<RowRecord>(
      `SELECT collection, key, value_json FROM entity_rows
       WHERE session_id = ? AND collection = ? ORDER BY key`,
      session_id,
      collection,
    ).map(rowOf)
  }

  entityRow(session_id: string, collection: string, key: string): EntityRow | null {
    const record = this.#get<RowRecord>(
      `SELECT collection, key, value_json FROM entity_rows
       WHERE session_id = ? AND collection = ? AND key = ?`,
      session_id,
      collection,
      key,
    )
    return record ? rowOf(record) : null
  }

  effects(session_id: string, wake: string) {
    const rows = this.#all<{ ordinal: number; kind: string; answer_json: string }>(
      `SELECT ordinal, kind, answer_json FROM entity_effects
       WHERE session_id = ? AND wake = ? ORDER BY ordinal`,
      session_id,
      wake,
    )
    return rows.map(({ ordinal, kind, answer_json }) => ({
      ordinal,
      kind,
      answer: JSON.parse(answer_json) as unknown,
    }))
  }

  observationsOf(observed: string): StoredObservation[] {
    return this.#all<ObservationRecord>(
      "SELECT * FROM observations WHERE observed = ? ORDER BY observer",
      observed,
    ).map(observationOf)
  }

  observations(): StoredObservation[] {
    return this.#all<ObservationRecord>("SELECT * FROM observations").map(observationOf)
  }

  #get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statements.of(sql).get(...values) as Row | undefined
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statements.of(sql).all(...values) as Row[]
  }
}

function rowOf({ collection, key, value_json }: RowRecord): EntityRow {
  return { collection, key, value: JSON.parse(value_json) }
}
