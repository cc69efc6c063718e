import { MAX_BYTES, type IngressOrigin } from "./config.ts"
import { deniedBy } from "./deny.ts"
import { DENIED_MIMES } from "./deny-rules.ts"
import type { IngressPolicy } from "./policy.ts"
import type { SecretSpan } from "./secrets/detector.ts"
import { runSteps, finishInSlices, searchSecrets, type Steps } from "./secrets/find-secrets.ts"
import { cutOut, type SecretFinding, redact, redactValueInSteps } from "./secrets/redact.ts"
import { Refusal } from "compositor-core/message/refusal"

/** Something that is about to come in. */
export interface Arrival {
  readonly origin: IngressOrigin
  /** The path of what was opened, as the system names it, or a path in the workspace. */
  readonly path?: string | undefined
  readonly name?: string | undefined
  readonly text?: string | undefined
  /** Only this piece of the text comes in, judged by what all of it holds: a line of a key is no key
   *  by itself. Without, all of the text. */
  readonly piece?: SecretSpan | undefined
  /** In bytes. */
  readonly size?: number | undefined
  readonly mime?: string | undefined
}

type PolicyRule = "origin" | "size" | "mime" | "deny" | "ignore" | "secret"

export type Denial = {
  readonly verdict: "deny"
  readonly rule: PolicyRule
  /** One sentence for a person. */
  readonly reason: string
}

interface Redaction {
  readonly verdict: "redact"
  readonly rule: "secret"
  readonly reason: string
  readonly findings: readonly SecretFinding[]
}

export type PolicyVerdict =
  | { readonly verdict: "allow" }
  | Denial
  | (Redaction & { readonly text: string })

type ValueVerdict =
  | { readonly verdict: "allow" }
  | Denial
  | (Redaction & { readonly value: unknown })

/** More text than this is not looked through, and so not let in. */
export const MAX_JUDGED_CHARACTERS = 8 * 1024 * 1024

/** The one judgement on everything that comes in (BEY-04): let in, kept out, or let in without its
 *  secrets. However long the text is, nobody else waits for it. */
export function judge(policy: IngressPolicy, given: Arrival): Promise<PolicyVerdict> {
  return finishInSlices(judgeInSteps(policy, given))
}

/** The same at once, for what is known to be short. */
export function judgeNow(policy: IngressPolicy, given: Arrival): PolicyVerdict {
  return runSteps(judgeInSteps(policy, given))
}

function* judgeInSteps(policy: IngressPolicy, given: Arrival): Steps<PolicyVerdict> {
  const arrival = shortened(policy, given)
  const denial = denialOf(policy, arrival)
  if (denial) return denial
  const { text } = arrival
  if (text === undefined || policy.settings.secrets === "allow") return ALLOW
  if (text.length > MAX_JUDGED_CHARACTERS) return tooLong(arrival, text.length)
  const { piece = { start: 0, end: text.length } } = arrival
  const { secrets, gaveUp } = yield* searchSecrets(text)
  const { findings, text: clean } = cutOut(text, secrets, piece)
  const held = { findings, gaveUp, elsewhere: secrets.length > 0 }
  const secret = withSecrets(policy, arrival, held)
  if (secret?.verdict !== "redact") return secret ?? ALLOW
  return { ...secret, text: clean }
}

/** The same for data such as an editor's context: every string in it is looked at, with its key. */
export async function judgeValue(
  policy: IngressPolicy,
  given: Omit<Arrival, "text" | "piece">,
  value: unknown,
): Promise<ValueVerdict> {
  const arrival = shortened(policy, given)
  const denial = denialOf(policy, arrival)
  if (denial) return denial
  if (policy.settings.secrets === "allow") return ALLOW
  const { findings, gaveUp, value: clean } = await finishInSlices(redactValueInSteps(value))
  const held = { findings, gaveUp, elsewhere: false }
  const secret = withSecrets(policy, arrival, held)
  if (secret?.verdict !== "redact") return secret ?? ALLOW
  return { ...secret, value: clean }
}

const ALLOW = { verdict: "allow" } as const

/** Rules are for what lies in the workspace; where that lies is the user's choice. */
function shortened({ workspace }: IngressPolicy, arrival: Arrival): Arrival {
  return arrival.path === undefined
    ? arrival
    : { ...arrival, path: workspace.shorten(arrival.path) }
}

function denialOf(policy: IngressPolicy, arrival: Arrival): Denial | undefined {
  return (
    deniedByOrigin(policy, arrival) ??
    deniedBySize(policy, arrival) ??
    deniedByMime(arrival) ??
    deniedByRule(policy, arrival) ??
    deniedByIgnoreFile(policy, arrival)
  )
}

function deniedByOrigin({ settings }: IngressPolicy, { origin }: Arrival): Denial | undefined {
  if (!settings.denied_origins.includes(origin)) return undefined
  return deny("origin", `the settings let nothing in by way of ${origin}`)
}

