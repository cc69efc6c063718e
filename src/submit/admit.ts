import { decodeText } from "../files/sniff.ts"
import type {
  CommandPart,
  EditorContextPart,
  FileAttachmentPart,
  FileRefPart,
  MentionPart,
  Part,
  TextPart,
  UnknownPart,
} from "../message/part.ts"
import type { Metadata } from "../message/row.ts"
import { type Denial, judge, judgeValue, sentenceOf } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import type { Finding } from "../policy/secrets/redact.ts"

/** Let a part in, keep it out, or let it in without its secrets (BEY-04). What is removed is removed
 *  before anything is stored; the part says that it was (decision 10). */
export function admit(policy: IngressPolicy, part: Part | UnknownPart): Part | UnknownPart {
  switch (part.type) {
    case "text":
    case "skill-content":
    case "quote":
      return admitText(policy, part as TextPart)
    case "editor-context":
      return admitContext(policy, part as EditorContextPart)
    case "file-ref":
      return admitReference(policy, part as FileRefPart)
    case "mention":
      return admitMention(policy, part as MentionPart)
    case "file-attachment":
      return admitAttachment(policy, part as FileAttachmentPart)
    case "command":
      return admitCommand(policy, part as CommandPart)
    default:
      return part
  }
}

function admitText(policy: IngressPolicy, part: TextPart): Part {
  const origin = part.derived_from === undefined ? "paste" : "command-output"
  const verdict = judge(policy, { origin, text: part.text })
  if (verdict.verdict === "allow") return part
  if (verdict.verdict === "deny") return denied({ ...part, text: "" }, verdict)
  if (origin === "paste" && isMeant(policy, part)) return { ...part, ingress: allowed(verdict) }
  return { ...part, text: verdict.text, ingress: redacted(verdict) }
}

/** "Send it anyway": only for what a person typed, and only where the settings let them. */
function isMeant({ settings }: IngressPolicy, part: TextPart): boolean {
  return part.type === "text" && part.allow_secrets === true && settings.allow_typed_secrets
}

function admitCommand(policy: IngressPolicy, part: CommandPart): Part {
  const verdict = judgeValue(policy, { origin: "paste" }, { args: part.args, raw: part.raw ?? "" })
  if (verdict.verdict === "allow") return part
  if (verdict.verdict === "deny") return denied({ ...part, args: {}, raw: "" }, verdict)
  const { args, raw } = verdict.value as Pick<CommandPart, "args" | "raw">
  return { ...part, args, ...(part.raw === undefined ? {} : { raw }), ingress: redacted(verdict) }
}

/** What was typed is kept beside the parts, and must not keep what they may not. Where something was
 *  removed from it, its spans no longer fit and go too. */
export function admitMetadata(policy: IngressPolicy, metadata: Metadata): Metadata {
  const verdict = judgeValue(policy, { origin: "paste" }, metadata)
  if (verdict.verdict === "allow") return metadata
  if (verdict.verdict === "deny") return {}
  const clean = verdict.value as Metadata
  const input = clean.composer_input as { source?: unknown } | undefined
  return input ? { ...clean, composer_input: { source: input.source } } : clean
}

function admitContext(policy: IngressPolicy, part: EditorContextPart): Part {
  const size = JSON.stringify(part.payload).length
  const verdict = judgeValue(policy, { origin: "editor-context", size }, part.payload)
  if (verdict.verdict === "allow") return part
  if (verdict.verdict === "deny") return denied({ ...part, payload: {} }, verdict)
  const payload = verdict.value as Record<string, unknown>
  return { ...part, payload, ingress: redacted(verdict) }
}

// What the file says is judged when it is read; here only whether it may be named at all.
function admitReference(policy: IngressPolicy, part: FileRefPart): Part {
  const { ref } = part
  return ref.kind === "path" ? admitPath(policy, part, ref.path, ref.entry) : part
}

function admitMention(policy: IngressPolicy, part: MentionPart): Part {
  const { kind, path, entry } = part.target
  if (kind !== "file" || typeof path !== "string") return part
  return admitPath(policy, part, path, typeof entry === "string" ? entry : undefined)
}

// What a rule keeps out, it keeps out of an archive too.
function admitPath(policy: IngressPolicy, part: Part, path: string, name: string | undefined) {
  const verdict = judge(policy, { origin: "ref", path, name })
  return verdict.verdict === "deny" ? denied(part, verdict) : part
}

function admitAttachment(policy: IngressPolicy, part: FileAttachmentPart): Part {
  const { name, data, size } = part
  const text = data === undefined ? undefined : decodeText(Buffer.from(data, "base64"))
  const verdict = judge(policy, { origin: "attachment", name, size, text })
  if (verdict.verdict === "allow") return part
  if (verdict.verdict === "redact")
    return {
      ...part,
      data: Buffer.from(verdict.text).toString("base64"),
      ingress: redacted(verdict),
    }
  const { data: _data, content_id: _content, ...descriptor } = part
  return denied(descriptor, verdict)
}

function denied<P extends Part>(part: P, { rule, reason }: Denial): P {
  return { ...part, ingress: { verdict: "denied", rule, reason } }
}

function allowed({ rule, findings }: { rule: string; findings: readonly Finding[] }) {
  const reason = `let in with ${sentenceOf(findings)}, as its author asked`
  return { verdict: "allowed", rule, reason, findings }
}

function redacted(verdict: { rule: string; reason: string; findings: readonly object[] }) {
  const { rule, reason, findings } = verdict
  return { verdict: "redacted", rule, reason, findings }
}
