import {
  ApiError,
  type Client,
  type Info,
  type ListedCommand,
  type ModelsAnswer,
  type SessionSummary,
} from "compositor-client/client"
import { followHost, type HostEvent } from "compositor-client/events"
import type { SessionView } from "compositor-client/view"
import { BARE_VOCABULARY, type Vocabulary } from "compositor-core/compose/vocabulary"
import type { ModelChoice } from "compositor-core/message/message"
import type { StreamEvent } from "compositor-core/message/row"
import { sleep, Thread } from "../thread/thread.ts"
import { vocabularyOf } from "../composer/vocabulary.ts"

/** Everything the page shows, but for what is being typed. */
export interface AppState {
  readonly gate: "open" | "missing" | "refused"
  readonly info: Info | undefined
  readonly models: ModelsAnswer | undefined
  /** What can be typed after a slash where this session works. */
  readonly commands: readonly ListedCommand[]
  readonly vocabulary: Vocabulary
  /** What the server can do, as `get /v1/sessions`. */
  readonly routes: ReadonlySet<string>
  readonly sessions: readonly SessionSummary[]
  readonly sessionsRead: boolean
  readonly moreSessions: string | null
  readonly archived: boolean
  /** The session that is open; none is a new one that begins with its first message. */
  readonly current: string | undefined
  readonly view: SessionView | undefined
  readonly readingOlder: boolean
  /** The model of a session that has not begun. */
  readonly model: ModelChoice | undefined
  /** The queued message in the composer. */
  readonly editing: string | undefined
  /** How often something was sent from this page. */
  readonly sends: number
  readonly linked: { readonly host: boolean; readonly session: boolean }
}

const PAGE = 50
const RETRY_AFTER = 1_000

/** The page's state and what feeds it: the list of sessions, and the stream of the open one. It is
 *  told at most once a frame, however fast an answer comes. */
export class PageStore {
  readonly client: Client
  /** Rows of the open session's stream, for whoever keeps something else in step. */
  heard: (session: string, row: StreamEvent) => void = () => undefined
  #state: AppState
  readonly #listeners = new Set<() => void>()
  readonly #report: (error: unknown) => void
  #frame: number | undefined
  #hostLink: AbortController | undefined
  #thread: Thread | undefined
  /** What was told of sessions while their list was on its way: it is newer than the list. */
  #toldMeanwhile: Map<string, SessionSummary | null> | undefined

