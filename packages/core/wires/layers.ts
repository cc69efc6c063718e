import { z } from "zod"
import type { ApiLimits, Capabilities, MediaKind, MediaLimits } from "../model/capabilities.ts"
import type { ModelReference, Model } from "../model/models.ts"
import { Price } from "../model/price.ts"
import { capabilitiesOf, findModel, MODELS } from "./models.ts"
import { API_LIMITS } from "./wires.ts"

const Modality = z.enum(["text", "image", "pdf", "audio", "video"])
const tokens = z.int().positive().max(1_000_000_000)

/** What a layer says of a model; on what it leaves out, the layer below is right. */
export const ModelFacts = z.object({
  provider_id: z.string().min(1).max(100),
  /** In a config, `*` stands for any characters. */
  model_id: z.string().min(1).max(200),
  name: z.string().min(1).max(200).optional(),
  input: z.array(Modality).min(1).optional(),
  context_tokens: tokens.optional(),
  output_tokens: tokens.optional(),
  tools: z.boolean().optional(),
  thinking: z.array(z.enum(["off", "budget", "effort"])).optional(),
  price: Price.optional(),
})
export type ModelFacts = z.infer<typeof ModelFacts>

const MediaFacts = z.strictObject({
  mimes: z.array(z.string().min(1).max(200)).optional(),
  max_bytes: z.int().min(0).optional(),
  max_side_pixels: z.int().positive().optional(),
  max_count: z.int().min(0).optional(),
  max_total_bytes: z.int().min(0).optional(),
  max_pages: z.int().min(0).optional(),
})

/** What a config says of a wire API. A kind of media with `null` is not sent at all; types can be
 *  taken away and not added, because nothing here would know how to write them. */
const ApiFacts = z.strictObject({
  media: z
    .partialRecord(z.enum(["image", "pdf", "office", "audio", "video"]), MediaFacts.nullable())
    .optional(),
  max_request_bytes: z.int().positive().optional(),
  synthetic_tool_call: z.enum(["always", "without-budget", "never"]).optional(),
})
type ApiFacts = z.infer<typeof ApiFacts>

export const ModelConfig = z.strictObject({
  models: z.array(ModelFacts).max(10_000).default([]),
  apis: z.record(z.string(), ApiFacts).default({}),
})
export type ModelConfig = z.infer<typeof ModelConfig>

/** Knowledge about models that came from one place, above the embedded tables. */
export interface ModelLayer {
  readonly name: "refreshed" | "probe" | "config"
  readonly models: readonly ModelFacts[]
  readonly apis?: Readonly<Record<string, ApiFacts>>
}

const ORDER: readonly ModelLayer["name"][] = ["refreshed", "probe", "config"]

/** Everything known about models: the embedded list under refreshed data, under what a server said
 *  of itself, under what the user says (BIN-020, BIN-022). */
export interface Knowledge {
  readonly models: readonly Model[]
  find(choice: ModelReference): Model | undefined
  capabilities(model: Model): Capabilities
}

export function knowledgeOf(layers: readonly ModelLayer[]): Knowledge {
  const ordered = ORDER.flatMap((name) => layers.filter((layer) => layer.name === name))
  const models = ordered.reduce<readonly Model[]>(applyLayer, MODELS)
  const tables = ordered.reduce(applyTables, API_LIMITS)
  const marks = new Map(Object.keys(tables).map((api) => [api, tableMark(api, tables)]))
  return {
    models,
    find: (choice) => {
      const model = findModel(choice, models)
      return model && models.includes(model) ? model : model && patterned(model, ordered)
    },
    capabilities: (model) => {
      const known = capabilitiesOf(model, tables)
      const mark = marks.get(model.api)
      return mark ? { ...known, revision: `${known.revision}/${mark}` } : known
    },
  }
}

function applyLayer(models: readonly Model[], layer: ModelLayer): readonly Model[] {
  const told = new Map<string, Model>()
  for (const facts of layer.models) {
    if (facts.model_id.includes("*")) continue
    const before = told.get(keyOf(facts)) ?? findModel(facts, models)
    if (before) told.set(keyOf(facts), amend(before, facts, layer.name))
  }
  const known = models.map((model) => told.get(keyOf(model)) ?? model)
  const kept = new Set(known)
  const added = [...told.values()].filter((model) => !kept.has(model))
  return [...known, ...added].map((model) => patterned(model, [layer]))
}

/** What the patterns of the layers say of a model. */
function patterned(model: Model, layers: readonly ModelLayer[]): Model {
  let amended = model
  for (const { name, models } of layers)
    for (const facts of models)
      if (facts.model_id.includes("*") && matches(facts, model))
        amended = amend(amended, { ...facts, model_id: model.model_id }, name)
  return amended
}

function matches(facts: ModelFacts, model: Model): boolean {
  if (facts.provider_id !== model.provider_id) return false
  return glob(facts.model_id).test(model.model_id)
}

function glob(pattern: string): RegExp {
  const literal = pattern.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")
  return new RegExp(`^${literal.replace(/\*+/g, ".*")}$`)
}

function amend(model: Model, facts: ModelFacts, layer: ModelLayer["name"]): Model {
  const changed: Model = { ...model, ...defined(facts) }
  // Only what it changes is a layer's mark, so that a refresh with no news leaves revisions alone.
  if (sameSenses(changed, model)) return changed
  const mark = `${layer}-${digest([changed.input, changed.tools, changed.context_tokens])}`
  return { ...changed, layers: [...model.layers, mark] }
}

function sameSenses(one: Model, other: Model): boolean {
  return (
    one.input.join() === other.input.join() &&
    one.tools === other.tools &&
    one.context_tokens === other.context_tokens
  )
}

function keyOf({ provider_id, model_id }: ModelReference): string {
  return `${provider_id}/${model_id}`
}

type Tables = Readonly<Record<string, ApiLimits>>

function applyTables(tables: Tables, { apis = {} }: ModelLayer): Tables {
  const changed = Object.entries(apis).flatMap(([api, facts]) => {
    const before = tables[api]
    return before ? [[api, amendTable(before, facts)] as const] : []
  })
  return { ...tables, ...Object.fromEntries(changed) }
}

function amendTable(table: ApiLimits, facts: ApiFacts): ApiLimits {
  const { media = {}, ...rest } = facts
  const kinds = Object.entries(table.media).flatMap(([kind, limits]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name that it lacks finds nothing
    const said = media[kind as MediaKind]
    return said === null ? [] : [[kind, amendLimits(limits, said ?? {})] as const]
  })
  return { ...table, ...defined(rest), media: Object.fromEntries(kinds) }
}

function amendLimits(limits: MediaLimits, said: z.infer<typeof MediaFacts>): MediaLimits {
  const mimes = limits.mimes.filter((mime) => said.mimes?.includes(mime) ?? true)
  return { ...limits, ...defined(said), mimes }
}

/** Only what is said: an absent field must not hide the one below. */
function defined<Fields extends object>(fields: Fields) {
  type Said = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its names are those of the fields
  return Object.fromEntries(said) as Partial<Said>
}

function tableMark(api: string, tables: Tables): string | undefined {
  const table = tables[api]
  return table === API_LIMITS[api] ? undefined : `config-${digest(table)}`
}

/** Short and the same everywhere; nobody gains by a collision. */
function digest(value: unknown): string {
  let hash = 0x811c9dc5
  for (const character of JSON.stringify(value))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, "0")
}
