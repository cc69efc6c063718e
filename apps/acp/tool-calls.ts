import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk"
import { fileUri, readFileUri } from "compositor-core/acp/file-uri"
import { readToolPart, type ToolPart, toolNameOf } from "compositor-core/message/tool-part"
import { isObject } from "./json-rpc.ts"

/** What a tool does, as an editor shows it (ACP-005). */
const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  read_image: "read",
  view_image: "read",
  write: "edit",
  edit: "edit",
  glob: "search",
  grep: "search",
  tool_search: "search",
  bash: "execute",
  web_fetch: "fetch",
  web_search: "fetch",
  skill: "think",
}

export function kindOf(tool: string): ToolKind {
  return KINDS[tool] ?? (tool.startsWith("web_") ? "fetch" : "other")
}

/** A call whose input has only begun to come. */
export function announcedCall(toolCallId: string, tool: string): ToolCall {
  return { toolCallId, title: tool, name: tool, kind: kindOf(tool), status: "pending" }
}

/** A call as its row tells it; undefined for a part that is no call. */
export function toolCallOf(data: unknown, root: string | null): ToolCall | undefined {
  const part = readToolPart(data)
  const tool = part && toolNameOf(part.type)
  if (!part || tool === undefined) return undefined
  const input = isObject(part.input) ? part.input : {}
  const content = contentOf(part, input, root)
  const locations = locationsOf(input, root)
  return {
    ...announcedCall(part.tool_call_id, tool),
    title: titleOf(tool, input),
    status: statusOf(part),
    ...(locations.length > 0 ? { locations } : {}),
    ...(content.length > 0 ? { content } : {}),
    ...(part.input === undefined ? {} : { rawInput: part.input }),
    ...(part.output === undefined ? {} : { rawOutput: part.output.data }),
  }
}

/** The same, for a call that was announced already. */
export function updateOf(call: ToolCall): ToolCallUpdate {
  const { toolCallId, title, status, locations, content, rawInput, rawOutput } = call
  return {
    toolCallId,
    title,
    ...(status === undefined ? {} : { status }),
    ...(locations ? { locations } : {}),
    ...(content ? { content } : {}),
    ...(rawInput === undefined ? {} : { rawInput }),
    ...(rawOutput === undefined ? {} : { rawOutput }),
  }
}

function statusOf({ state, started_at }: ToolPart): ToolCallStatus {
  switch (state) {
    case "input-streaming":
      return "pending"
    case "input-available":
      return started_at === undefined ? "pending" : "in_progress"
    case "output-available":
      return "completed"
    case "output-error":
      return "failed"
  }
}

/** What a call is about, in the field that says it best. */
const SUBJECTS = ["path", "command", "url", "pattern", "query", "name"]
const MAX_TITLE_CHARACTERS = 200

function titleOf(tool: string, input: { readonly [name: string]: unknown }): string {
  const subject = SUBJECTS.map((field) => input[field]).find((value) => typeof value === "string")
  const line = `${tool} ${typeof subject === "string" ? subject : ""}`.replace(/\s+/g, " ").trim()
  return line.length > MAX_TITLE_CHARACTERS ? `${line.slice(0, MAX_TITLE_CHARACTERS - 1)}…` : line
}

type Input = { readonly [name: string]: unknown }

function locationsOf({ path, start }: Input, root: string | null): ToolCallLocation[] {
  if (typeof path !== "string") return []
  const line = typeof start === "number" && start > 0 ? { line: start } : {}
  return [{ path: absolute(path, root), ...line }]
}

function absolute(path: string, root: string | null): string {
  return readFileUri(fileUri(path, root ?? "/"), undefined)?.path ?? path
}

const MAX_SHOWN_CHARACTERS = 64 * 1024

function contentOf(part: ToolPart, input: Input, root: string | null): ToolCallContent[] {
  const diff = diffOf(part, input, root)
  if (part.error_text !== undefined) return [...diff, words(part.error_text)]
  if (diff.length > 0 || part.output === undefined) return diff
  const { data, blocks = [] } = part.output
  const texts = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : []))
  return texts.length > 0 ? texts.map(words) : [words(shownOutput(data))]
}

function diffOf(part: ToolPart, input: Input, root: string | null): ToolCallContent[] {
  const { path, old_string, new_string, content } = input
  if (typeof path !== "string") return []
  const at = absolute(path, root)
  if (typeof new_string === "string" && typeof old_string === "string")
    return [{ type: "diff", path: at, oldText: old_string, newText: new_string }]
  if (toolNameOf(part.type) === "write" && typeof content === "string")
    return [{ type: "diff", path: at, oldText: null, newText: content }]
  return []
}

function shownOutput(data: unknown): string {
  const text = isObject(data) && typeof data.content === "string" ? data.content : undefined
  return text ?? (typeof data === "string" ? data : JSON.stringify(data, null, 2))
}

function words(text: string): ToolCallContent {
  const shown =
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n…` : text
  return { type: "content", content: { type: "text", text: shown } }
}
