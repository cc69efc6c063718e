import { PolicyConfig, type PolicySettings } from "./config.ts"
import { denyList } from "./deny.ts"
import { DENIED, DENIED_WITH_SECRETS } from "./deny-rules.ts"
import type { IgnoredBy, IgnoreLists } from "./ignore.ts"

/** What may come in. The rules are data; only ignore files are read as they are asked about. */
export interface IngressPolicy {
  readonly settings: PolicySettings
  readonly denied: IgnoreLists
  readonly deniedWithSecrets: IgnoreLists
  readonly workspace: PolicyWorkspace
}

/** What the policy asks about a path. */
export interface PolicyWorkspace {
  /** The path from the workspace's root; as it is where it lies outside. */
  shorten(path: string): string
  /** What ignores this path, if anything. */
  ignoredBy(path: string): IgnoredBy | undefined
}

/** The policy of a place that has no files: only what the user says. */
export function policyOf(
  config: PolicyConfig = {},
  workspace: PolicyWorkspace = NO_WORKSPACE,
): IngressPolicy {
  const settings = PolicyConfig.parse(config)
  return {
    settings,
    denied: denyList([...DENIED, ...settings.deny]),
    deniedWithSecrets: denyList(DENIED_WITH_SECRETS),
    workspace,
  }
}

const NO_WORKSPACE: PolicyWorkspace = {
  shorten: (path) => path,
  ignoredBy: () => undefined,
}
