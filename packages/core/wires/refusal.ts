import type { ModelFault } from "../model/prompt.ts"

/** What an API says about its refusal, as far as it says it. */
export interface RefusalFacts {
  readonly code?: string | undefined
  readonly message?: string | undefined
  /** Where in the request it sees the fault. */
  readonly path?: string | undefined
  /** How long it wants to be left alone, where it says so beside the headers. */
  readonly retry_after_seconds?: number | undefined
  /** Asking again is of no use, whatever the status says. */
  readonly is_final?: boolean | undefined
}

/** What is said where the API says nothing, and whether another try is worth it. */
interface FaultDefaults {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retry_after_ms?: number | undefined
}

export function faultFrom(facts: RefusalFacts, defaults: FaultDefaults): ModelFault {
  const { retryable, retry_after_ms } = defaults
  return {
    type: "error",
    code: facts.code || defaults.code,
    message: facts.message || defaults.message,
    retryable,
    ...(retryable && retry_after_ms !== undefined ? { retry_after_ms } : {}),
    ...(facts.path ? { path: facts.path } : {}),
  }
}

/** A fault that the API told in the middle of its answer. */
export function reportedFault(facts: RefusalFacts, retryable: boolean): ModelFault {
  return faultFrom(facts, { code: "error", message: "the API reported an error", retryable })
}
