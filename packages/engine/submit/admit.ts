import { recordOf } from "compositor-core/message/untyped"
import type { PartData, TextOrigin } from "compositor-core/parts/define-part"
import { AnyPart } from "compositor-core/parts/read-part"
import {
  definitionOf,
  isKnownType,
  openPart,
  type Part,
  writePart,
} from "compositor-core/parts/table"
import type { Metadata } from "compositor-core/message/row"
import { decodeText } from "compositor-files/kinds/sniff"
import type { IngressOrigin } from "../policy/config.ts"
import {
  admitWords,
  type Arrival,
  type Denial,
  judge,
  judgeValue,
  sentenceOf,
} from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import type { SecretFinding } from "../policy/secrets/redact.ts"
import { textAt, withText, withoutField } from "./text-paths.ts"

/** Let a part in, keep it out, or let it in without its secrets (BEY-04). Its definition says where its
 *  texts stand and how they came; every other string of it is judged too, at any depth and with its key.
 *  What is removed is removed before anything is stored, and the part says that it was. */
export async function admitPart(policy: IngressPolicy, part: Part): Promise<Part> {
  const data = writePart(part)
  const texts = runningTexts(part, data)
  const words = texts.reduce((rest, { path }) => withoutField(rest, path), data)
  const judged = await judgeValue(policy, wordsArrival(part, data), words)
  if (judged.verdict === "deny") return withhold(data, judged)
  const clean = judged.verdict === "redact" ? asPartData(judged.value) : words
  const whole = texts.reduce((rest, { path, text }) => withText(rest, path, text), clean)
  const named = (await deniedByName(policy, part)) ?? deniedByAddress(data, whole, judged)
  if (named) return mark(fitting(data, withoutContent(part, whole)), denied(named))
  const read = await admitTexts(policy, part, texts)
  if (read.type === "denied") return mark(withoutContent(part, whole), denied(read.denial))
  const removed = [...(judged.verdict === "redact" ? [judged] : []), ...read.removed]
  const admitted = fitting(
    data,
    read.texts.reduce((rest, { path, text }) => withText(rest, path, text), clean),
  )
  if (read.meant) return mark(admitted, allowed(read.meant))
  return removed.length === 0 ? openPart(admitted) : mark(admitted, redacted(removed))
}

/** What a part says at length, apart from the words around it. */
interface RunningText {
  readonly path: string
  readonly text: string
  /** It is bytes, written in base64. */
  readonly isBytes: boolean
  readonly origin: IngressOrigin
}

function runningTexts(part: Part, data: PartData): RunningText[] {
  return Object.entries(definitionOf(part).texts).flatMap(([path, said]) => {
    const text = path.endsWith("**") ? undefined : textAt(data, path)
    if (text === undefined) return []
    const isBytes = said.startsWith("base64 ")
    return [{ path, text, isBytes, origin: isBytes ? "attachment" : originOf(said, data) }]
  })
}

/** What a command came to is its output, whatever kind of text it is. */
function originOf(said: string, { derived_from }: PartData): IngressOrigin {
  const origin = ORIGINS[said] ?? "paste"
  return origin === "paste" && derived_from !== undefined ? "command-output" : origin
}

const ORIGINS: Readonly<Record<string, TextOrigin>> = {
  paste: "paste",
  ref: "ref",
  attachment: "attachment",
  "editor-context": "editor-context",
}

function wordsArrival(part: Part, data: PartData): Pick<Arrival, "origin" | "size"> {
  const paths = Object.entries(definitionOf(part).texts)
  const [path, said] = paths.find(([, origin]) => !origin.startsWith("base64 ")) ?? ["**", "paste"]
  const origin = originOf(said, data)
  // What a reference names is measured when it is read.
  if (origin !== "editor-context") return { origin }
  return { origin, size: JSON.stringify(data[path.replace(/\.\*\*$/, "")] ?? "").length }
}

type ReadTexts =
  | { readonly type: "denied"; readonly denial: Denial }
  | {
      readonly type: "read"
      readonly texts: readonly Pick<RunningText, "path" | "text">[]
      readonly removed: readonly RedactedWords[]
      /** Secrets that were let in because their author asked for it. */
      readonly meant: RedactedWords | undefined
    }

async function admitTexts(
  policy: IngressPolicy,
  part: Part,
  texts: readonly RunningText[],
): Promise<ReadTexts> {
  const clean: Pick<RunningText, "path" | "text">[] = []
  const removed: RedactedWords[] = []
  let meant: RedactedWords | undefined
  for (const each of texts) {
    const verdict = await judge(policy, textArrival(part, each))
    if (verdict.verdict === "deny") return { type: "denied", denial: verdict }
    if (verdict.verdict === "redact" && each.origin === "paste" && isMeant(policy, part))
      meant = verdict
    else if (verdict.verdict === "redact") removed.push(verdict)
    const text = removed.at(-1) === verdict ? written(each, verdict) : each.text
    clean.push({ path: each.path, text })
  }
  return { type: "read", texts: clean, removed, meant }
}

