import { ApiError, type SendAnswer } from "compositor-client/client"
import { openMessage } from "compositor-core/compose/editable"
import { ownParts } from "compositor-core/compose/keep-parts"
import { newId } from "compositor-core/message/id"
import type { ModelChoice } from "compositor-core/message/message"
import type { StoredMessage } from "compositor-core/message/row"
import { Attaching } from "../composer/attach.ts"
import { type DraftKeeper } from "../composer/draft-desk.ts"
import { bodyOf, type OutgoingSend, partsIn } from "../composer/draft.ts"
import type { Drafts } from "../composer/drafts.ts"
import { firstWords } from "./format.ts"
import { editKey } from "../thread/message-parts.ts"
import type { OpenedSidecar } from "../panels/panels.ts"
import { QueueActions } from "../queue/queue-actions.ts"
import { beginSidecar, questionBeside } from "../panels/sidecar-actions.ts"
import type { PageStore } from "./store.ts"
import { strings } from "./strings.ts"
import { goTo } from "./token.ts"
import { type Say, Trying } from "./safe-actions.ts"

/** The key under which the draft of a session that has not begun lies on the desk. */
export const NEW = "new"

const REWIND = "post /v1/sessions/{id}/rewind"
export const UNREWIND = "post /v1/sessions/{id}/unrewind"

/** A command that lacks something, and what it lacks: a form asks for it. */
export interface Lack {
  readonly draft: string
  readonly message: string
  readonly arguments: readonly string[]
}

/** What a person can do here. Each says what went wrong, and none throws. */
export class Actions extends Trying {
  readonly desk: DraftKeeper
  readonly queue: QueueActions
  readonly attach: Attaching
  #ask: (lack: Lack) => void = () => undefined
  #openBeside: (opened: OpenedSidecar) => void = () => undefined
  readonly #drafts: Drafts
  /** Sends go out one after the other, or a slow first one would come second. */
  #sending: Promise<unknown> = Promise.resolve()

  constructor(store: PageStore, desk: DraftKeeper, drafts: Drafts, say: Say) {
    super(store, say)
    this.desk = desk
    this.#drafts = drafts
    this.queue = new QueueActions(store, desk, say)
    this.attach = new Attaching(store, desk, say, () => this.draftKey)
  }

  /** Who shows the form that asks for what a command lacks. */
  whenAsking(ask: (lack: Lack) => void) {
    this.#ask = ask
  }

  /** Who shows a sidecar that was begun by `/side`. */
  whenBeside(open: (opened: OpenedSidecar) => void) {
    this.#openBeside = open
  }

  /** The draft in the composer: of the message being edited, the open session, or a new one. */
  get draftKey(): string {
    return draftKeyOf(this.store.read())
  }

  submit(mode: "immediate" | "steer" = "immediate") {
    const { editing } = this.store.read()
    const key = this.draftKey
    const attachments = this.desk.attachments(key)
    if (attachments.some((attachment) => attachment.state === "uploading"))
      return this.say(strings.composer.waitUpload)
    if (attachments.some((attachment) => attachment.state === "failed"))
      return this.say(strings.composer.failedUpload)
    const beside = this.#questionBeside(key)
    if (beside !== undefined) return this.#askBeside(key, beside)
    if (editing) return void this.queue.saveEdit(editing)
    void this.#send(key, mode)
  }

