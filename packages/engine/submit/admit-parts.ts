import { openPart, type Part, writePart } from "compositor-core/parts/table"
import { setImmediate as pause } from "node:timers/promises"
import { recordOf } from "compositor-core/message/untyped"
import { sentenceOf } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import type { SecretSpan } from "../policy/secrets/detector.ts"
import { finishInSlices, searchSecrets } from "../policy/secrets/find-secrets.ts"
import { cutOut } from "../policy/secrets/redact.ts"
import { admitPart } from "./admit.ts"
import type { NamedPart } from "./resolve.ts"

/** After so many parts others have their turn: a message may have thousands. */
const PARTS_AT_ONCE = 512

/** Let the parts of a message in, all but those that came in before (`kept`), each by itself, and then as a reader puts them together: a key whose
 *  end stands in the next part is a key. */
export async function admitParts(
  policy: IngressPolicy,
  parts: readonly NamedPart[],
  kept: ReadonlySet<NamedPart> = new Set(),
): Promise<NamedPart[]> {
  const admitted: NamedPart[] = []
  for (const [at, named] of parts.entries()) {
    if (at % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) await pause()
    admitted.push(
      kept.has(named) ? named : { id: named.id, part: await admitPart(policy, named.part) },
    )
  }
  return policy.settings.secrets === "allow" ? admitted : withoutSplitSecrets(admitted)
}

async function withoutSplitSecrets(parts: readonly NamedPart[]): Promise<NamedPart[]> {
  const texts = parts.map(({ part }) => joinable(part))
  if (texts.filter((text) => text !== "").length < 2) return [...parts]
  const whole = texts.join("")
  if (whole.length > MAX_JOINED_CHARACTERS) return [...parts]
  const places = placesOf(texts)
  const { secrets } = await finishInSlices(searchSecrets(whole))
  const split = secrets.filter(
    (secret) => !places.some(({ start, end }) => start <= secret.start && secret.end <= end),
  )
  if (split.length === 0) return [...parts]
  return parts.map(({ id, part }, at) => {
    const { text, findings } = cutOut(whole, split, places[at] ?? NOWHERE)
    if (findings.length === 0) return { id, part }
    const reason = `removed from the text: ${sentenceOf(findings)}, which went on in another part`
    const ingress = { verdict: "redacted", rule: "secret", reason, findings }
    return { id, part: openPart({ ...writePart(part), text, ingress }) }
  })
}

const MAX_JOINED_CHARACTERS = 1024 * 1024
const NOWHERE: SecretSpan = { start: 0, end: 0 }

/** What a person sent on purpose is left to them. */
function joinable(part: Part): string {
  const { text, ingress } = writePart(part)
  return typeof text === "string" && !isMeant(ingress) ? text : ""
}

function isMeant(ingress: unknown): boolean {
  return recordOf(ingress).verdict === "allowed"
}

function placesOf(texts: readonly string[]): SecretSpan[] {
  let start = 0
  return texts.map((text) => {
    const place = { start, end: start + text.length }
    start = place.end
    return place
  })
}
