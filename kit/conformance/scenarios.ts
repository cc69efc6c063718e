import type { Scenario } from "./scenario.ts"
import { composingScenarios } from "./scenarios/composing.ts"
import { documentScenarios } from "./scenarios/documents.ts"
import { doorScenarios } from "./scenarios/door.ts"
import { fixtureScenarios } from "./scenarios/fixtures.ts"
import { formatScenarios } from "./scenarios/formats.ts"
import { houseScenarios } from "./scenarios/house.ts"
import { loweringScenarios } from "./scenarios/lowering.ts"
import { messageScenarios } from "./scenarios/messages.ts"
import { principalScenarios } from "./scenarios/principals.ts"
import { queueScenarios } from "./scenarios/queue.ts"
import { requestScenarios } from "./scenarios/requests.ts"
import { serverScenarios } from "./scenarios/servers.ts"
import { sessionScenarios } from "./scenarios/sessions.ts"
import { toolScenarios } from "./scenarios/tools.ts"

/** Every scenario of the kit. */
export const SCENARIOS: readonly Scenario[] = [
  ...doorScenarios,
  ...messageScenarios,
  ...documentScenarios,
  ...composingScenarios,
  ...loweringScenarios,
  ...fixtureScenarios,
  ...queueScenarios,
  ...sessionScenarios,
  ...requestScenarios,
  ...toolScenarios,
  ...formatScenarios,
  ...houseScenarios,
  ...serverScenarios,
  ...principalScenarios,
]
