import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import {
  type ScratchQuota,
  ScratchFolders,
  SCRATCH_QUOTA,
} from "../../packages/files/workspace/scratch.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { judge } from "../../packages/engine/policy/judge.ts"
import { loadPolicy } from "../../packages/engine/policy/load-policy.ts"
import type { PermissionRule } from "../../packages/engine/policy/permissions.ts"
import { runTool } from "../../packages/engine/tools/run.ts"
import type { Tool, ToolRuntime } from "../../packages/engine/tools/tool.ts"
import { temporaryFolder } from "../build.ts"

export const sighted = capabilitiesOfApi("anthropic-messages")
export const blind = capabilitiesOfApi("anthropic-messages", ["text"])

export interface Staged {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly rules?: readonly PermissionRule[]
  readonly quota?: ScratchQuota
  readonly signal?: AbortSignal
  readonly more?: Partial<ToolRuntime>
}

/** A workspace, a scratch folder and a blob store, all real, and a way to call tools in them. */
export async function stage({ files = {}, quota = SCRATCH_QUOTA, ...given }: Staged = {}) {
  const data = await temporaryFolder()
  const root = join(data, "ws")
  await mkdir(root)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const scratches = new ScratchFolders(join(data, "scratch"), quota)
  const scratch = await scratches.open("ses_1")
  const blobs = new FileBlobs(join(data, "blobs"))
  const policy = loadPolicy(root)
  const runtime: ToolRuntime = {
    session_id: "ses_1",
    turn_id: "trn_1",
    call_id: "call_1",
    workspace_root: root,
    signal: given.signal ?? new AbortController().signal,
    blobs,
    capabilities: sighted,
    scratch_dir: async () => scratch.path,
    scratch: async () => scratch,
    ingress: (arrival) => judge(policy, arrival),
    ...(given.rules ? { rules: given.rules } : {}),
    ...given.more,
  }
  const call = (tool: Tool, input: unknown) => runTool(tool, input, runtime)
  return { data, root, scratch, blobs, runtime, call }
}

/** The text that a tool shows beside its data, or its error. */
export async function shown(result: ReturnType<typeof runTool>): Promise<string> {
  const given = await result
  if (given.type === "error") return given.error_text
  return (given.blocks ?? []).map((block) => (block.type === "text" ? block.text : "")).join("")
}

/** What a tool gave back, or its error. */
export async function told(result: ReturnType<typeof runTool>): Promise<any> {
  const given = await result
  return given.type === "error" ? given.error_text : given.data
}
