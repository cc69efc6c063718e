import { readdir } from "node:fs/promises"
import type { FolderView } from "../files/finder/view.ts"
import type { MaskedPath } from "../files/sandbox.ts"
import type { Hiding } from "./glob.ts"
import { ToolError, type ToolRuntime } from "./tool.ts"

const MAX_FOLDERS = 20_000
const MAX_MASKED = 500

/** What of the workspace no command may see: files that the deny rules name (BEY-04). What is only
 *  ignored is there, because a build needs it; folders that are ignored are not looked into. */
export async function maskedFor(
  runtime: ToolRuntime,
  hiding: Hiding,
): Promise<readonly MaskedPath[]> {
  const { workspace_root } = runtime
  const view = workspace_root === null ? undefined : hiding(workspace_root)
  if (workspace_root === null || view === undefined) return []
  const masked: MaskedPath[] = []
  const waiting: Folder[] = [{ path: workspace_root, view }]
  for (let count = 0; waiting.length > 0; count++) {
    runtime.signal.throwIfAborted()
    if (count >= MAX_FOLDERS || masked.length > MAX_MASKED) throw tooMany()
    const folder = waiting.pop() as Folder
    const found = await look(folder, runtime)
    masked.push(...found.masked)
    waiting.push(...found.folders)
  }
  return masked
}

interface Folder {
  readonly path: string
  readonly view: FolderView
}

async function look({ path: folder, view: given }: Folder, runtime: ToolRuntime) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const rules = entries.map(({ name }) => name).filter((name) => given.isRule(name))
  const view = rules.length > 0 ? given.with(rules) : given
  const masked: MaskedPath[] = []
  const folders: Folder[] = []
  for (const entry of entries) {
    const is_folder = entry.isDirectory()
    const path = `${folder}/${entry.name}`
    if (view.hides(entry.name, is_folder)) {
      // A link is left: what it leads to is masked where it lies.
      if (!entry.isSymbolicLink() && isDenied(path, is_folder, runtime))
        masked.push({ path, is_folder })
    } else if (is_folder) folders.push({ path, view: view.enter(entry.name) })
  }
  return { masked, folders }
}

function isDenied(path: string, is_folder: boolean, runtime: ToolRuntime): boolean {
  const asked = is_folder ? `${path}/x` : path
  const verdict = runtime.ingress({ origin: "ref", path: asked })
  return verdict.verdict === "deny" && verdict.rule === "deny"
}

function tooMany(): ToolError {
  return new ToolError("The workspace is too large to keep its secrets from a shell: none is run.")
}
