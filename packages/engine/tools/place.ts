import { realpath } from "node:fs/promises"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { recordOf } from "compositor-core/message/untyped"
import { scopedPath } from "compositor-files/workspace/scope"
import { attachmentsNamed } from "compositor-core/file/attachment-path"
import { SCRATCH_QUOTA, Scratch } from "compositor-files/workspace/scratch"
import type { RefusedPath } from "compositor-files/disk/within"
import type { Arrival, PolicyVerdict } from "../policy/judge.ts"
import { judgeCall } from "../policy/permissions.ts"
import { type Requirement, ToolError, type ToolRuntime } from "./tool.ts"

/** A place that a path of the model's leads to: which folder holds it, and where in it. */
export interface ToolPath {
  readonly kind: "workspace" | "scratch" | "scope"
  readonly root: string
  readonly path: string
  /** As the model wrote it: what it is told. */
  readonly shown: string
}

const CONTENT_ID = /^sha256:[0-9a-f]{64}$/
const CONTENT_IDS = /\bsha256:[0-9a-f]{64}\b/g

/** Where a path leads: a path of the workspace, an absolute one into scratch, `dir_…/path` into a
 *  folder that the user gave, or an attachment by its content id, which is then put into scratch
 *  under its name. */
export async function resolveToolPath(shown: string, runtime: ToolRuntime): Promise<ToolPath> {
  if (CONTENT_ID.test(shown)) return attachmentPlace(shown, runtime)
  const scoped = scopedPath(shown)
  if (scoped) return scopePlace(shown, scoped, runtime)
  const scratch = await scratchOf(runtime)
  if (isAbsolute(shown) && isInside(scratch.path, shown)) {
    const path = relative(scratch.path, shown) || "."
    await stageNamed(path, runtime)
    return { kind: "scratch", root: scratch.path, path, shown }
  }
  const { workspace_root } = runtime
  if (workspace_root === null) return { kind: "scratch", root: scratch.path, path: shown, shown }
  const root = await realpath(workspace_root).catch(() => workspace_root)
  return {
    kind: "workspace",
    root,
    path: isAbsolute(shown) ? inRoot(shown, runtime, root) : shown,
    shown,
  }
}

/** A path through a workspace that is itself a link leads to the same place. */
function inRoot(path: string, { workspace_root }: ToolRuntime, root: string): string {
  const between = relative(workspace_root ?? root, path)
  return between.startsWith("..") || isAbsolute(between) ? path : resolve(root, between)
}

async function attachmentPlace(content_id: string, runtime: ToolRuntime): Promise<ToolPath> {
  const file = await runtime.attached?.(content_id)
  if (!file) throw new ToolError(`${content_id} is not attached to this session.`)
  const scratch = await scratchOf(runtime)
  const placed = requireGranted(await scratch.materialise(runtime.blobs, content_id, file))
  const path = relative(scratch.path, placed.path)
  return { kind: "scratch", root: scratch.path, path, shown: placed.path }
}

/** Put the attachments that a path or a command names by their places in scratch there, before it is
 *  used. Says where each lies. */
export async function stageNamed(text: string, runtime: ToolRuntime): Promise<readonly string[]> {
  const named = [...attachmentsNamed(text), ...(text.match(CONTENT_IDS) ?? [])]
  const staged: string[] = []
  for (const id of new Set(named)) {
    const file = await runtime.attached?.(id)
    if (!file) continue
    const scratch = await scratchOf(runtime)
    staged.push(
      requireGranted(await scratch.materialise(runtime.blobs, file.content_id, file)).path,
    )
  }
  return staged
}

async function scopePlace(
  shown: string,
  { id, path }: { id: string; path: string },
  runtime: ToolRuntime,
): Promise<ToolPath> {
  const root = await runtime.scope?.(id)
  if (root === undefined)
    throw new ToolError(`${id} is not available: this session was not given that folder.`)
  return { kind: "scope", root, path, shown }
}

/** The folder for what a session makes. */
export async function scratchOf(runtime: ToolRuntime): Promise<Scratch> {
  return (await runtime.scratch?.()) ?? new Scratch(await runtime.scratch_dir(), SCRATCH_QUOTA)
}

function isInside(folder: string, path: string): boolean {
  const between = relative(folder, resolve(path))
  return between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

/** Why what was really opened may not be used; undefined when it may. A rule about a path holds also
 *  where a link leads to it by another name. */
export function deniedAt(
  place: ToolPath,
  realPath: string,
  permission: Requirement,
  runtime: ToolRuntime,
): string | undefined {
  if (runtime.rules === undefined || place.kind === "scratch") return undefined
  const subject = relative(resolve(place.root), realPath).split(sep).join("/")
  const denied = judgeCall(runtime.rules, { permission, subject }) === "deny"
  return denied ? `${place.shown} is denied by the permission rules` : undefined
}

/** Let a text in, without its secrets; a denial is the tool's error (BEY-04). */
export async function admitText(
  runtime: ToolRuntime,
  arrival: Arrival & { readonly text: string },
): Promise<AdmittedText> {
  const verdict = requireAdmitted(await runtime.ingress(arrival))
  return verdict.verdict === "redact"
    ? { text: verdict.text, note: verdict.reason }
    : { text: shownOf(arrival), note: null }
}

function shownOf({ text, piece }: Arrival & { readonly text: string }): string {
  return piece ? text.slice(piece.start, piece.end) : text
}

export interface AdmittedText {
  readonly text: string
  /** What was taken out, in a sentence. */
  readonly note: string | null
}

export function requireAdmitted(
  verdict: PolicyVerdict,
): Exclude<PolicyVerdict, { verdict: "deny" }> {
  if (verdict.verdict === "deny") throw new ToolError(`Not shown: ${verdict.reason}.`)
  return verdict
}

/** A refusal is the tool's error. */
export function requireGranted<Value extends { readonly type: string }>(
  value: Value | RefusedPath,
): Exclude<Value, RefusedPath> {
  if (value.type === "refused") throw new ToolError(`${String(recordOf(value).reason)}.`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a refusal was thrown
  return value as Exclude<Value, RefusedPath>
}

/** A path as rules see it: without detours. */
export function plainPath(path: string): string {
  const names: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") {
      if (names.length === 0 || names.at(-1) === "..") names.push("..")
      else names.pop()
    } else if (name !== "" && name !== ".") names.push(name)
  }
  return (path.startsWith("/") ? "/" : "") + names.join("/") || "."
}
