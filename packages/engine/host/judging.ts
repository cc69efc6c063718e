import { admitWords } from "../policy/admit-words.ts"
import { type Arrival, judge, type Verdict } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"

/** The policy of each workspace as those ask it who read files and run tools there. */
export interface Judging {
  ingress(workspace_root: string | null): (arrival: Arrival) => Promise<Verdict>
  clean(workspace_root: string | null): <Words>(words: Words) => Promise<Words>
}

export function judgingBy(policy: (workspace_root: string | null) => IngressPolicy): Judging {
  return {
    ingress: (workspace_root) => (arrival) => judge(policy(workspace_root), arrival),
    clean: (workspace_root) => (words) => admitWords(policy(workspace_root), words),
  }
}
