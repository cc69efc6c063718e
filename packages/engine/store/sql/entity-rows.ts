import type { StoredEntity, StoredObservation } from "../store.ts"

export interface EntityRecord {
  readonly session_id: string
  /** Among whose entities it has its name; empty for the operator's. */
  readonly principal: string
  readonly type: string
  readonly name: string
  readonly args_json: string
  readonly tags_json: string
  readonly parent: string | null
  readonly spawned_by: string | null
  readonly commands_digest: string
  readonly created_at: number
  readonly updated_at: number
  readonly killed_at: number | null
}

export function entityOf(record: EntityRecord): StoredEntity {
  const { session_id, type, name, parent, created_at, updated_at, killed_at } = record
  return {
    session_id,
    type,
    name,
    args: JSON.parse(record.args_json),
    tags: JSON.parse(record.tags_json),
    parent,
    created_at,
    updated_at,
    killed_at,
  }
}

export interface ObservationRecord {
  readonly observer: string
  readonly observed: string
  readonly collections_json: string
  readonly seen: number
}

export function observationOf(record: ObservationRecord): StoredObservation {
  const { observer, observed, collections_json, seen } = record
  return { observer, observed, collections: JSON.parse(collections_json), seen }
}
