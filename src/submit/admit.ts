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
import { type Denial, judge, judgeValue } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"

/** Let a part in, keep it out, or let it in without its secrets (BEY-04). What is removed is removed
 *  before anything is stored; the part says that it was (decision 10). */
export function admit(policy: IngressPolicy, part: Part | UnknownPart): Part | UnknownPart {
  switch (part.type) {
    case "text":
    case "skill-content":
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
  return { ...part, text: verdict.text, ingress: redacted(verdict) }
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
  return part.ref.kind === "path" ? admitPath(policy, part, part.ref.path) : part
}

function admitMention(policy: IngressPolicy, part: MentionPart): Part {
  const { kind, path } = part.target
  return kind === "file" && typeof path === "string" ? admitPath(policy, part, path) : part
}

function admitPath<P extends Part>(policy: IngressPolicy, part: P, path: string): Part {
  const verdict = judge(policy, { origin: "ref", path })
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

function redacted(verdict: { rule: string; reason: string; findings: readonly object[] }) {
  const { rule, reason, findings } = verdict
  return { verdict: "redacted", rule, reason, findings }
}
