import type { Model } from "compositor-core/model/models"
import type { Media } from "compositor-core/model/prompt"
import type { PromptRequest } from "./prompt-history.ts"
import type { StepOutcome } from "./step.ts"

/** A medium that a model would not take. */
export interface RefusedMedium {
  readonly content_id: string
  readonly name: string
  /** What the API said. */
  readonly reason: string
}

/** So often a request is made again without some of its media: first without what the API named, or
 *  what was new, and then without any. */
export const MAX_REFUSALS = 2
const MAX_REASON_CHARACTERS = 500

/** The media to leave out when the request is made again; none when it failed for another reason, or
 *  when something was said already. */
export function suspectsOf(said: StepOutcome, request: PromptRequest): readonly RefusedMedium[] {
  const { ending, parts } = said
  if (ending.type !== "error" || parts.length > 0) return []
  const named = ending.implicates_media
  if (!named && !UNEXPLAINED.test(ending.code)) return []
  const reason = ending.message.slice(0, MAX_REASON_CHARACTERS).toWellFormed()
  const suspects = accused(request, new Set(named))
  return suspects.map(({ content_id, name }) => ({ content_id, name, reason }))
}

// A request that an API finds fault with and does not say where.
const UNEXPLAINED = /^http-4(?:00|13|15|22)$/

function accused(request: PromptRequest, named: ReadonlySet<string>): readonly Media[] {
  const { fresh, earlier } = request.media()
  const pointed = [...fresh, ...earlier].filter(({ content_id }) => named.has(content_id))
  if (pointed.length > 0) return pointed
  return fresh.length > 0 ? fresh : earlier
}

/** What the user is told of it. */
export function noticeOf({ name }: Model, refused: readonly RefusedMedium[]): string {
  const names = [...new Set(refused.map((one) => one.name))].join(", ")
  const [first] = refused
  return `${name} would not take ${names} and was asked again without: ${first?.reason ?? ""}`
}