  constructor(client: Client, report: (error: unknown) => void) {
    this.client = client
    this.#report = report
    this.#state = EMPTY
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly read = (): AppState => this.#state

  /** Begin, or go on after `rest`. */
  wake() {
    if (this.#hostLink) return
    this.#hostLink = new AbortController()
    void this.#followHost(this.#hostLink.signal)
    this.#thread?.start()
  }

  /** Let go of the connections: a browser has only six for all its tabs. */
  rest() {
    this.#hostLink?.abort()
    this.#hostLink = undefined
    this.#thread?.stop()
  }

  open(id: string | undefined) {
    if (id === this.#state.current) return
    this.#thread?.stop()
    this.#thread = id === undefined ? undefined : this.#newThread(id)
    this.#now({ current: id, view: undefined, editing: undefined, readingOlder: false })
    if (this.#hostLink) {
      this.#thread?.start()
      void this.readCommands()
    }
  }

  #newThread(id: string): Thread {
    const ours = () => this.#thread === thread
    const thread: Thread = new Thread(this.client, id, {
      changed: (view) => ours() && this.#soon({ view }),
      linked: (session) => ours() && this.#linked({ session }),
      row: (row) => {
        if (row.type === "slash_command") void this.readCommands()
        this.heard(id, row)
      },
      isFinal: (error) => this.noticed(error),
      gone: (error) => {
        this.#report(error)
        this.open(undefined)
      },
    })
    return thread
  }

  async readOlder() {
    if (this.#state.readingOlder || !this.#state.view?.older) return
    this.#now({ readingOlder: true })
    try {
      await this.#thread?.readOlder()
    } catch (error) {
      this.#report(error)
    }
    this.#now({ readingOlder: false })
  }

  async readMoreSessions() {
    const { moreSessions, archived } = this.#state
    if (!moreSessions) return
    try {
      const page = await this.client.sessions.list({ limit: PAGE, before: moreSessions, archived })
      const sessions = merged(this.#state.sessions, page.sessions)
      this.#now({ sessions, moreSessions: page.next })
    } catch (error) {
      this.#report(error)
    }
  }

  /** The catalog of the open session's folder. */
  async readCommands() {
    const { current } = this.#state
    try {
      const { commands } = await this.client.commands.list(current ? { session: current } : {})
      if (current !== this.#state.current) return
      if (JSON.stringify(commands) === JSON.stringify(this.#state.commands)) return
      this.#now({ commands, vocabulary: vocabularyOf(commands) })
    } catch (error) {
      this.noticed(error) // Without a catalog, what is typed is still sent as typed.
    }
  }

  showArchived(archived: boolean) {
    this.#now({ archived, sessions: [], sessionsRead: false })
    void this.#readSessions()
  }

  chooseModel(model: ModelChoice) {
    this.#now({ model })
  }

  edit(message: string | undefined) {
    this.#now({ editing: message })
  }

  /** Whether the session on show has this message, sent or waiting. */
  has(id: string): boolean {
    const { view } = this.#state
    return view !== undefined && [...view.messages, ...view.queue].some((known) => known.id === id)
  }

  /** Whether the server has a route, as `post /v1/sessions/{id}/rewind`. */
  can(route: string): boolean {
    return this.#state.routes.has(route)
  }

  sent() {
    this.#now({ sends: this.#state.sends + 1 })
  }

  forget(id: string) {
    const sessions = this.#state.sessions.filter((session) => session.id !== id)
    this.#now({ sessions })
  }

  async readModels() {
    this.#now({ models: await this.client.models() })
  }

  /** An error that is about more than what was asked for. */
  noticed(error: unknown): boolean {
    if (!(error instanceof ApiError) || error.status !== 401) return false
    this.rest()
    this.#now({ gate: "refused" })
    return true
  }

  async #followHost(signal: AbortSignal) {
    while (!signal.aborted) {
      try {
        for await (const event of followHost(this.client, { signal })) this.#hostEvent(event)
      } catch (error) {
        if (this.noticed(error)) return
        this.#linked({ host: false })
        await sleep(RETRY_AFTER)
      }
    }
  }

  #hostEvent(event: HostEvent) {
    switch (event.type) {
      case "connection":
        this.#linked({ host: event.state === "open" })
        if (event.state === "open") void this.#readBasics()
        break
      case "reset":
        void this.#readSessions()
        break
      case "session":
        this.#listSession(event.id, event.session)
        break
    }
  }

  #listSession(id: string, session: SessionSummary | null) {
    this.#toldMeanwhile?.set(id, session)
    const others = this.#state.sessions.filter((other) => other.id !== id)
    const listed =
      session &&
      (session.archived_at !== null) === this.#state.archived &&
      session.metadata.ephemeral !== true
    this.#soon({ sessions: listed ? merged([session], others) : others })
  }

  async #readBasics() {
    try {
      const [info, models] = await Promise.all([this.client.info(), this.client.models()])
      this.#now({ info, models })
      await Promise.all([this.#readSessions(), this.readCommands()])
      this.#now({ routes: await this.client.routes() })
    } catch (error) {
      if (!this.noticed(error)) this.#linked({ host: false })
    }
  }

  async #readSessions() {
    const { archived } = this.#state
    const told = new Map<string, SessionSummary | null>()
    this.#toldMeanwhile = told
    try {
      const page = await this.client.sessions.list({
        limit: PAGE,
        ...(archived ? { archived } : {}),
      })
      if (archived !== this.#state.archived) return
      const listed = page.sessions.filter((session) => (session.archived_at !== null) === archived)
      // What was read beyond the first page stays.
      const last = page.sessions.at(-1)
      const beyond = page.next
        ? this.#state.sessions.filter((session) => last && session.updated_at < last.updated_at)
        : []
      const moreSessions = beyond.length > 0 ? this.#state.moreSessions : page.next
      this.#now({ sessions: merged(listed, beyond), moreSessions, sessionsRead: true })
      if (this.#toldMeanwhile === told) this.#toldMeanwhile = undefined
      for (const [id, session] of told) this.#listSession(id, session)
    } catch (error) {
      this.noticed(error)
    }
  }

  #linked(linked: Partial<AppState["linked"]>) {
    this.#now({ linked: { ...this.#state.linked, ...linked } })
  }

  #now(change: Partial<AppState>) {
    this.#state = { ...this.#state, ...change }
    this.#tell()
  }

  /** For what comes many times a second. A hidden page draws no frames, and needs none. */
  #soon(change: Partial<AppState>) {
    this.#state = { ...this.#state, ...change }
    this.#frame ??= requestAnimationFrame(() => this.#tell())
  }

  #tell() {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#frame = undefined
    for (const listener of this.#listeners) listener()
  }
}

const EMPTY: AppState = {
  gate: "open",
  info: undefined,
  models: undefined,
  commands: [],
  vocabulary: BARE_VOCABULARY,
  routes: new Set(),
  sessions: [],
  sessionsRead: false,
  moreSessions: null,
  archived: false,
  current: undefined,
  view: undefined,
  readingOlder: false,
  model: undefined,
  editing: undefined,
  sends: 0,
  linked: { host: true, session: true },
}

function merged(
  first: readonly SessionSummary[],
  second: readonly SessionSummary[],
): readonly SessionSummary[] {
  const known = new Set(first.map((session) => session.id))
  return [...first, ...second.filter((session) => !known.has(session.id))].sort(
    (a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1),
  )
}
