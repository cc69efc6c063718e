import { extname, isAbsolute, relative, resolve, sep } from "node:path"
import { PolicyConfig } from "./config.ts"
import type { HiddenSettings } from "./hidden.ts"
import { IgnoreFiles, realPathOf } from "./ignore-files.ts"
import { type IngressPolicy, type PolicyWorkspace, policyOf } from "./policy.ts"

/** The policy of a workspace. Its ignore files are read when a path is asked about and kept until
 *  they change; a repository can hide more by them, and allow nothing. */
export function loadPolicy(
  workspace_root: string | null,
  user_config: PolicyConfig = {},
): IngressPolicy {
  if (workspace_root === null) return policyOf(user_config)
  const { ignore_files } = PolicyConfig.parse(user_config)
  return policyOf(user_config, workspaceAt(realPathOf(workspace_root), ignore_files))
}

function workspaceAt(root: string, ignore_files: readonly string[]): PolicyWorkspace {
  const files = new IgnoreFiles(root, ignore_files)
  return { shorten, ignoredBy }

  function shorten(path: string): string {
    const between = relative(root, resolve(root, path))
    const isOutside = between === ".." || between.startsWith(`..${sep}`) || isAbsolute(between)
    return isOutside ? path : between.split(sep).join("/")
  }

  function ignoredBy(path: string) {
    const short = shorten(path)
    return isAbsolute(short) || short.startsWith("..") ? undefined : files.ignoredBy(short)
  }
}

/** The same for a search for files: what it does not show. The search runs in a thread of its own, so
 *  it is given the address of a module and its settings. */
export function hiddenBy(user_config: PolicyConfig = {}) {
  const { deny, ignore_files } = PolicyConfig.parse(user_config)
  const settings: HiddenSettings = { deny, ignore_files }
  return { module: new URL(`./hidden${extname(import.meta.url)}`, import.meta.url).href, settings }
}
