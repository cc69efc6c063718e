import type { EditorContextPart } from "../parts/editor-context.ts"
import { SCHEMAS } from "../parts/schemas.ts"
import type { FileAttachmentPart } from "../parts/file-attachment.ts"
import { type FileRefPart, fileRefPart } from "../parts/file-ref.ts"

/** When a kind of editor state goes along: with every message, when the user asks for it by an
 *  action, or when it is mentioned (CMP-075). */
type Inclusion = "automatic" | "explicit" | "mention"

export interface ContextPolicy {
  readonly kinds: Readonly<Record<string, Inclusion>>
  /** State that has not changed since it was sent: again, not again, or only what changed. */
  readonly repeat: "always" | "once" | "delta"
  readonly max_parts: number
  readonly max_characters: number
}

export const CONTEXT_POLICY: ContextPolicy = {
  kinds: { selection: "automatic" },
  repeat: "once",
  max_parts: 16,
  max_characters: 32 * 1024,
}

/** What was last sent of each kind and source, as JSON. */
export type SentContexts = ReadonlyMap<string, string>

interface ChosenContexts {
  readonly parts: readonly (EditorContextPart | FileRefPart)[]
  readonly sent: SentContexts
  /** Kinds that did not fit any more. */
  readonly left_out: readonly string[]
}

/** What of the editor's state goes along with the next message. */
export function chooseContexts(
  policy: ContextPolicy,
  offered: readonly EditorContextPart[],
  before: { readonly sent: SentContexts; readonly asked: readonly string[] },
): ChosenContexts {
  const parts: (EditorContextPart | FileRefPart)[] = []
  const left_out: string[] = []
  const sent = new Map(before.sent)
  let characters = 0
  for (const part of offered.filter(({ kind }) => isIncluded(policy, kind, before.asked))) {
    const fresh = unsent(policy, part, sent.get(keyOf(part)))
    if (!fresh) continue
    characters += JSON.stringify(fresh.payload).length
    if (parts.length >= policy.max_parts || characters > policy.max_characters) {
      left_out.push(part.kind)
      continue
    }
    parts.push(partOfContext(fresh))
    sent.set(keyOf(part), JSON.stringify(part.payload))
  }
  return { parts, sent, left_out }
}

function isIncluded({ kinds }: ContextPolicy, kind: string, asked: readonly string[]): boolean {
  return kinds[kind] === "automatic" || (kinds[kind] === "explicit" && asked.includes(kind))
}

function keyOf({ kind, source = "" }: EditorContextPart): string {
  return `${kind} ${source}`
}

function unsent(policy: ContextPolicy, part: EditorContextPart, last: string | undefined) {
  if (policy.repeat === "always" || last === undefined) return part
  if (last === JSON.stringify(part.payload)) return undefined
  return policy.repeat === "once" ? part : { ...part, payload: changesOf(part.payload, last) }
}

function changesOf(payload: Readonly<Record<string, unknown>>, last: string) {
  const known: Readonly<Record<string, unknown>> = JSON.parse(last)
  const isNew = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known[key])
  const changed = Object.fromEntries(Object.entries(payload).filter(isNew))
  const gone = Object.keys(known).filter((key) => !(key in payload))
  return { changed, ...(gone.length > 0 ? { gone } : {}) }
}

/** State that is lines of a file, `{ path, range, text? }`, is told as these lines (CMP-026, CMP-079);
 *  what was typed and not saved is not in the file yet, and stays what the editor said. */
export function partOfContext(context: EditorContextPart): EditorContextPart | FileRefPart {
  const { path, range, text, unsaved } = context.payload
  if (path === undefined || range === undefined || unsaved === true) return context
  const selected = typeof text === "string" ? { selected: text } : {}
  const ref = { kind: "path", path, range, ...selected }
  return fileRefPart.schema(SCHEMAS).safeParse({ type: "file-ref", ref }).data ?? context
}

/** A file that was dropped or pasted, as a host sees it. */
interface GestureFile {
  readonly name: string
  readonly mime: string
  /** Its path, where it lies in the workspace. */
  readonly path?: string
  readonly content_id?: string
  readonly size?: number
}

/** The first rule that fits decides; a host that says nothing gets references for files of the
 *  workspace and attachments for all others (CMP-021). */
export interface GestureRule {
  readonly mime?: string
  readonly in_workspace?: boolean
  readonly becomes: "reference" | "attachment"
}

export function partOfGesture(
  rules: readonly GestureRule[],
  file: GestureFile,
): FileRefPart | FileAttachmentPart {
  const { path, name, mime, content_id, size } = file
  const rule = rules.find((one) => fits(one, file))
  const becomes = rule?.becomes ?? (path === undefined ? "attachment" : "reference")
  if (becomes === "reference" && path !== undefined)
    return { type: "file-ref", ref: { kind: "path", path } }
  return {
    type: "file-attachment",
    name,
    mime,
    ...(content_id === undefined ? {} : { content_id }),
    ...(size === undefined ? {} : { size }),
  }
}

function fits({ mime = "", in_workspace }: GestureRule, file: GestureFile): boolean {
  if (in_workspace !== undefined && in_workspace !== (file.path !== undefined)) return false
  return file.mime.startsWith(mime)
}

/** Something of the host's that was copied and pasted: its identifier, not its body (CMP-078). */
export function referenceTo(
  entity: Readonly<Record<string, unknown>>,
  about: { readonly source: string; readonly at: number },
): EditorContextPart {
  const { source, at } = about
  return { type: "editor-context", kind: "ref", source, payload: { ...entity }, emitted_at: at }
}
