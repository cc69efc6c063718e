import { readFileSync } from "node:fs"
import { findModel } from "../model/models.ts"
import { anthropicMessages } from "./anthropic-messages.ts"
import { mirror } from "./mirror.ts"
import type { Provider } from "./provider.ts"
import { type Script, scripted, scriptFromText } from "./scripted.ts"

/** `COMPOSITOR_SCRIPT` names the file that tells the scripted model what to answer;
 *  `COMPOSITOR_PACE_MS` is the mirror's pace. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The providers that can be asked here, by id. */
export function providers(environment: Environment): Map<string, Provider> {
  const known = [
    mirror({ pace_ms: paceOf(environment) }),
    scripted(scriptOf(environment)),
    ...anthropic(environment),
  ]
  return new Map(known.map((provider) => [provider.id, provider]))
}

/** The model that answers when nobody chose one: the mirror, unless there is a key for another. */
export function defaultModel(environment: Environment): {
  readonly provider_id: string
  readonly model_id: string
} {
  const provider_id = environment.ANTHROPIC_API_KEY ? "anthropic" : "mirror"
  const model_id = findModel({ provider_id, model_id: provider_id })?.model_id ?? provider_id
  return { provider_id, model_id }
}

/** One wire API without anyone to call: enough to show the body of a request. */
export function wireOf(api: string): Pick<Provider, "api" | "encode" | "body"> | undefined {
  return WIRES.find((wire) => wire.api === api)
}

const WIRES: readonly Provider[] = [anthropicMessages({ api_key: "" }), mirror(), scripted()]

function paceOf({ COMPOSITOR_PACE_MS }: Environment): number | undefined {
  const pace = Number.parseInt(COMPOSITOR_PACE_MS ?? "", 10)
  return Number.isNaN(pace) ? undefined : Math.max(0, pace)
}

// Read for each call, so that a test can change its mind while the server runs.
function scriptOf({ COMPOSITOR_SCRIPT }: Environment): Script | undefined {
  if (!COMPOSITOR_SCRIPT) return undefined
  return (call) => scriptFromText(readFileSync(COMPOSITOR_SCRIPT, "utf8"))(call)
}

function anthropic(environment: Environment): Provider[] {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } = environment
  if (!ANTHROPIC_API_KEY) return []
  return [
    anthropicMessages({ api_key: ANTHROPIC_API_KEY, base_url: ANTHROPIC_BASE_URL || undefined }),
  ]
}
