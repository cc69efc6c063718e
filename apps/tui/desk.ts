import {
  ApiError,
  type AnyPart,
  type Client,
  type SendAnswer,
  type SendBody,
} from "compositor-client/client"
import { type FollowEvent, follow } from "compositor-client/events"
import { applyEvent, type SessionView, viewOfPage } from "compositor-client/view"
import { newId } from "compositor-core/message/id"
import type { SessionStatus } from "compositor-core/message/row"
import { bodyOf, type ComposedDraft } from "./draft-desk.ts"
import type { Note } from "./log-view.ts"

const PAGE = 50
const LATE_MS = 400

interface SessionScreenOptions {
  readonly client: Client
  readonly workspace: string
  readonly model?: string | undefined
  readonly changed: () => void
  /** Another session is on the screen. */
  readonly opened: (id: string) => Promise<void>
  /** The draft of the session on the screen was changed, here or elsewhere. */
  readonly draftChanged: (told: Readonly<Record<string, unknown>>) => void
}

interface OutgoingDraft {
  readonly composed: ComposedDraft
  /** What `@selection` and the like stand for. */
  readonly contexts?: NonNullable<SendBody["contexts"]>
  readonly mode: "immediate" | "steer"
}

/** The session that is on the screen: what is known of it, and what can be done with it. */
export class SessionScreen {
  readonly #options: SessionScreenOptions
  #view: SessionView | undefined
  #notes: readonly Note[] = []
  #connection = "connecting"
  #leave = new AbortController()
  #sending: Promise<unknown> = Promise.resolve()
  #outgoing: readonly { readonly source: string; readonly at: number }[] = []
  /** Where `/back` leads. */
  #main: string | undefined
  /** A session that was begun here, and in which nothing was said yet. */
  #unused: string | undefined

  constructor(options: SessionScreenOptions) {
    this.#options = options
  }

  get client(): Client {
    return this.#options.client
  }

  get view(): SessionView | undefined {
    return this.#view
  }

  get notes(): readonly Note[] {
    const fault = faultOf(this.#view)
    return fault === undefined ? this.#notes : [{ kind: "error", text: fault }, ...this.#notes]
  }

  get connection(): string {
    return this.#connection
  }

  /** What is on its way for so long that a person should know. */
  get unsent(): readonly string[] {
    const before = performance.now() - LATE_MS
    return this.#outgoing.filter(({ at }) => at <= before).map(({ source }) => source)
  }

  get isSidecar(): boolean {
    return this.#view?.session.metadata.ephemeral === true
  }

  say(kind: Note["kind"], text: string) {
    this.#notes = [...this.#notes.slice(-19), { kind, text }]
    this.#options.changed()
  }

  /** Close the x-ray; false when none is open. */
  closeXray(): boolean {
    const left = this.#notes.filter(({ kind }) => kind !== "xray")
    if (left.length === this.#notes.length) return false
    this.#notes = left
    this.#options.changed()
    return true
  }

  async begin() {
    const { client, workspace, model } = this.#options
    const { session } = await client.sessions.create({
      workspace_root: workspace,
      ...(model === undefined ? {} : { model }),
    })
    await this.open(session.id)
    this.#unused = session.id
  }

  /** Show a session and follow it until another is shown. */
  async open(id: string) {
    this.#leave.abort()
    const leave = new AbortController()
    this.#leave = leave
    this.#notes = []
    await this.#read(id, leave.signal)
    await this.#options.opened(id)
    await this.#tidy().catch(() => undefined)
    void this.#follow(id, leave.signal).catch((error: unknown) => {
      if (!leave.signal.aborted) this.#broken(error)
    })
  }

  async close() {
    this.#leave.abort()
    await this.#tidy().catch(() => undefined)
  }

