import type { NamedThing } from "compositor-core/parts/define-part"
import { definitionOf, writePart } from "compositor-core/parts/table"
import { isAbsolute, relative, resolve } from "node:path"
import { keyOf } from "../completion/frecency.ts"
import type { NamedPart } from "./resolve.ts"

/** Where something was named. */
export interface UsedIn {
  readonly workspace_root: string | null
  readonly session_id: string
}

/** What a message named that could be completed next time: nothing that was kept out. */
export function usedNames(parts: readonly NamedPart[], workspace_root: string): string[] {
  return parts.flatMap(({ part }) => {
    const { derived_from, ingress } = writePart(part)
    if (derived_from !== undefined || ingress !== undefined) return []
    return definitionOf(part)
      .names(part)
      .flatMap((named) => keysOf(named, workspace_root))
  })
}

function keysOf(named: NamedThing, workspace_root: string): string[] {
  if ("path" in named) return fileAt(named.path, workspace_root)
  return [keyOf(named.kind, named.name)]
}

function fileAt(path: string, workspace_root: string): string[] {
  const within = relative(workspace_root, resolve(workspace_root, path)).replaceAll("\\", "/")
  const isOutside = within === "" || within.startsWith("..") || isAbsolute(within)
  return isOutside ? [] : [keyOf("file", within)]
}
