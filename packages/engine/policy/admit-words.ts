import { Refusal } from "compositor-core/message/refusal"
import type { IngressPolicy } from "./policy.ts"
import { redactValueInSteps } from "./secrets/redact-value.ts"
import { finishInSlices } from "./secrets/slices.ts"

/** Words that are kept or shown and are no parts of a message (a title, a draft, what a tool gave
 *  back, a system prompt): without the secrets in any string of them (BEY-04). The same value where
 *  there are none. */
export async function admitWords<Words>(policy: IngressPolicy, words: Words): Promise<Words> {
  if (policy.settings.secrets === "allow") return words
  const { value, findings, gaveUp } = await finishInSlices(redactValueInSteps(words))
  if (gaveUp) throw new Refusal("invalid", "it holds too much that looks like a secret to be kept")
  return findings.length === 0 ? words : (value as Words)
}
