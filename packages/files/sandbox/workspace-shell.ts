import { lstat } from "node:fs/promises"
import { basename, join } from "node:path"
import { coverGitStores } from "./git-store.ts"
import { guardPaths } from "./guarded-paths.ts"
import { type FoundPaths, type MaskedPath, type PathSearch, searchPaths } from "./masked-paths.ts"
import { runSandboxed, type SandboxedRun, type SandboxResult } from "./sandbox.ts"

interface WorkspaceRun extends Omit<SandboxedRun, "workspace" | "mounts"> {
  readonly search: PathSearch
  /** It may change the workspace. Otherwise that is read-only. */
  readonly writable?: boolean
}

/** Run a shell command in a workspace: what the deny rules name it cannot read, neither as a file nor
 *  out of git's history, and what other programs obey it cannot change. */
export async function runInWorkspace(run: WorkspaceRun): Promise<SandboxResult> {
  const { search, writable = false, ...rest } = run
  const { root, isDenied } = search
  const found = await searchPaths(search)
  if (found === undefined) return TOO_LARGE
  const folders = await gitFolders(root, found)
  const masked = found.masked.flatMap(({ path, is_folder }) => (is_folder ? [] : [path]))
  const stores = await coverGitStores({ folders, masked, isDenied, writable })
  const guard = writable ? await guardPaths(root, found.guarded) : undefined
  const mounts = [
    ...(guard ? ["--bind", root, root, ...guard.words] : []),
    ...stores.words,
    ...found.masked.flatMap(maskWords),
  ]
  const ran = await runSandboxed({ ...rest, workspace: root, mounts }).catch(
    (error: Error) => error,
  )
  await stores.release()
  const after = guard && (await searchPaths({ root, view: undefined, isDenied }))
  const aside = (await guard?.release(after?.guarded ?? [])) ?? []
  if (ran instanceof Error) throw ran
  return withNotes(ran, [...stores.notes, ...aside])
}

const TOO_LARGE: SandboxResult = {
  type: "unavailable",
  reason: "the workspace is too large to keep its secrets from a shell",
}

async function gitFolders(root: string, { guarded }: FoundPaths): Promise<string[]> {
  const named = [join(root, ".git"), ...guarded.filter((path) => basename(path) === ".git")]
  const stats = await Promise.all(named.map((path) => lstat(path).catch(() => undefined)))
  return named.filter((_, at) => stats[at]?.isDirectory())
}

function maskWords({ path, is_folder }: MaskedPath): string[] {
  return is_folder ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path]
}

function withNotes(ran: SandboxResult, notes: readonly string[]): SandboxResult {
  if (notes.length === 0 || ran.type === "unavailable") return ran
  if (ran.type === "stopped") return { ...ran, reason: [ran.reason, ...notes].join("; ") }
  return { ...ran, notes: [...ran.notes, ...notes] }
}
