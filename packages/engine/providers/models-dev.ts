import { z } from "zod"
import { Price } from "compositor-core/model/price"
import { ModelFacts } from "compositor-core/wires/layers"
import { WIRES } from "compositor-core/wires/wires"

/** The public catalog that refreshes what we know of models (MIT; its ids are the APIs' own). */
export const CATALOG_URL = "https://models.dev/api.json"

const MAX_MODELS = 20_000

/** What we need of an entry; there is far more in it, and there will be more. */
const Entry = z.object({
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(200),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
  limit: z.object({ context: z.number(), output: z.number() }),
  tool_call: z.union([z.boolean(), z.object({ supported: z.boolean() })]).optional(),
  reasoning: z.boolean().optional(),
  reasoning_options: z
    .array(z.object({ type: z.string(), values: z.array(z.string()).optional() }))
    .optional(),
  status: z.string().optional(),
  cost: z.unknown().optional(),
})
type Entry = z.infer<typeof Entry>

const Shelf = z.object({ models: z.record(z.string(), z.unknown()) })
const Catalog = z.record(z.string(), z.unknown())

/** The catalog's facts about models that we can ask. An entry that is not as it should be is left
 *  out; throws when nothing is left, because then it is not the catalog. */
export function readCatalog(text: string): ModelFacts[] {
  const catalog = Catalog.parse(JSON.parse(text))
  const facts = WIRES.flatMap(({ provider_id, catalog: key }) =>
    key === null ? [] : shelfFacts(provider_id, catalog[key]),
  )
  if (facts.length === 0) throw new Error("there is no model in it that we could ask")
  return facts.slice(0, MAX_MODELS)
}

function shelfFacts(provider_id: string, value: unknown): ModelFacts[] {
  const shelf = Shelf.safeParse(value)
  if (!shelf.success) return []
  return Object.values(shelf.data.models).flatMap((model) => {
    const entry = Entry.safeParse(model)
    return entry.success && isChat(entry.data) ? factsOf(provider_id, entry.data) : []
  })
}

function isChat({ modalities, status }: Entry): boolean {
  const { input, output } = modalities
  return input.includes("text") && output.includes("text") && status !== "deprecated"
}

function factsOf(provider_id: string, entry: Entry): ModelFacts[] {
  const { id, name, modalities, limit, tool_call } = entry
  const facts = ModelFacts.safeParse({
    provider_id,
    model_id: id,
    name,
    input: SENSES.filter((sense) => modalities.input.includes(sense)),
    // A limit of nothing is a gap in the catalog.
    context_tokens: limit.context || undefined,
    output_tokens: limit.output || undefined,
    tools: typeof tool_call === "object" ? tool_call.supported : tool_call,
    thinking: thinkingOf(entry),
    price: Price.safeParse(entry.cost).data,
  })
  return facts.success ? [facts.data] : []
}

const SENSES = ["text", "image", "pdf", "audio", "video"] as const

function thinkingOf({ reasoning, reasoning_options: options }: Entry) {
  if (reasoning === false) return []
  if (!options) return undefined
  const off = options.some(({ type, values }) => type === "toggle" || values?.includes("none"))
  return [
    ...(off ? ["off"] : []),
    ...(options.some(({ type }) => type === "effort") ? ["effort"] : []),
    ...(options.some(({ type }) => type === "budget_tokens") ? ["budget"] : []),
  ]
}
