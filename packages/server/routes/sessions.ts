import { sessions } from "compositor-core/contract/sessions"
import { newId } from "compositor-core/message/id"
import type { ModelChoice } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import { type Session, statusOf, type Turn } from "compositor-core/message/row"
import type { AgentFiles } from "compositor-engine/agents/agent-files"
import type { Entities } from "compositor-engine/entities/entities"
import type { Store } from "compositor-engine/store/store"
import { branchOff } from "compositor-engine/turns/sidecar"
import { callerOwner, visibleTo, workspaceOf } from "../caller.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing } from "../workspace-root.ts"

type FindAgent = Pick<AgentFiles, "find">

export interface SessionEngine {
  readonly store: Pick<
    Store,
    | "session"
    | "sessions"
    | "createSession"
    | "changeSession"
    | "branch"
    | "rewind"
    | "unrewind"
    | "latestTurn"
    | "queuedCount"
  > &
    Parameters<typeof branchOff>[0]
  readonly workspace: string | null
  readonly default_model: ModelChoice
  readonly equipment: { readonly agents: FindAgent }
  readonly entities: { readonly entities: Pick<Entities, "definitionOf" | "introduce"> }
  checkModel(choice: ModelChoice): void
  deleteSession(
    session_id: string,
    cascade: boolean,
  ): Promise<{ readonly deleted: readonly string[]; readonly branches: readonly string[] }>
  abort(
    session_id: string,
    clear: boolean,
  ): Promise<{ readonly turn: Turn | null; readonly cancelled: readonly string[] }>
}

export function sessionRoutes(engine: SessionEngine): ServedRoute[] {
  const { agents } = engine.equipment
  return serveRoutes(sessions, {
    async listSessions({ caller, query }) {
      const { limit, before, archived = false, ephemeral = false } = query
      const shape = { limit: limit + 1, before, archived, ephemeral }
      const found = await engine.store.sessions({ ...shape, ...visibleTo(caller) })
      const shown = found.slice(0, limit)
      const sessions = await Promise.all(shown.map((session) => summaryOf(engine.store, session)))
      return { sessions, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null }
    },
    async createSession({ caller, body }) {
      if (body.model) engine.checkModel(body.model)
      const workspace_root =
        body.workspace_root === undefined
          ? workspaceOf(caller, engine.workspace)
          : body.workspace_root
      const agent = await agentOf(agents, body.agent, workspace_root)
      const created = await engine.store.createSession({
        id: body.id ?? newId("ses"),
        agent: body.agent,
        title: body.title ?? null,
        workspace_root,
        model: body.model ?? agent?.model ?? engine.default_model,
        metadata: body.metadata ?? {},
        principal: callerOwner(caller),
      })
      const definition = engine.entities.entities.definitionOf(body.agent)
      if (definition) await engine.entities.entities.introduce(created.session.id, definition)
      return created
    },
    async getSession({ param }) {
      const session = await existing(engine.store, param("id"))
      const { status, queued } = await summaryOf(engine.store, session)
      return { session, status, queued }
    },
    async changeSession({ param, body }) {
      if (body.model) engine.checkModel(body.model)
      if (body.agent !== undefined) await mayAnswer(engine, param("id"), body.agent)
      return engine.store.changeSession({ id: param("id"), ...given(body) })
    },
    async deleteSession({ param, query }) {
      const { deleted, branches } = await engine.deleteSession(param("id"), query.cascade ?? false)
      return { deleted, branches }
    },
    async branchSession({ param, body }) {
      return branchOff(engine.store, {
        parent_id: param("id"),
        from_message_id: body.from_message_id ?? null,
        title: body.title ?? null,
        metadata: body.metadata ?? {},
      })
    },
    async rewindSession({ param, body }) {
      return engine.store.rewind({ session_id: param("id"), ...body })
    },
    async unrewindSession({ param }) {
      return engine.store.unrewind({ session_id: param("id") })
    },
    async getSessionStatus({ param }) {
      const session = await existing(engine.store, param("id"))
      return statusOf((await engine.store.latestTurn(session.id)) ?? undefined)
    },
    async abortTurn({ param, body }) {
      const { turn, cancelled } = await engine.abort(param("id"), body.clear)
      return { aborted: turn, cancelled }
    },
  })
}

/** The manifest of the agent that a session is begun with; undefined where nobody knows it, and the
 *  assistant answers in its stead. */
async function agentOf(agents: FindAgent, type: string, workspace_root: string | null) {
  const found = await agents.find(type, workspace_root)
  if (found && !found.trusted)
    throw new Refusal("untrusted", `${found.path} came with the project and is not trusted yet`)
  if (found?.faults)
    throw new Refusal("invalid", `${found.path} does not fit: ${found.faults.join("; ")}`)
  return found?.agent
}

/** Whether another agent may go on with a session: one that is known, and not in the stead of code. */
async function mayAnswer(
  { store, equipment: { agents } }: SessionEngine,
  session_id: string,
  type: string,
) {
  const { agent, workspace_root } = await existing(store, session_id)
  if (!(await agentOf(agents, type, workspace_root)))
    throw new Refusal("invalid", `there is no agent ${type} here`)
  if (!(await agents.find(agent, workspace_root)))
    throw new Refusal("conflict", `${agent} answers in session ${session_id}, and stays`)
}

/** A session as a list shows it. */
export async function summaryOf(
  store: Pick<Store, "latestTurn" | "queuedCount">,
  session: Session,
) {
  const turn = await store.latestTurn(session.id)
  const queued = await store.queuedCount(session.id)
  return { ...session, status: statusOf(turn ?? undefined), queued }
}

type Given<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

function given<T extends object>(body: T): Given<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined is left out, and nothing else
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as Given<T>
}
