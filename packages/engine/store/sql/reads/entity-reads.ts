import type {
  EntityFilter,
  EntityReads,
  EntityRow,
  SlashCommandRow,
  StoredEntity,
  StoredObservation,
} from "../../store.ts"
import {
  type EntityRecord,
  entityOf,
  type ObservationRecord,
  observationOf,
} from "../entity-rows.ts"
import { effectiveRow, LAYERS, type LayerRecord } from "../slash-command-rows.ts"
import type { SqlReader, Program, Programs } from "../program.ts"

interface RowRecord {
  readonly collection: string
  readonly key: string
  readonly value_json: string
}

interface StoredEffect {
  readonly ordinal: number
  readonly kind: string
  readonly answer: unknown
}

const MAX_LISTED = 10_000

/** Reads what sessions are as entities. */
export class EntityPrograms implements Programs<EntityReads> {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *entity(type: string, name: string, principal: string | null): Program<StoredEntity | null> {
    const record = yield* this.#asking.get<EntityRecord>(
      "SELECT * FROM entities WHERE principal = ? AND type = ? AND name = ?",
      principal ?? "",
      type,
      name,
    )
    return record ? entityOf(record) : null
  }

  *entityOf(session_id: string): Program<StoredEntity | null> {
    const record = yield* this.#asking.get<EntityRecord>(
      "SELECT * FROM entities WHERE session_id = ?",
      session_id,
    )
    return record ? entityOf(record) : null
  }

  *entities({ type, parent, principal }: EntityFilter): Program<StoredEntity[]> {
    const records = yield* this.#asking.all<EntityRecord>(
      `SELECT * FROM entities WHERE (CAST(? AS TEXT) IS NULL OR type = ?)
         AND (CAST(? AS TEXT) IS NULL OR parent = ?)
         AND (CAST(? AS TEXT) IS NULL OR principal = ?)
       ORDER BY created_at, session_id LIMIT ${MAX_LISTED}`,
      type ?? null,
      type ?? null,
      parent ?? null,
      parent ?? null,
      principal ?? null,
      principal ?? null,
    )
    return records.map(entityOf)
  }

  *outdatedEntities(type: string, digest: string): Program<string[]> {
    const rows = yield* this.#asking.all<{ session_id: string }>(
      `SELECT session_id FROM entities
       WHERE type = ? AND commands_digest <> ? AND killed_at IS NULL`,
      type,
      digest,
    )
    return rows.map(({ session_id }) => session_id)
  }

  *slashCommands(session_id: string): Program<SlashCommandRow[]> {
    const layers = yield* this.#asking.all<LayerRecord>(LAYERS, session_id)
    const rows = [...Map.groupBy(layers, ({ name }) => name).values()].map(effectiveRow)
    return rows.filter((row) => row !== undefined)
  }

  *entityRows(session_id: string, collection: string): Program<EntityRow[]> {
    const records = yield* this.#asking.all<RowRecord>(
      `SELECT collection, key, value_json FROM entity_rows
       WHERE session_id = ? AND collection = ? ORDER BY key`,
      session_id,
      collection,
    )
    return records.map(rowOf)
  }

  *entityRow(session_id: string, collection: string, key: string): Program<EntityRow | null> {
    const record = yield* this.#asking.get<RowRecord>(
      `SELECT collection, key, value_json FROM entity_rows
       WHERE session_id = ? AND collection = ? AND key = ?`,
      session_id,
      collection,
      key,
    )
    return record ? rowOf(record) : null
  }

  *effects(session_id: string, wake: string): Program<StoredEffect[]> {
    const rows = yield* this.#asking.all<{ ordinal: number; kind: string; answer_json: string }>(
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

  *observationsOf(observed: string): Program<StoredObservation[]> {
    const records = yield* this.#asking.all<ObservationRecord>(
      "SELECT * FROM observations WHERE observed = ? ORDER BY observer",
      observed,
    )
    return records.map(observationOf)
  }

  *observations(): Program<StoredObservation[]> {
    const records = yield* this.#asking.all<ObservationRecord>("SELECT * FROM observations")
    return records.map(observationOf)
  }
}

function rowOf({ collection, key, value_json }: RowRecord): EntityRow {
  return { collection, key, value: JSON.parse(value_json) }
}