  /** A command of this page, unless the folder has one of that name. */
  #questionBeside(key: string): string | undefined {
    if (this.store.read().vocabulary.commands.has("side")) return undefined
    return questionBeside(this.desk.text(key))
  }

  /** `/side question`: a sidecar opens, and the question is asked there and nowhere else. */
  #askBeside(key: string, text: string) {
    const { current, editing } = this.store.read()
    if (editing) return this.say(strings.composer.sideWaits)
    if (!current) return this.say(strings.composer.sideOfNothing)
    const message = this.desk.take(key, { isBeside: true })
    if (!message) return
    const question = { ...message, text }
    const isAsked = text !== "" || message.attachments.length > 0
    const id = this.#begunBeside(current, isAsked ? question : undefined).catch((error) => {
      this.desk.giveBack(key, message.id)
      this.report(error, strings.composer.restored)
      return undefined
    })
    void id.then((begun) => begun && this.desk.sent(key, message.id))
    this.#openBeside({ key: message.id, id, ...(isAsked ? { question } : {}) })
  }

  /** A sidecar with its first question in it. */
  async #begunBeside(parent: string, question: OutgoingSend | undefined): Promise<string> {
    const { client } = this.store
    const session = await beginSidecar(client, parent)
    if (!question) return session
    const { id, text, attachments } = question
    const typed = text === "" ? {} : { source: text }
    await client.send(session, { id, ...typed, parts: partsIn(attachments), mode: "immediate" })
    return session
  }

  async #send(key: string, mode: "immediate" | "steer") {
    const message = this.desk.take(key)
    if (!message) return
    const sent = this.#sending.then(() => this.#deliver(key, message, mode))
    this.#sending = sent.catch(() => {})
    await sent
  }

  async #deliver(draft: string, message: OutgoingSend, mode: "immediate" | "steer") {
    let key = draft
    try {
      if (key === NEW) key = await this.#begin(message)
      const { id, nodes, attachments } = message
      const body = { id, ...bodyOf(message, partsIn(attachments), nodes), mode }
      const answer = await this.store.client.send(key, body)
      this.desk.sent(key, id)
      this.store.sent()
      this.#tell(answer)
    } catch (error) {
      // The answer was lost, and the stream has shown that the message arrived.
      if (this.store.has(message.id)) return this.desk.sent(key, message.id)
      this.desk.giveBack(key, message.id)
      if (!this.#asks(key, error)) this.report(error, strings.composer.restored)
    }
  }

  /** A command that lacks arguments is asked about, not complained of. */
  #asks(draft: string, error: unknown): boolean {
    if (!(error instanceof ApiError) || error.code !== "missing_arguments") return false
    const names = error.details.flatMap(({ path }) => /\/args\/(.+)$/.exec(path)?.[1] ?? [])
    this.#ask({ draft, message: error.message, arguments: names })
    return true
  }

  /** What a command had to show, and what was noticed on the way in. */
  #tell({ shown, warnings }: SendAnswer) {
    for (const { text } of shown) if (text !== "") this.say(text)
    for (const { message } of warnings) this.say(message)
  }

  /** A session begins with its first message, and is named after it. */
  async #begin(message: OutgoingSend): Promise<string> {
    // Two messages sent in one breath begin one session.
    const { current, model } = this.store.read()
    if (current) {
      this.desk.move(NEW, current)
      return current
    }
    const title = firstWords(message.text) || message.attachments[0]?.name
    const { session } = await this.store.client.sessions.create({
      id: newId("ses"),
      ...(title ? { title } : {}),
      ...(model ? { model } : {}),
    })
    this.desk.move(NEW, session.id)
    goTo(session.id)
    return session.id
  }

  /** Send a message's parts once more, as a new message. In a branch the message itself may be the
   *  parent's: it goes into the open session. */
  async sendAgain(message: StoredMessage) {
    await this.try(async () => {
      const { current = message.session_id } = this.store.read()
      const parts = ownParts(message.parts)
      await this.store.client.send(current, { id: newId("msg"), parts, mode: "immediate" })
      this.store.sent()
    })
  }

  /** Go back to before a message, and have it in the composer again. */
  async rewind(message: StoredMessage) {
    const { current } = this.store.read()
    if (!current) return
    await this.try(async () => {
      await this.#goBack(current, message)
      if (!this.desk.isBlank(current)) this.desk.putAside(current)
      this.desk.open(current, openMessage(message))
      const restore = { label: strings.message.unrewind, run: () => void this.unrewind() }
      this.say(strings.message.rewound, this.store.can(UNREWIND) ? restore : undefined)
    })
  }

  async #goBack(session: string, message: StoredMessage) {
    const { client } = this.store
    if (this.store.can(REWIND))
      return void (await client.sessions.rewind(session, { before_message_id: message.id }))
    const { view } = this.store.read()
    const from = view?.messages.findIndex(({ id }) => id === message.id) ?? 0
    const said = view?.messages
      .slice(from)
      .filter(({ role, metadata }) => role === "user" && !metadata.action)
    const raw = String(said?.length ?? 1)
    await client.send(session, { parts: [{ type: "command", id: "/rewind", args: { raw } }] })
  }

  async unrewind() {
    const { current } = this.store.read()
    if (current) await this.try(() => this.store.client.sessions.unrewind(current))
  }

  async stop(clear = false) {
    const { current } = this.store.read()
    if (current) await this.try(() => this.store.client.abort(current, { clear }))
  }

  async chooseModel(model: ModelChoice) {
    const { current } = this.store.read()
    if (!current) return this.store.chooseModel(model)
    await this.try(() => this.store.client.sessions.update(current, { model }))
  }

  /** A session of its own from here on. */
  async branch(from_message_id: string) {
    const { current } = this.store.read()
    if (!current) return
    await this.try(async () => {
      const { session } = await this.store.client.sessions.branch(current, { from_message_id })
      goTo(session.id)
    })
  }

  stash() {
    const key = this.draftKey
    if (this.desk.isBlank(key)) return
    this.desk.putAside(key)
    this.say(strings.stash.done)
  }

  async rename(session: string, title: string) {
    await this.try(() => this.store.client.sessions.update(session, { title }))
  }

  async archive(session: string, archived: boolean) {
    await this.try(async () => {
      await this.store.client.sessions.update(session, { archived })
      if (archived !== this.store.read().archived) this.store.forget(session)
      if (!archived) return
      if (this.store.read().current === session) goTo(undefined)
      const undo = () => void this.archive(session, false)
      this.say(strings.sessions.archived, { label: strings.sessions.undo, run: undo })
    })
  }

  async remove(session: string) {
    await this.try(async () => {
      await this.store.client.sessions.remove(session)
      this.store.forget(session)
      this.#drafts.forget(session)
      this.desk.forget(session)
      if (this.store.read().current === session) goTo(undefined)
    })
  }
}

export function draftKeyOf(state: { editing: string | undefined; current: string | undefined }) {
  return state.editing ? editKey(state.editing) : (state.current ?? NEW)
}