  async send({ composed, contexts = [], mode }: OutgoingDraft): Promise<SendAnswer> {
    const { client, changed } = this.#options
    const session = this.#id()
    this.#unused = undefined
    // What was sent first arrives first.
    const sending = this.#sending.then(() =>
      client.send(session, {
        id: newId("msg"),
        ...bodyOf(composed),
        ...(contexts.length === 0 ? {} : { contexts }),
        mode,
      }),
    )
    this.#sending = sending.catch(() => undefined)
    const answer = await this.#told(composed.source, sending)
    this.#notes = []
    for (const { text } of answer.shown) if (text !== "") this.say("shown", text)
    for (const { message } of answer.warnings) this.say("notice", message)
    changed()
    return answer
  }

  async abort() {
    await this.client.abort(this.#id())
  }

  /** A sidecar from the last thing that is settled here, with its first question if there is one. */
  async side(question: string) {
    const main = this.#id()
    const metadata = { ephemeral: true, sidecar: true }
    const { session } = await this.client.sessions.branch(main, { title: "Sidecar", metadata })
    await this.open(session.id)
    this.#main = main
    if (question === "") return
    await this.send({ composed: { source: question, attachments: [] }, mode: "immediate" })
  }

  async back(): Promise<boolean> {
    const main = this.#main ?? this.#view?.session.parent_id ?? undefined
    if (!this.isSidecar || main === undefined) return false
    this.#main = undefined
    await this.open(main)
    return true
  }

  /** What the sidecar said last, as a quote for the main session (BEY-09). */
  quote(): AnyPart | undefined {
    const answer = this.#view?.messages.findLast(({ role }) => role === "assistant")
    const text = answer?.parts
      .map(({ data }) => (typeof data.text === "string" ? data.text : ""))
      .join("")
    if (!answer || !text) return undefined
    return { type: "quote", session_id: answer.session_id, message_id: answer.id, text }
  }

  async branch(title: string) {
    const body = title === "" ? {} : { title }
    const { session } = await this.client.sessions.branch(this.#id(), body)
    await this.open(session.id)
    this.say("notice", `This is a branch: ${session.title ?? session.id}`)
  }

  async useModel(model: string) {
    await this.client.sessions.update(this.#id(), { model })
  }

  async #told<Value>(source: string, sending: Promise<Value>): Promise<Value> {
    const one = { source, at: performance.now() }
    this.#outgoing = [...this.#outgoing, one]
    const late = setTimeout(() => this.#options.changed(), LATE_MS + 1).unref()
    try {
      return await sending
    } finally {
      clearTimeout(late)
      this.#outgoing = this.#outgoing.filter((other) => other !== one)
      this.#options.changed()
    }
  }

  /** A session that was begun and never used is not kept: whoever opens and leaves us every day would
   *  find nothing else in the list. What was drafted or said in it, by whomever, keeps it. */
  async #tidy() {
    const id = this.#unused
    this.#unused = undefined
    if (id === undefined) return
    const [{ messages }, { queue }, { draft }] = await Promise.all([
      this.client.messages(id, { limit: 1 }),
      this.client.queue.list(id),
      this.client.draft.get(id),
    ])
    const isEmpty = !draft || (draft.source === "" && (draft.attachments ?? []).length === 0)
    if (messages.length === 0 && queue.length === 0 && isEmpty)
      await this.client.sessions.remove(id)
  }

  #id(): string {
    if (!this.#view) throw new Error("there is no session yet: wait until it is connected")
    return this.#view.session.id
  }

  async #read(id: string, signal: AbortSignal) {
    const { client } = this.#options
    const page = await client.messages(id, { limit: PAGE })
    // After the page: what fired in between comes by the stream.
    const [queue, answer] = await Promise.all([client.queue.list(id), client.sessions.get(id)])
    const turns = await this.#waiting(id, answer.status)
    if (signal.aborted) return
    this.#show({ ...viewOfPage(page, queue, answer), turns })
  }

  /** A turn that waited before the session was opened: the stream tells of it no more. */
  async #waiting(id: string, { state, turn_id }: SessionStatus): Promise<SessionView["turns"]> {
    if (turn_id === undefined || !state.startsWith("waiting_on_")) return {}
    const { turn } = await this.client.turn(id, turn_id)
    return { [turn.id]: turn }
  }

  async #follow(id: string, signal: AbortSignal) {
    while (!signal.aborted) {
      const after = this.#view?.next ?? 0
      for await (const event of follow(this.client, id, { after, signal })) {
        if (signal.aborted) return
        if (event.type === "connection") this.#connection = event.state
        if (event.type === "row" && event.row.type === "draft" && event.row.value)
          this.#options.draftChanged(event.row.value)
        if (this.#view && this.#hear(applyEvent(this.#view, event))) break
        if (isEnd(event) && (await this.#settled(id))) break
      }
      if (!signal.aborted) await this.#read(id, signal)
    }
  }

  /** True when the page must be read again. */
  #hear(next: SessionView): boolean {
    const before = this.#view
    this.#show(next)
    return next.stale || before?.session.path_revision !== next.session.path_revision
  }

  /** A turn changes its session's figures without an event that says so. True when the page must be read
   *  again: what is asked for may be newer than what was heard. */
  async #settled(id: string): Promise<boolean> {
    const { session } = await this.client.sessions.get(id)
    const view = this.#view
    if (view?.session.id !== id) return false
    this.#show({ ...view, session })
    return session.path_revision !== view.session.path_revision
  }

  #show(view: SessionView) {
    this.#view = view
    this.#options.changed()
  }

  #broken(error: unknown) {
    this.#connection = "lost"
    this.say("error", errorSentence(error))
  }
}

/** Why the last turn failed, where no answer says it. */
function faultOf(view: SessionView | undefined): string | undefined {
  if (view?.status.state !== "error") return undefined
  const { error } = (view.messages.at(-1)?.metadata ?? {}) as { error?: unknown }
  return error === undefined ? view.status.message : undefined
}

function isEnd(event: FollowEvent): boolean {
  return event.type === "row" && event.row.type === "turn" && Boolean(event.row.value?.ended_at)
}

export function errorSentence(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const details = error.details.map(({ path, message }) => `${path}: ${message}`)
  return [error.message, ...details.filter((words) => !error.message.includes(words))].join("\n")
}
