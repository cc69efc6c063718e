import type { Modality } from "./capabilities.ts"
import type { Price } from "./price.ts"
import type { Effort, Thinking } from "./prompt.ts"

export interface Model {
  readonly provider_id: string
  readonly model_id: string
  readonly api: string
  readonly name: string
  readonly context_tokens: number
  readonly output_tokens: number
  readonly input: readonly Modality[]
  readonly tools: boolean
  /** The ways to say how much it is to think; none when it does not, or cannot be told. */
  readonly thinking: readonly Thinking["type"][]
  /** Absent where nobody told. */
  readonly price?: Price | undefined
  /** Marks of the layers above the embedded list that had a say; see `wires/layers.ts`. */
  readonly layers: readonly string[]
}

/** How a message or a session names a model. */
export interface ModelReference {
  readonly provider_id: string
  readonly model_id: string
}

/** The wish in a way that this model takes; undefined leaves it to the model. */
export function thinkingFor(model: Model, wish: Effort | "off"): Thinking | undefined {
  const { thinking } = model
  if (wish === "off") return thinking.includes("off") ? { type: "off" } : undefined
  if (thinking.includes("effort")) return { type: "effort", effort: wish }
  if (!thinking.includes("budget")) return undefined
  return { type: "budget", tokens: Math.min(BUDGETS[wish], Math.floor(model.output_tokens / 2)) }
}

const BUDGETS: Readonly<Record<Effort, number>> = {
  low: 4096,
  medium: 12_000,
  high: 24_000,
  max: 48_000,
}
