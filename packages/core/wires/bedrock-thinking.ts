import type { Thinking } from "../model/prompt.ts"
import type { RequestEnvelope } from "./define-wire.ts"

/** How a model behind Converse is told how much to think; nothing for those that cannot be told. */
export function thinkingFields({ model, thinking, max_tokens }: RequestEnvelope): object {
  const family = THINKERS.find(({ pattern }) => pattern.test(model))
  return family && thinking ? family.encode(thinking, max_tokens) : {}
}

/** How families of models are told to think: each has fields of its own. */
const THINKERS: readonly {
  readonly pattern: RegExp
  readonly encode: (thinking: Thinking, max_tokens: number) => object
}[] = [
  { pattern: /anthropic\.claude/, encode: claudeThinking },
  { pattern: /amazon\.nova-2/, encode: novaThinking },
]

const SMALLEST_BUDGET = 1024

function claudeThinking(thinking: Thinking, max_tokens: number): object {
  switch (thinking.type) {
    case "off":
      return fields({ thinking: { type: "disabled" } })
    case "effort":
      return {
        ...fields({ thinking: { type: "adaptive" } }),
        outputConfig: { effort: thinking.effort },
      }
    case "budget": {
      const budget_tokens = Math.min(thinking.tokens, max_tokens - 1)
      return budget_tokens < SMALLEST_BUDGET
        ? {}
        : fields({ thinking: { type: "enabled", budget_tokens } })
    }
  }
}

function novaThinking(thinking: Thinking): object {
  if (thinking.type === "off") return fields({ reasoningConfig: { type: "disabled" } })
  const effort = thinking.type === "effort" && thinking.effort !== "max" ? thinking.effort : "high"
  return fields({ reasoningConfig: { type: "enabled", maxReasoningEffort: effort } })
}

function fields(additionalModelRequestFields: object): object {
  return { additionalModelRequestFields }
}