function deniedBySize({ settings }: IngressPolicy, arrival: Arrival): Denial | undefined {
  const { origin, text, size = text?.length ?? 0 } = arrival
  const most = settings.max_bytes[origin] ?? MAX_BYTES[origin]
  if (size <= most) return undefined
  return deny("size", `${nameOf(arrival)} has ${size} bytes, more than the ${most} of ${origin}`)
}

function deniedByMime(arrival: Arrival): Denial | undefined {
  const mime = arrival.mime?.toLowerCase().split(";", 1)[0]?.trim()
  if (mime === undefined || !DENIED_MIMES.includes(mime)) return undefined
  return deny("mime", `${nameOf(arrival)} is ${mime}, which holds keys`)
}

function deniedByRule({ denied }: IngressPolicy, arrival: Arrival): Denial | undefined {
  for (const path of pathsOf(arrival)) {
    const found = deniedBy(denied, path)
    if (found)
      return deny("deny", `${printable(path)} is kept out by the deny rule ${found.rule.pattern}`)
  }
  return undefined
}

function deniedByIgnoreFile(policy: IngressPolicy, { path }: Arrival): Denial | undefined {
  const found = path === undefined ? undefined : policy.workspace.ignoredBy(path)
  if (found === undefined) return undefined
  const { line, pattern } = found.rule
  return deny(
    "ignore",
    `${printable(path ?? "")} is ignored by ${found.file} (line ${line}: ${pattern})`,
  )
}

interface Held {
  /** In what comes in. */
  readonly findings: readonly SecretFinding[]
  readonly gaveUp: boolean
  /** Whether the rest of the text, of which only a piece comes in, holds any. */
  readonly elsewhere: boolean
}

function withSecrets(
  policy: IngressPolicy,
  arrival: Arrival,
  { findings, gaveUp, elsewhere }: Held,
): Denial | Redaction | undefined {
  const what = nameOf(arrival)
  if (gaveUp) return deny("secret", `${what} holds too much that looks like a secret to be let in`)
  if (findings.length === 0 && !elsewhere) return undefined
  const told = findings.length > 0 ? sentenceOf(findings) : "secrets elsewhere in it"
  for (const path of pathsOf(arrival)) {
    const found = deniedBy(policy.deniedWithSecrets, path)
    if (found) return deny("secret", `${what} holds ${told}, and so none of it is let in`)
  }
  if (findings.length === 0) return undefined
  if (policy.settings.secrets === "deny") return deny("secret", `${what} holds ${told}`)
  return { verdict: "redact", rule: "secret", reason: `removed from ${what}: ${told}`, findings }
}

/** `GitHub token (line 3), 2 × password (lines 7, 9)`; never the secrets. */
export function sentenceOf(findings: readonly SecretFinding[]): string {
  return findings
    .map(({ kind, count, lines }) => {
      const counted = count === 1 ? kind : `${count} × ${kind}`
      const shown = lines.slice(0, MAX_LINES_SHOWN).join(", ")
      const more = lines.length > MAX_LINES_SHOWN ? " …" : ""
      if (lines.length === 0) return counted
      return `${counted} (${lines.length === 1 ? "line" : "lines"} ${shown}${more})`
    })
    .join(", ")
}

const MAX_LINES_SHOWN = 5

function tooLong(arrival: Arrival, length: number): Denial {
  const limit = `more than the ${MAX_JUDGED_CHARACTERS} that are looked through for secrets`
  return deny("size", `${nameOf(arrival)} has ${length} characters, ${limit}`)
}

function pathsOf({ path, name }: Arrival): string[] {
  return [path, name].filter((each) => each !== undefined)
}

function nameOf({ path, name, origin }: Arrival): string {
  const known = path ?? name
  return known === undefined ? WHAT_COMES_BY[origin] : printable(known)
}

/** A name is told without the secrets in it. */
function printable(name: string): string {
  return redact(name).text
}

const WHAT_COMES_BY: Readonly<Record<IngressOrigin, string>> = {
  ref: "the file",
  attachment: "the attachment",
  paste: "the text",
  "editor-context": "the editor's context",
  mcp: "what the MCP server sent",
  "command-output": "the command's output",
  web: "what was fetched",
  memory: "the memory",
}

function deny(rule: PolicyRule, reason: string): Denial {
  return { verdict: "deny", rule, reason }
}

/** Words that are kept or shown and are no parts of a message (a title, a draft, what a tool gave
 *  back, a system prompt): without the secrets in any string of them (BEY-04). The same value where
 *  there are none. */
export async function admitWords<Words>(policy: IngressPolicy, words: Words): Promise<Words> {
  if (policy.settings.secrets === "allow") return words
  const { value, findings, gaveUp } = await finishInSlices(redactValueInSteps(words))
  if (gaveUp) throw new Refusal("invalid", "it holds too much that looks like a secret to be kept")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- redaction changes what strings say, and no shape
  return findings.length === 0 ? words : (value as Words)
}