function written({ isBytes }: RunningText, verdict: object): string {
  const text = "text" in verdict && typeof verdict.text === "string" ? verdict.text : ""
  return isBytes ? Buffer.from(text).toString("base64") : text
}

/** The bytes of an attachment are no words: they are decoded, and judged as what they are. */
function textArrival(part: Part, { isBytes, text, origin }: RunningText): Arrival {
  if (!isBytes) return { origin, text }
  return { ...nameOf(part), origin, text: decodeText(Buffer.from(text, "base64")) }
}

/** "Send it anyway": only for what a person typed, and only where the settings let them. */
function isMeant({ settings }: IngressPolicy, part: Part): boolean {
  if (definitionOf(part).voice(part) !== "user") return false
  return writePart(part).allow_secrets === true && settings.allow_typed_secrets
}

// What a file says is judged when it is read; here only whether it may be named at all. What a rule
// keeps out, it keeps out of an archive too.
async function deniedByName(policy: IngressPolicy, part: Part): Promise<Denial | undefined> {
  const named = nameOf(part)
  const verdict = named && (await judge(policy, named))
  return verdict?.verdict === "deny" ? verdict : undefined
}

function nameOf(part: Part): Arrival | undefined {
  const definition = definitionOf(part)
  const { origin } = definition
  const [request] = definition.load(part)
  if (request?.from === "workspace")
    return { origin: "ref", path: request.path, name: request.place.entry }
  if (!request || request.from === "elsewhere" || origin === "ref") return undefined
  const { size } = writePart(part)
  return { origin, name: request.name, size: typeof size === "number" ? size : undefined }
}

// A path without its secret leads nowhere, and with it, it may be neither kept nor shown.
function deniedByAddress(
  data: PartData,
  clean: PartData,
  judged: { readonly verdict: string; readonly findings?: readonly SecretFinding[] },
): Denial | undefined {
  if (judged.verdict !== "redact") return undefined
  const [before, after] = [addressIn(data), addressIn(clean)]
  if (before.path === after.path && before.entry === after.entry) return undefined
  const reason = `the path holds ${sentenceOf(judged.findings ?? [])}`
  return { verdict: "deny", rule: "secret", reason }
}

/** The path of a file that a part wants read. */
function addressIn(data: PartData): { path?: string; entry?: string | undefined } {
  const parsed = AnyPart.safeParse(data)
  const [request] = parsed.success ? definitionOf(parsed.data).load(parsed.data) : []
  if (request?.from !== "workspace") return {}
  return { path: request.path, entry: request.place.entry }
}

/** A part without what it says at length, and without the bytes it would keep alive. */
function withoutContent(part: Part, data: PartData): PartData {
  const definition = definitionOf(part)
  const [content_id] = definition.blobs(part)
  const named = Object.keys(data).filter(
    (name) => content_id !== undefined && data[name] === content_id,
  )
  const bare = named.reduce(withoutField, data)
  return Object.entries(definition.texts).reduce((rest, [path, said]) => {
    if (path.endsWith("**") || textAt(rest, path) === undefined) return rest
    return said.startsWith("base64 ") ? withoutField(rest, path) : withText(rest, path, "")
  }, bare)
}

/** What is kept of a part of which nothing may be. */
function withhold({ type }: PartData, denial: Denial): Part {
  const of = isKnownType(type) ? { of: type } : {}
  return openPart({ type: WITHHELD, ...of, ingress: denied(denial) })
}

const WITHHELD = "withheld"

/** A part whose shape depended on the secret in it (a command's name, a type) is kept out whole. */
function fitting(data: PartData, clean: PartData): PartData {
  if (clean === data || AnyPart.safeParse(clean).success) return clean
  const reason = `a ${isKnownType(data.type) ? data.type : "part"} without its secret is none`
  return writePart(withhold(data, { verdict: "deny", rule: "secret", reason }))
}

function mark(data: PartData, ingress: object): Part {
  return openPart(data.type === WITHHELD ? data : { ...data, ingress })
}

function asPartData(value: unknown): PartData {
  const fields: Record<string, unknown> =
    typeof value === "object" && value !== null ? { ...value } : {}
  return { ...fields, type: String(fields.type) }
}

function denied({ rule, reason }: Denial) {
  return { verdict: "denied", rule, reason }
}

interface RedactedWords {
  readonly rule: string
  readonly reason: string
  readonly findings: readonly SecretFinding[]
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
  const input = recordOf(clean.composer_input)
  if (clean === metadata || !input) return clean
  return { ...clean, composer_input: { source: input.source } }
}
