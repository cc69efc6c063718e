import type { PartData } from "../parts/define-part.ts"
import type { Circumstances, LoweringPolicy } from "../file/policy.ts"
import type { LoweredPart } from "../file/verdict.ts"

export interface Policy extends LoweringPolicy {
  readonly custom?: Custom | undefined
}

/** What a part is lowered under, with what its agent says of that. */
export interface AgentCircumstances extends Circumstances {
  readonly policy: Policy
}

/** An agent's own lowering (CMP-113): undefined, or a throw, leaves it to ours, which `next` gives.
 *  What is stored cannot be reached from it. */
export type Custom = (part: PartData, next: () => LoweredPart) => LoweredPart | undefined

export const DEFAULT_POLICY: Policy = { file_refs: "auto" }
