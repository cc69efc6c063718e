import { decodeText } from "compositor-files/kinds/sniff"
import {
  AnyPart,
  type FileAttachmentPart,
  type FileRefPart,
  isKnownType,
  type MentionPart,
  type Part,
  type TextPart,
  type UnknownPart,
} from "compositor-core/message/part"
import type { Metadata } from "compositor-core/message/row"
import {
  admitWords,
  type Arrival,
  type Denial,
  judge,
  judgeValue,
  sentenceOf,
} from "../policy/judge.ts"
import type { Origin } from "../policy/config.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import type { Finding } from "../policy/secrets/redact.ts"

type Received = Part | UnknownPart

/** Let a part in, keep it out, or let it in without its secrets (BEY-04). Every string of it is judged,
 *  whatever its type, at any depth and with its keys; what is removed is removed before anything is
 *  stored, and the part says that it was. The bytes of an attachment are judged as the text they are. */
export async function admit(policy: IngressPolicy, part: Received): Promise<Received> {
  const { content, words } = contentAndWords(part)
  const judged = await judgeValue(policy, wordsArrival(part), words)
  if (judged.verdict === "deny") return withhold(part, judged)
  const clean = judged.verdict === "redact" ? (judged.value as Received) : words
  const named = (await deniedByName(policy, part)) ?? deniedByAddress(part, clean, judged)
  if (named) return mark(fitting(part, withoutContent({ ...clean, ...content })), denied(named))
  const read = await admitContent(policy, part, content)
  const removed: RedactedWords[] = judged.verdict === "redact" ? [judged] : []
  if (read.verdict === "deny") return mark(withoutContent({ ...clean, ...content }), denied(read))
  if (read.verdict === "redact") removed.push(read)
  const whole = fitting(part, { ...clean, ...(read.verdict === "redact" ? read.content : content) })
  if (read.verdict === "meant") return mark(whole, read.mark)
  return removed.length === 0 ? whole : mark(whole, redacted(removed))
}

/** What a part says at length, apart from the words around it. */
interface Content {
  readonly text?: string
  readonly data?: string
}

/** The bytes of an attachment are no words: they are decoded, and judged as what they are. */
function contentAndWords(part: Received): { content: Content; words: Received } {
  if (part.type === "file-attachment") {
    const { data, ...words } = part as FileAttachmentPart
    return { content: data === undefined ? {} : { data }, words }
  }
  if (!TEXTS.has(part.type)) return { content: {}, words: part }
  const { text, ...words } = part as TextPart
  return { content: { text }, words: words as Received }
}

const TEXTS: ReadonlySet<string> = new Set<Part["type"]>(["text", "skill-content", "quote"])

function wordsArrival(part: Received): Pick<Arrival, "origin" | "size"> {
  if (part.type !== "editor-context") return { origin: originOf(part) }
  return { origin: "editor-context", size: JSON.stringify(part["payload"]).length }
}

function originOf(part: Received): Origin {
  if (part.type === "file-ref" || part.type === "mention") return "ref"
  if (part.type === "file-attachment") return "attachment"
  return part.derived_from === undefined ? "paste" : "command-output"
}

type ReadContent =
  | { readonly verdict: "allow" }
  | Denial
  | (RedactedWords & { readonly verdict: "redact"; readonly content: Content })
  | { readonly verdict: "meant"; readonly mark: object }

async function admitContent(
  policy: IngressPolicy,
  part: Received,
  { text, data }: Content,
): Promise<ReadContent> {
  if (data !== undefined) return admitBytes(policy, part as FileAttachmentPart, data)
  if (text === undefined) return { verdict: "allow" }
  const origin = originOf(part)
  const verdict = await judge(policy, { origin, text })
  if (verdict.verdict !== "redact") return verdict
  if (origin === "paste" && isMeant(policy, part))
    return { verdict: "meant", mark: allowed(verdict) }
  return { ...verdict, content: { text: verdict.text } }
}

async function admitBytes(
  policy: IngressPolicy,
  { name, size }: FileAttachmentPart,
  data: string,
): Promise<ReadContent> {
  const text = decodeText(Buffer.from(data, "base64"))
  const verdict = await judge(policy, { origin: "attachment", name, size, text })
  if (verdict.verdict !== "redact") return verdict
  return { ...verdict, content: { data: Buffer.from(verdict.text).toString("base64") } }
}

