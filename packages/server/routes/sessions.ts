import { z } from "zod"
import type { Host } from "compositor-engine/host/host"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import { Session, SessionStatus, statusOf, Turn } from "compositor-core/message/row"
import { branchOff } from "compositor-engine/turns/sidecar"
import { ownerOf, shownTo, workspaceOf } from "../caller.ts"
import { type Route, route } from "../route.ts"
import {
  AbortBody,
  Flag,
  MessageId,
  NewBranch,
  NewSession,
  SessionPatch,
  SessionsQuery,
} from "../schemas.ts"

const Changed = z.object({ session: Session, txid: z.string() })
/** With what the host kept of the world before the messages that are hidden now (SES-011). */
const Rewound = Changed.extend({ snapshot_ids: z.array(z.string()) })
const Listed = Session.extend({ status: SessionStatus, queued: z.int() })

export const sessionRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions",
    summary: "Sessions, the last used first",
    query: SessionsQuery,
    answer: z.object({ sessions: z.array(Listed), next: z.string().nullable() }),
    async handle({ host, caller, query }) {
      const { limit, before, archived = false, ephemeral = false } = query
      const shape = { limit: limit + 1, before, archived, ephemeral }
      const found = await host.store.sessions({ ...shape, ...shownTo(caller) })
      const shown = found.slice(0, limit)
      const sessions = await Promise.all(shown.map((session) => listed(host, session)))
      return { sessions, next: found.length > limit ? (shown.at(-1)?.id ?? null) : null }
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions",
    summary: "Begin a session",
    body: NewSession,
    answer: Changed,
    status: 201,
    async handle({ host, caller, body }) {
      if (body.model) host.checkModel(body.model)
      const workspace_root =
        body.workspace_root === undefined
          ? workspaceOf(caller, host.workspace)
          : body.workspace_root
      const agent = await agentOf(host, body.agent, workspace_root)
      const created = await host.store.createSession({
        id: body.id ?? newId("ses"),
        agent: body.agent,
        title: body.title ?? null,
        workspace_root,
        model: body.model ?? agent?.model ?? host.default_model,
        metadata: body.metadata ?? {},
        principal: ownerOf(caller),
      })
      const definition = host.entities.entities.definitionOf(body.agent)
      if (definition) await host.entities.entities.introduce(created.session.id, definition)
      return created
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id",
    summary: "One session, its status and how many messages wait",
    answer: z.object({ session: Session, status: SessionStatus, queued: z.int() }),
    async handle({ host, param }) {
      const session = await existing(host, param("id"))
      const { status, queued } = await listed(host, session)
      return { session, status, queued }
    },
  }),
  route({
    method: "patch",
    path: "/v1/sessions/:id",
    summary: "Rename, archive, restore, or choose another model or agent",
    body: SessionPatch,
    answer: Changed,
    async handle({ host, param, body }) {
      if (body.model) host.checkModel(body.model)
      if (body.agent !== undefined) await mayAnswer(host, param("id"), body.agent)
      return host.store.changeSession({ id: param("id"), ...given(body) })
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/:id",
    summary: "Delete a session and its content; with cascade its branches too",
    query: z.object({ cascade: Flag.optional() }),
    answer: z.object({ deleted: z.array(z.string()), branches: z.array(z.string()) }),
    async handle({ host, param, query }) {
      const { deleted, branches } = await host.deleteSession(param("id"), query.cascade ?? false)
      return { deleted, branches }
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/branch",
    summary: "Begin a session that shares this one's history up to a message",
    body: NewBranch,
    answer: Changed,
    status: 201,
    async handle({ host, param, body }) {
      return branchOff(host.store, {
        parent_id: param("id"),
        from_message_id: body.from_message_id ?? null,
        title: body.title ?? null,
        metadata: body.metadata ?? {},
      })
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/rewind",
    summary: "Hide a message and all behind it; null hides everything",
    body: z.strictObject({ before_message_id: MessageId.nullable() }),
    answer: Rewound,
    async handle({ host, param, body }) {
      return host.store.rewind({ session_id: param("id"), ...body })
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/unrewind",
    summary: "Take the last rewind back",
    body: z.strictObject({}),
    answer: Changed,
    async handle({ host, param }) {
      return host.store.unrewind({ session_id: param("id") })
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/status",
    summary: "What the session is doing",
    answer: SessionStatus,
    async handle({ host, param }) {
      const session = await existing(host, param("id"))
      return statusOf((await host.store.latestTurn(session.id)) ?? undefined)
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/:id/abort",
    summary: "Stop the running turn; with clear, cancel what waits too",
    body: AbortBody,
    answer: z.object({ aborted: Turn.nullable(), cancelled: z.array(z.string()) }),
    async handle({ host, param, body }) {
      const { turn, cancelled } = await host.abort(param("id"), body.clear)
      return { aborted: turn, cancelled }
    },
  }),
]

/** The manifest of the agent that a session is begun with; undefined where nobody knows it, and the
 *  assistant answers in its stead. */
async function agentOf(host: Host, type: string, workspace_root: string | null) {
  const found = await host.equipment.agents.find(type, workspace_root)
  if (found && !found.trusted)
    throw new Refusal("untrusted", `${found.path} came with the project and is not trusted yet`)
  if (found?.faults)
    throw new Refusal("invalid", `${found.path} does not fit: ${found.faults.join("; ")}`)
  return found?.agent
}

/** Whether another agent may go on with a session: one that is known, and not in the stead of code. */
async function mayAnswer(host: Host, session_id: string, type: string) {
  const { agent, workspace_root } = await existing(host, session_id)
  if (!(await agentOf(host, type, workspace_root)))
    throw new Refusal("invalid", `there is no agent ${type} here`)
  if (!(await host.equipment.agents.find(agent, workspace_root)))
    throw new Refusal("conflict", `${agent} answers in session ${session_id}, and stays`)
}

export async function existing(host: Host, id: string): Promise<Session> {
  const session = await host.store.session(id)
  if (!session) throw new Refusal("not_found", `there is no session ${id}`)
  return session
}

export async function listed(host: Host, session: Session) {
  const turn = await host.store.latestTurn(session.id)
  const queued = await host.store.queuedCount(session.id)
  return { ...session, status: statusOf(turn ?? undefined), queued }
}

type Given<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

function given<T extends object>(body: T): Given<T> {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as Given<T>
}
