import { isWords, type Part, writePart } from "compositor-core/parts/table"
import { stat } from "node:fs/promises"
import { resolve as resolvePath } from "node:path"
import { errorCode } from "compositor-core/message/untyped"
import type { CommandActions } from "compositor-core/commands/command-actions"
import type { ModelChoice } from "compositor-core/message/message"
import { admitWords } from "../policy/judge.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import { admitParts } from "./admit-parts.ts"
import { loadedSkills } from "./loaded-skills.ts"
import { asksTheCatalog, type Resolved, resolve, type Unresolved } from "./resolve.ts"
import type { SubmitDependencies } from "./submit.ts"

/** Where a message comes in: its session's workspace, and what may enter there. */
export interface SubmissionContext {
  /** Null for a draft that has no session yet. */
  readonly session_id: string | null
  readonly workspace_root: string | null
  readonly policy: IngressPolicy
  /** The model that its session speaks to, where that was asked for. */
  readonly model?: ModelChoice | null
  /** Who answers there, where that was asked for. */
  readonly agent?: string | undefined
}

/** What commands may ask for beside the catalog and the files of the workspace. */
export type SessionActions = Omit<CommandActions, "listCommands" | "isFile">

interface Arriving {
  readonly session_id: string
  readonly parts: readonly Part[]
}

// Plain text asks nothing of the workspace, so nothing is read for it.
export async function openSubmissionContext(
  rooms: SubmitDependencies,
  { session_id, parts }: Arriving,
): Promise<SubmissionContext> {
  const isPlain = parts.every((part) => isWords(writePart(part)))
  const session = isPlain ? null : await rooms.store.session(session_id)
  const workspace_root = session?.workspace_root ?? null
  const { model = null, agent } = session ?? {}
  return { session_id, workspace_root, policy: rooms.policy(workspace_root), model, agent }
}

/** A message resolved with what its place knows, and admitted. */
export async function resolvedIn(
  rooms: SubmitDependencies,
  place: SubmissionContext,
  message: Unresolved,
): Promise<Resolved> {
  const { workspace_root, policy } = place
  const isPlain = !message.parts.some(asksTheCatalog)
  const catalog = isPlain ? NO_COMMANDS : await rooms.catalog(place)
  const skills = isPlain ? NO_SKILLS : await rooms.skills(workspace_root)
  const isThere = (path: string) => isFile(workspace_root, path)
  const { parts, actions, shown, notices } = await resolve(
    {
      catalog,
      actions: {
        ...rooms.actions(place),
        listCommands: () =>
          catalog.list().map(({ name, command: { description } }) => ({ name, description })),
        isFile: isThere,
      },
      skill: (name) => skills.get(name),
      loaded: loadedIn(rooms, place),
      shell: (command) => rooms.shell(workspace_root, command),
      isFile: isThere,
      servers: rooms.servers?.(workspace_root),
    },
    message,
  )
  const kept = new Set([...(message.kept?.values() ?? [])].flat())
  return {
    parts: await admitParts(policy, parts, kept),
    actions: actions.length === 0 ? actions : await admitWords(policy, actions),
    shown,
    notices,
  }
}

const NO_COMMANDS = { get: () => undefined, list: () => [] }
const NO_SKILLS = new Map<string, never>()

/** Looked up once, and only if a skill is named. */
function loadedIn({ store }: SubmitDependencies, { session_id }: SubmissionContext) {
  let loaded: Promise<ReadonlySet<string>> | undefined
  return () => {
    loaded ??= session_id === null ? Promise.resolve(new Set()) : loadedSkills(store, session_id)
    return loaded
  }
}

/** One that may not be looked at is there all the same: reading it says why not. */
async function isFile(workspace_root: string | null, path: string): Promise<boolean> {
  if (workspace_root === null) return false
  try {
    return (await stat(resolvePath(workspace_root, path))).isFile()
  } catch (error) {
    const code = errorCode(error)
    return code === "EACCES" || code === "EPERM"
  }
}
