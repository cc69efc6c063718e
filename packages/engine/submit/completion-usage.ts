import { isAbsolute, relative, resolve } from "node:path"
import type { FileRefPart, MentionPart, Part, UnknownPart } from "compositor-core/message/part"
import { keyOf } from "../completion/frecency.ts"
import type { NamedPart } from "./resolve.ts"

/** Where something was named. */
export interface UsedIn {
  readonly workspace_root: string | null
  readonly session_id: string
}

/** What a message named that could be completed next time: nothing that was kept out. */
export function usedNames(parts: readonly NamedPart[], workspace_root: string): string[] {
  return parts.flatMap(({ part }) =>
    part.derived_from === undefined && part.ingress === undefined
      ? namesOf(part, workspace_root)
      : [],
  )
}

function namesOf(part: Part | UnknownPart, workspace_root: string): string[] {
  switch (part.type) {
    case "command":
      return part.outcome === "pass-through" ? [] : [keyOf("command", String(part.id).slice(1))]
    case "file-ref":
      return referred(part as FileRefPart, workspace_root)
    case "mention":
      return mentioned(part as MentionPart, workspace_root)
    default:
      return []
  }
}

function referred({ ref }: FileRefPart, workspace_root: string): string[] {
  if (ref.kind === "path") return fileAt(ref.path, workspace_root)
  return ref.kind === "mcp" ? [keyOf("resource", `${ref.server}:${ref.uri}`)] : []
}

function mentioned({ target }: MentionPart, workspace_root: string): string[] {
  if (target.kind === "file" && typeof target.path === "string")
    return fileAt(target.path, workspace_root)
  return typeof target.name === "string" ? [keyOf(target.kind, target.name)] : []
}

function fileAt(path: string, workspace_root: string): string[] {
  const within = relative(workspace_root, resolve(workspace_root, path)).replaceAll("\\", "/")
  const isOutside = within === "" || within.startsWith("..") || isAbsolute(within)
  return isOutside ? [] : [keyOf("file", within)]
}
