import type { SlashCommandLayer, SlashCommandRow } from "../store.ts"

/** One who registered a command; the definition's own layer has no owner and lies at the bottom. */
export interface LayerRecord {
  readonly session_id: string
  readonly name: string
  readonly owner: string
  readonly position: number
  readonly data_json: string
  readonly updated_at: number
}

export const STATIC_OWNER = ""

export const LAYERS = `SELECT * FROM slash_commands WHERE session_id = ?
  ORDER BY name, position`

/** The row that readers see: what was learnt hides what was declared, and the last of several who
 *  learnt it hides the others (EA-013). */
export function effectiveRow(layers: readonly LayerRecord[]): SlashCommandRow | undefined {
  const dynamic = layers.filter(({ owner }) => owner !== STATIC_OWNER)
  const top = dynamic.at(-1) ?? layers[0]
  if (!top) return undefined
  const layer = layerOf(top)
  if (dynamic.length === 0) return { key: top.name, ...layer, source: "static" }
  return { key: top.name, ...layer, source: "dynamic", dynamic_layers: dynamic.map(layerOf) }
}

function layerOf({ name, owner, data_json, updated_at }: LayerRecord): SlashCommandLayer {
  return {
    name,
    ...JSON.parse(data_json),
    ...(owner === STATIC_OWNER ? {} : { owner }),
    updated_at: new Date(updated_at).toISOString(),
  }
}
