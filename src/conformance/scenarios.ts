import type { Scenario } from "./scenario.ts"
import { messageScenarios } from "./scenarios/messages.ts"

/** Every scenario of the kit. */
export const SCENARIOS: readonly Scenario[] = [...messageScenarios]
