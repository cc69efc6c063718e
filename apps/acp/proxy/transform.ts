import { fileUri } from "compositor-core/acp/file-uri"
import type { Outcome } from "compositor-core/model/receipt"
import type { NamedAttachment } from "../attachments.ts"
import { EXTENSION } from "../attachments.ts"
import { imageMime, lastStep, formPath, textForm } from "../forms.ts"
import { isObject, type RpcObject } from "../json-rpc.ts"
import type { PromptFile } from "./files.ts"

export type AgentName = "native" | "opencode" | "codex" | "claude" | "text"

/** How an agent is told of attachments. `types`: it refuses a link whose type is none of these, and reads
 *  one without a type as text. */
export const AGENTS: Readonly<
  Record<AgentName, { readonly form: "blocks" | "text"; readonly types?: RegExp }>
> = {
  native: { form: "blocks" },
  opencode: { form: "blocks", types: /^(image\/|application\/pdf$|text\/plain$)/ },
  codex: { form: "blocks" },
  claude: { form: "text" },
  text: { form: "text" },
}

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name)
}

/** What the agent said of itself when it was started. */
export interface AgentTraits {
  /** It reads the extension itself. */
  readonly extension: boolean
  readonly images: boolean
  readonly loads: boolean
  readonly resumes: boolean
}

export const NO_TRAITS: AgentTraits = {
  extension: false,
  images: false,
  loads: false,
  resumes: false,
}

export function traitsOf(answer: unknown): AgentTraits {
  const capabilities = isObject(answer) ? objectAt(answer, "agentCapabilities") : {}
  const session = objectAt(capabilities, "sessionCapabilities")
  return {
    extension: Boolean(objectAt(capabilities, "_meta")[EXTENSION]),
    images: objectAt(capabilities, "promptCapabilities").image === true,
    loads: capabilities.loadSession === true,
    resumes: isObject(session.resume),
  }
}

function objectAt(value: RpcObject, name: string): RpcObject {
  const inner = value[name]
  return isObject(inner) ? inner : {}
}

/** What became of one attachment on its way to the agent. */
export interface AttachmentOutcome {
  readonly outcome: Outcome
  readonly reason: string
  readonly bytes: number
}

interface Transformed {
  readonly prompt: readonly unknown[]
  /** One for each attachment. */
  readonly fates: readonly AttachmentOutcome[]
}

/** A prompt with its attachments in the form that the agent understands (ATT-003). `_meta` is passed on
 *  beside it, unchanged. */
export function transformPrompt(
  prompt: readonly unknown[],
  files: readonly PromptFile[],
  { agent, traits }: { readonly agent: AgentName; readonly traits: AgentTraits },
): Transformed {
  if (files.length === 0) return { prompt, fates: [] }
  if (AGENTS[agent].form === "text") return inText(prompt, files)
  if (agent === "native" && traits.extension)
    return { prompt, fates: files.map(() => named("passed on in _meta, which the agent reads")) }
  const blocks = files.map((file) => blockOf(file, traits, AGENTS[agent].types))
  return {
    prompt: [...prompt, ...blocks.map(({ block }) => block)],
    fates: blocks.map(({ fate }) => fate),
  }
}

function named(reason: string): AttachmentOutcome {
  return { outcome: "descriptor", reason, bytes: 0 }
}

/** Below the last thing that was said, or alone where nothing was. */
function inText(prompt: readonly unknown[], files: readonly PromptFile[]): Transformed {
  const attachments = files.map(({ attachment }) => attachment)
  const fates = files.map(() => named("its path stands below the message"))
  const at = prompt.findLastIndex(isText)
  const last = prompt[at]
  if (!isText(last))
    return { prompt: [...prompt, { type: "text", text: textForm("", attachments) }], fates }
  return { prompt: prompt.with(at, { ...last, text: textForm(last.text, attachments) }), fates }
}

function isText(block: unknown): block is RpcObject & { readonly text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string"
}

function blockOf(
  file: PromptFile,
  { images }: AgentTraits,
  types: RegExp | undefined,
): { block: RpcObject; fate: AttachmentOutcome } {
  const { attachment, path, size, bytes } = file
  const mimeType = imageMime(attachment)
  const uri = fileUri(path, undefined)
  if (images && mimeType !== undefined && bytes) {
    const block = { type: "image", data: bytes.toString("base64"), mimeType, uri }
    const reason = "sent as an image block"
    return { block, fate: { outcome: "native", reason, bytes: bytes.length } }
  }
  const told = attachment.mime ?? mimeType
  const mime = types === undefined || (told && types.test(told)) ? told : undefined
  const block = {
    type: "resource_link",
    uri,
    name: nameOf(attachment),
    ...(mime === undefined ? {} : { mimeType: mime }),
    size,
  }
  return { block, fate: named("sent as a link; the agent reads the file") }
}

function nameOf({ path, filename }: NamedAttachment): string {
  return filename ?? lastStep(formPath(path)) ?? path
}

export function wantsBytes(agent: AgentName, { images, extension }: AgentTraits) {
  const blocks = AGENTS[agent].form === "blocks" && !(agent === "native" && extension)
  return (attachment: NamedAttachment) => blocks && images && imageMime(attachment) !== undefined
}