/** "Send it anyway": only for what a person typed, and only where the settings let them. */
function isMeant({ settings }: IngressPolicy, part: Received): boolean {
  return part.type === "text" && part.allow_secrets === true && settings.allow_typed_secrets
}

// What a file says is judged when it is read; here only whether it may be named at all. What a rule
// keeps out, it keeps out of an archive too.
async function deniedByName(policy: IngressPolicy, part: Received): Promise<Denial | undefined> {
  const named = nameOf(part)
  const verdict = named && (await judge(policy, named))
  return verdict?.verdict === "deny" ? verdict : undefined
}

function nameOf(part: Received): Arrival | undefined {
  if (part.type === "file-attachment") {
    const { name, size } = part as FileAttachmentPart
    return { origin: "attachment", name, size }
  }
  const { path, entry } = addressOf(part)
  return path === undefined ? undefined : { origin: "ref", path, name: entry }
}

/** The path of a file that a part wants read. */
function addressOf(part: Received): { path?: string; entry?: string | undefined } {
  if (part.type === "file-ref") {
    const { ref } = part as FileRefPart
    return ref.kind === "path" ? { path: ref.path, entry: ref.entry } : {}
  }
  if (part.type !== "mention") return {}
  const { kind, path, entry } = (part as MentionPart).target
  if (kind !== "file" || typeof path !== "string") return {}
  return { path, entry: typeof entry === "string" ? entry : undefined }
}

// A path without its secret leads nowhere, and with it, it may be neither kept nor shown.
function deniedByAddress(
  part: Received,
  clean: Received,
  judged: { readonly verdict: string; readonly findings?: readonly Finding[] },
): Denial | undefined {
  const [before, after] = [addressOf(part), addressOf(clean)]
  if (before.path === after.path && before.entry === after.entry) return undefined
  const reason = `the path holds ${sentenceOf(judged.findings ?? [])}`
  return { verdict: "deny", rule: "secret", reason }
}

function withoutContent(part: Received): Received {
  if (TEXTS.has(part.type)) return { ...part, text: "" }
  if (part.type !== "file-attachment") return part
  const { data: _data, content_id: _content, ...descriptor } = part as FileAttachmentPart
  return descriptor
}

/** What is kept of a part of which nothing may be. */
function withhold({ type }: Received, denial: Denial): UnknownPart {
  const of = isKnownType(type) ? { of: type } : {}
  return { type: "withheld", ...of, ingress: denied(denial) }
}

/** A part whose shape depended on the secret in it (a command's name, a type) is kept out whole. */
function fitting(part: Received, clean: Received): Received {
  if (clean === part || AnyPart.safeParse(clean).success) return clean
  const reason = `a ${isKnownType(part.type) ? part.type : "part"} without its secret is none`
  return withhold(part, { verdict: "deny", rule: "secret", reason })
}

function mark(part: Received, ingress: object): Received {
  return part.type === "withheld" ? part : { ...part, ingress }
}

function denied({ rule, reason }: Denial) {
  return { verdict: "denied", rule, reason }
}

interface RedactedWords {
  readonly rule: string
  readonly reason: string
  readonly findings: readonly Finding[]
}

function allowed({ rule, findings }: RedactedWords) {
  const reason = `let in with ${sentenceOf(findings)}, as its author asked`
  return { verdict: "allowed", rule, reason, findings }
}

function redacted(verdicts: readonly RedactedWords[]) {
  return {
    verdict: "redacted",
    rule: "secret",
    reason: verdicts.map(({ reason }) => reason).join("; "),
    findings: verdicts.flatMap(({ findings }) => findings),
  }
}

/** What was typed is kept beside the parts, and must not keep what they may not. Where something was
 *  removed from it, its spans no longer fit and go too. */
export async function admitMetadata(policy: IngressPolicy, metadata: Metadata): Promise<Metadata> {
  const clean = await admitWords(policy, metadata)
  const input = clean.composer_input as { source?: unknown } | undefined
  if (clean === metadata || !input) return clean
  return { ...clean, composer_input: { source: input.source } }
}
