import {
  type AgentApp,
  type AgentConnection,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk"
import type { Client, ModelsAnswer } from "compositor-client/client"
import { parseModelChoice } from "compositor-core/message/message"
import type { Session } from "compositor-core/message/row"
import { EXTENSION } from "./attachments.ts"
import { replayMessage } from "./chunks.ts"
import { asRequestError } from "./faults.ts"
import { LiveSession } from "./live-session.ts"
import { isMode, MODE_KEY, modesOf } from "./modes.ts"
import type { Peer } from "./peer.ts"
import { promptBody } from "./prompt.ts"
import { EditorServers } from "./servers.ts"
import { configOptions, MODEL_OPTION, promptCapabilities } from "./settings.ts"

export interface EditorAgentOptions {
  readonly client: Client
  readonly version: string
  /** "provider/model"; the server's own choice without. */
  readonly model?: string | undefined
  readonly log?: (message: string) => void
}

const PAGE = 100
const LISTED = 50

/** Our sessions as an agent of the Agent Client Protocol (ACP-001). */
export function compositorAgent(options: EditorAgentOptions): AgentApp {
  const { session } = methods.agent
  const desk = new Desk(options)
  return agent({ name: "compositor" })
    .onConnect((connection) => desk.connected(connection))
    .onRequest(methods.agent.initialize, ({ params }) => desk.initialize(params))
    .onRequest(session.new, ({ params }) => desk.open(params.cwd, params.mcpServers))
    .onRequest(session.load, ({ params }) => desk.load(params.sessionId, params.mcpServers))
    .onRequest(session.resume, ({ params }) => desk.resume(params.sessionId, params.mcpServers))
    .onRequest(session.list, ({ params }) => desk.list(params))
    .onRequest(session.close, ({ params }) => desk.close(params.sessionId))
    .onRequest(session.delete, ({ params }) => desk.remove(params.sessionId))
    .onRequest(session.setMode, ({ params }) => desk.setMode(params.sessionId, params.modeId))
    .onRequest(session.setConfigOption, ({ params }) => desk.setOption(params))
    .onRequest(session.prompt, async ({ params, signal }) => ({
      stopReason: await desk.live(params.sessionId).prompt(() => desk.composed(params), signal),
    }))
    .onNotification(session.cancel, ({ params }) => desk.live(params.sessionId).cancel())
}

/** What one connection has open. */
class Desk {
  readonly #options: EditorAgentOptions
  readonly #servers: EditorServers
  readonly #live = new Map<string, LiveSession>()
  #context: AgentContext | undefined
  #can: ClientCapabilities = {}
  #models: Promise<ModelsAnswer> | undefined

  constructor(options: EditorAgentOptions) {
    this.#options = options
    this.#servers = new EditorServers(options.client)
  }

  connected(connection: AgentConnection) {
    this.#context = connection.client
    void connection.closed.then(async () => {
      for (const sessionId of this.#live.keys()) await this.#leave(sessionId)
    })
  }

  async initialize({ clientCapabilities }: InitializeRequest): Promise<InitializeResponse> {
    this.#can = clientCapabilities ?? {}
    const models = await this.#known()
    const { model } = this.#options
    const chosen = model === undefined ? models.default : parseModelChoice(model)
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "compositor", title: "Compositor", version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: promptCapabilities(models, chosen),
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        _meta: { [EXTENSION]: { attachments: true } },
      },
      authMethods: [],
    }
  }

  async open(cwd: string, servers: readonly McpServer[]) {
    const { client, model } = this.#options
    if (!cwd.startsWith("/"))
      throw RequestError.invalidParams({ cwd }, `cwd: ${cwd} is not an absolute path`)
    const { session } = await client.sessions
      .create({ workspace_root: cwd, ...(model === undefined ? {} : { model }) })
      .catch(refuse())
    const { stream_next_offset } = await client.messages(session.id, { limit: 1 })
    await this.#present(this.#attach(session, stream_next_offset), session.id, servers)
    return { sessionId: session.id, ...(await this.#about(session)) }
  }

  /** Everything that was said, and then what happens from there. */
  async load(sessionId: string, servers: readonly McpServer[]) {
    const session = await this.#existing(sessionId)
    const offset = await this.#replay(session)
    await this.#present(this.#attach(session, offset), sessionId, servers)
    return this.#about(session)
  }

  async resume(sessionId: string, servers: readonly McpServer[] = []) {
    const session = await this.#existing(sessionId)
    const { stream_next_offset } = await this.#options.client.messages(sessionId, { limit: 1 })
    await this.#present(this.#attach(session, stream_next_offset), sessionId, servers)
    return this.#about(session)
  }

  async list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }) {
    const { client } = this.#options
    const query = { limit: LISTED, ...(cursor ? { before: cursor } : {}) }
    const { sessions, next } = await client.sessions.list(query).catch(refuse())
    const shown = sessions.filter(({ workspace_root: root }) => !cwd || root === cwd)
    return {
      sessions: shown.map((session) => ({
        sessionId: session.id,
        cwd: session.workspace_root ?? "/",
        title: session.title,
        updatedAt: new Date(session.updated_at).toISOString(),
      })),
      nextCursor: next,
    }
  }

  /** What is under way is stopped; the session itself is kept. */
  async close(sessionId: string) {
    const live = this.live(sessionId)
    await live.cancel().catch(refuse(sessionId))
    await this.#leave(sessionId)
    return {}
  }

  async remove(sessionId: string) {
    await this.#leave(sessionId)
    await this.#options.client.sessions.remove(sessionId).catch(refuse(sessionId))
    return {}
  }

  async setMode(sessionId: string, modeId: string) {
    if (!isMode(modeId))
      throw RequestError.invalidParams({ modeId }, `modeId: there is no mode ${modeId}`)
    const metadata = { [MODE_KEY]: modeId }
    await this.#options.client.sessions.update(sessionId, { metadata }).catch(refuse(sessionId))
    return {}
  }

  async setOption({
    sessionId,
    configId,
    value,
  }: {
    sessionId: string
    configId: string
    value: unknown
  }) {
    if (configId !== MODEL_OPTION || typeof value !== "string")
      throw RequestError.invalidParams({ configId }, `configId: there is no choice of ${configId}`)
    const { session } = await this.#options.client.sessions
      .update(sessionId, { model: value })
      .catch(refuse(sessionId))
    return { configOptions: configOptions(await this.#known(), session.model) }
  }

  live(sessionId: string): LiveSession {
    const live = this.#live.get(sessionId)
    if (!live) throw RequestError.sessionNotFound(sessionId)
    return live
  }

  async composed(prompted: Parameters<typeof promptBody>[1]) {
    const { client, log } = this.#options
    const { root } = this.live(prompted.sessionId)
    const { body, warnings } = await promptBody(client, prompted, root)
    for (const { path, message } of warnings) log?.(`prompt${path}: ${message}`)
    return body
  }

  async #replay(session: Session): Promise<number> {
    const { client } = this.#options
    const newest = await client.messages(session.id, { limit: PAGE }).catch(refuse(session.id))
    const pages = [newest.messages]
    for (let before = newest.next; before !== null; ) {
      const page = await client.messages(session.id, { limit: PAGE, before })
      pages.unshift(page.messages)
      before = page.next
    }
    for (const message of pages.flat())
      for (const update of replayMessage(message, session.workspace_root))
        await this.#peer().update(session.id, update)
    return newest.stream_next_offset
  }

  #attach(session: Session, after: number): LiveSession {
    const { client, log = () => undefined } = this.#options
    const known = this.#live.get(session.id)
    if (known) return known
    const contextTokens = () => this.#contextTokens(session.id)
    const live = new LiveSession({ client, peer: this.#peer(), session, contextTokens, log })
    this.#live.set(session.id, live)
    live.follow(after)
    return live
  }

  /** The editor's servers are the session's from its first prompt on; what else there is to say of it is
   *  said when the editor knows the session. */
  async #present(live: LiveSession, sessionId: string, servers: readonly McpServer[]) {
    const notices = servers.length > 0 ? await this.#servers.give(sessionId, servers) : []
    if (servers.length === 0) await this.#servers.take(sessionId)
    this.#later(async () => {
      await live.tellCommands()
      for (const told of [...notices, ...(await this.#servers.faults(sessionId))])
        await this.#peer().update(sessionId, told)
    })
  }

  async #leave(sessionId: string) {
    const live = this.#live.get(sessionId)
    this.#live.delete(sessionId)
    await live?.close()
    await this.#servers
      .take(sessionId)
      .catch((error: unknown) => this.#options.log?.(String(error)))
  }

  async #existing(id: string): Promise<Session> {
    const { session } = await this.#options.client.sessions.get(id).catch(refuse(id))
    return session
  }

  async #about(session: Session) {
    const models = await this.#known()
    return { modes: modesOf(session), configOptions: configOptions(models, session.model) }
  }

  #known(): Promise<ModelsAnswer> {
    this.#models ??= this.#options.client.models()
    this.#models.catch(() => {
      this.#models = undefined
    })
    return this.#models
  }

  async #contextTokens(id: string): Promise<number> {
    const { session } = await this.#options.client.sessions.get(id)
    const { provider_id, model_id } = session.model
    const { models } = await this.#known()
    const model = models.find((one) => one.provider_id === provider_id && one.model_id === model_id)
    return model?.context_tokens ?? 0
  }

  #peer(): Peer {
    const context = this.#context
    if (!context) throw new Error("The agent is not connected.")
    const { requestPermission, update } = methods.client.session
    const asked = (cancellationSignal: AbortSignal) => ({ cancellationSignal })
    return {
      update: (sessionId, told) => context.notify(update, { sessionId, update: told }),
      askPermission: (request, signal) =>
        context.request(requestPermission, request, asked(signal)),
      ...(this.#can.elicitation?.form
        ? {
            elicit: (request, signal) =>
              context.request(methods.client.elicitation.create, request, asked(signal)),
          }
        : {}),
    }
  }

  // An editor knows the session only once it has the answer that names it.
  #later(tell: () => Promise<void>) {
    setTimeout(() => {
      void tell().catch((error: unknown) => this.#options.log?.(String(error)))
    }, 0)
  }
}

function refuse(sessionId?: string) {
  return (error: unknown): never => {
    throw asRequestError(error, sessionId)
  }
}
