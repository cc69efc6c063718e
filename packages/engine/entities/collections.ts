import { Refusal } from "compositor-core/message/refusal"
import type { Store } from "../store/store.ts"
import type { RowCollection } from "./context.ts"
import type { EffectLog } from "./effect-log.ts"
import type { CollectionDefinition, StateCollections } from "./definition.ts"
import { checkStandardSchema } from "./standard-schema.ts"

type Row = Readonly<Record<string, unknown>>
type RowStore = Pick<Store, "entityRow" | "entityRows" | "writeRow">

/** The rows that an entity keeps, one collection for each kind it declared. */
export function collections(
  store: RowStore,
  deeds: EffectLog,
  state: StateCollections,
): Record<string, RowCollection<Row>> {
  const made = Object.entries(state).map(([name, definition]) => [
    name,
    rowCollection(store, deeds, { name, ...definition }),
  ])
  return Object.fromEntries(made)
}

type Named = CollectionDefinition & { readonly name: string }

function rowCollection(store: RowStore, deeds: EffectLog, definition: Named): RowCollection<Row> {
  const { name: collection, type: event_type = collection } = definition
  const { session_id } = deeds
  const write = async (key: string, operation: Operation, value: Row | null) => {
    const effect = deeds.next(`row:${collection}:${operation}`)
    await store.writeRow({ session_id, effect, collection, event_type, key, operation, value })
  }
  const get = async (key: string) =>
    (await store.entityRow(session_id, collection, key))?.value ?? undefined
  return {
    get,
    list: async () => (await store.entityRows(session_id, collection)).map(({ value }) => value),
    insert: async (row) => {
      const value = await checked(definition, row)
      await write(keyOf(definition, value), "insert", value)
    },
    upsert: async (row) => {
      const value = await checked(definition, row)
      await write(keyOf(definition, value), "upsert", value)
    },
    update: async (key, change) => {
      const before = await get(key)
      if (!before) throw new Refusal("not_found", `there is no ${collection}/${key}`)
      const value = await checked(definition, change(before))
      if (keyOf(definition, value) !== key)
        throw new Error(`a row keeps its ${definition.primaryKey}: ${key} cannot become another`)
      await write(key, "update", value)
    },
    delete: (key) => write(key, "delete", null),
  }
}

type Operation = "insert" | "update" | "upsert" | "delete"

async function checked({ name, schema }: Named, row: Row): Promise<Row> {
  const read = await checkStandardSchema(schema, row, "")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its schema has read it
  if (read.type === "value") return read.value as Row
  const faults = read.faults.map(({ path, message }) => `${path || "/"} ${message}`)
  throw new Error(`the row does not fit ${name}: ${faults.join("; ")}`)
}

function keyOf({ name, primaryKey }: Named, row: Row): string {
  const key = row[primaryKey]
  if (typeof key === "string" && key !== "" && key.length <= 512) return key
  throw new Error(`a row of ${name} needs a text as its ${primaryKey}`)
}
