import { z } from "zod"
import type { BlobStore } from "compositor-files/blobs/blobs"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Block } from "compositor-core/model/prompt"
import type { Scratch } from "compositor-files/workspace/scratch"
import type { Arrival, PolicyVerdict } from "../policy/judge.ts"
import type { PermissionRule } from "../policy/permissions.ts"

/** What a tool needs of the host; a manifest that does not grant it hides the tool (TOL-002). */
export type Requirement =
  | "fs.read"
  | "fs.write"
  | "shell.run"
  | "net.fetch"
  | "mcp.call"
  | "memory"
  | "human"

/** What a model may call. */
export interface Tool {
  readonly id: string
  /** Other names that a model may call it by. */
  readonly aliases: readonly string[]
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly requires: readonly Requirement[]
  /** Changes nothing: it may run beside others, and again after a crash. */
  readonly read_only: boolean
  /** The call is answered by a person and not by `execute`: the turn waits (TOL-005). */
  readonly waits: boolean
  /** Kinds of editor context that it receives instead of the model (CMP-113). */
  readonly consumes: readonly string[]
  /** Why it cannot be offered here; undefined where it can. */
  readonly absent: string | undefined
  /** What a permission rule's pattern is matched against, and what a person is shown who is asked: a
   *  path, a command, an address. */
  subject(input: unknown): string
  /** Every fault of an input, each with its path; none when `execute` may have it. */
  faults(input: unknown): readonly string[]
  /** Only called with an input that has no faults. */
  execute(input: unknown, runtime: ToolRuntime): Promise<ToolOutput>
}

/** The one way in which a tool reaches the world (TOL-007). */
export interface ToolRuntime {
  readonly session_id: string
  readonly turn_id: string
  readonly call_id: string
  readonly workspace_root: string | null
  readonly signal: AbortSignal
  readonly blobs: BlobStore
  /** Of the model that asked: whether it can perceive an image. */
  readonly capabilities: Capabilities
  /** The session's own folder for what it makes, absolute (BIN-054). */
  scratch_dir(): Promise<string>
  /** The same folder with its meter; without one, the default quota holds. */
  scratch?(): Promise<Scratch>
  /** The rules of the session: what they deny is asked again of what was really opened. */
  readonly rules?: readonly PermissionRule[]
  /** What the session carries under a content id, or the digits that it begins with; an id alone
   *  opens nothing. */
  attached?(id: string): Promise<AttachedFile | undefined>
  /** Where a folder lies that the user gave to this session (CMPH-001); undefined when it is not, or
   *  no longer, given. */
  scope?(id: string): Promise<string | undefined>
  /** Hears of a file that was written over, where a person said yes to the call: its path as the kernel
   *  names it, and digests of what it held. */
  wrote?(change: {
    readonly path: string
    readonly before: string
    readonly after: string
  }): Promise<void>
  /** What may come in (BEY-04). */
  ingress(arrival: Arrival): PolicyVerdict | Promise<PolicyVerdict>
  /** What a tool gave back, from wherever it had it, without the secrets in any string of it; without,
   *  it is as the tool gave it. */
  clean?<Words>(words: Words): Promise<Words>
}

/** Bytes that came with a message, or out of a tool. */
export interface AttachedFile {
  readonly content_id: string
  readonly name: string
  /** Another file of the session has an id that begins alike, so that only all of it tells them apart. */
  readonly shares_digits?: true
}

/** What a tool gives back. `data` is JSON; `blocks` are what the model is shown beside it. */
export interface ToolOutput {
  readonly data: unknown
  readonly blocks?: readonly Block[]
  readonly truncated?: boolean
  /** Where the whole of a truncated output lies (TOL-004). */
  readonly output_path?: string
}

interface ToolMetadata {
  readonly duration_ms: number
  readonly truncated?: boolean
  readonly output_path?: string
}

/** What is kept of a call (TOL-003). */
export type ToolResult =
  | {
      readonly type: "output"
      readonly data: unknown
      readonly blocks?: readonly Block[]
      readonly metadata: ToolMetadata
    }
  | { readonly type: "error"; readonly error_text: string; readonly metadata: ToolMetadata }

/** Something a tool refuses or cannot do, in words for the model. */
export class ToolError extends Error {}

/** Everything asked of a tool. All of it is required: what a tool does not have is written as empty. */
interface ToolDefinition<Input extends z.ZodType>
  extends Omit<Tool, "parameters" | "faults" | "subject" | "execute"> {
  readonly input: Input
  subject(input: z.output<Input>): string
  execute(input: z.output<Input>, runtime: ToolRuntime): Promise<ToolOutput>
}

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { input, ...about } = definition
  return {
    ...about,
    parameters: z.toJSONSchema(input, { io: "input" }),
    subject: (value) => definition.subject(input.parse(value)),
    faults: (value) => faultsOf(input.safeParse(value)),
    execute: (value, runtime) => definition.execute(input.parse(value), runtime),
  }
}

function faultsOf(parsed: z.ZodSafeParseResult<unknown>): string[] {
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`)
}
