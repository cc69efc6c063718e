import type { Action } from "./permissions.ts"

/** A call that is about to be made. Its input has been validated, and the rules allow it or ask. */
interface WatchedCall {
  readonly tool_id: string
  readonly input: unknown
  /** The agent's manifest, as it was declared. */
  readonly manifest: unknown
  readonly session_id: string
}

type WatchdogAnswer =
  | { readonly answer: "allow" }
  | { readonly answer: "deny"; readonly reason: string }
  | { readonly answer: "ask"; readonly reason?: string }

/** A host's own look at every call (`tool.before`, WDG-001). It runs after the permission rules and
 *  before the sandbox, and can only make them stricter. */
export type ToolBefore = (call: WatchedCall) => WatchdogAnswer | Promise<WatchdogAnswer>

interface WatchdogOptions {
  /** What the permission rules said. */
  readonly rules: Action
  /** Nobody is there to be asked: to ask is to deny. */
  readonly headless: boolean
  readonly timeout_ms?: number
}

const TIMEOUT_MS = 10_000

/** The last word before a tool runs. A watchdog that fails or does not answer has denied. */
export async function watch(
  before: ToolBefore | undefined,
  call: WatchedCall,
  options: WatchdogOptions,
): Promise<WatchdogAnswer> {
  const { rules, headless, timeout_ms = TIMEOUT_MS } = options
  if (rules === "deny")
    return { answer: "deny", reason: `the permission rules deny ${call.tool_id} here` }
  const said = before ? await answerOf(before, call, timeout_ms) : ALLOW
  const answer = said.answer === "allow" && rules === "ask" ? ASK : said
  if (answer.answer !== "ask" || !headless) return answer
  const why = answer.reason ? `: ${answer.reason}` : ""
  return { answer: "deny", reason: `${call.tool_id} needs approval and nobody is there${why}` }
}

const ALLOW: WatchdogAnswer = { answer: "allow" }
const ASK: WatchdogAnswer = { answer: "ask" }

async function answerOf(
  before: ToolBefore,
  call: WatchedCall,
  timeout_ms: number,
): Promise<WatchdogAnswer> {
  const { promise, resolve } = Promise.withResolvers<WatchdogAnswer>()
  const deny = (reason: string) => resolve({ answer: "deny", reason })
  const timer = setTimeout(() => deny("the watchdog did not answer"), timeout_ms)
  const asked = (async () => before(call))()
  asked.then(resolve, (error: unknown) => deny(`the watchdog failed: ${String(error)}`))
  return promise.finally(() => clearTimeout(timer))
}
