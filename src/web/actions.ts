import { type AnyPart, ApiError, type SendAnswer } from "../client/client.ts"
import { newId } from "../message/id.ts"
import type { ModelChoice } from "../message/message.ts"
import type { StoredMessage, StoredPart } from "../message/row.ts"
import {
  type Attachment,
  attachmentOfFile,
  attachmentOfPart,
  filesIn,
  thumbnailOf,
  upload,
} from "./attachments.ts"
import { type Desk, type Outgoing, partsIn } from "./desk.ts"
import { draftOfParts } from "./draft.ts"
import { firstWords, showBytes } from "./format.ts"
import type { Store } from "./store.ts"
import { strings } from "./strings.ts"
import { goTo } from "./token.ts"

/** The key under which the draft of a session that has not begun lies on the desk. */
export const NEW = "new"

/** What a person can do here. Each says what went wrong, and none throws. */
export class Actions {
  readonly store: Store
  readonly desk: Desk
  readonly say: (text: string, action?: { label: string; run: () => void }) => void
  /** Sends go out one after the other, or a slow first one would come second. */
  #sending: Promise<unknown> = Promise.resolve()

  constructor(store: Store, desk: Desk, say: Actions["say"]) {
    this.store = store
    this.desk = desk
    this.say = say
  }

  /** The draft in the composer: of the message being edited, the open session, or a new one. */
  get draftKey(): string {
    return draftKeyOf(this.store.read())
  }

  submit() {
    const { editing } = this.store.read()
    const key = this.draftKey
    const attachments = this.desk.attachments(key)
    if (attachments.some((attachment) => attachment.state === "uploading"))
      return this.say(strings.composer.waitUpload)
    if (attachments.some((attachment) => attachment.state === "failed"))
      return this.say(strings.composer.failedUpload)
    if (editing) return void this.saveEdit(editing)
    void this.#send(key)
  }

  async #send(key: string) {
    const message = this.desk.take(key)
    if (!message) return
    const turn = this.#sending
    const sent = turn.then(() => this.#deliver(key, message))
    this.#sending = sent.catch(() => {})
    await sent
  }

  async #deliver(draft: string, message: Outgoing) {
    let key = draft
    try {
      if (key === NEW) key = await this.#begin(message)
      const { id, text: source } = message
      const parts = partsIn(message.attachments)
      const said = { ...(source.trim() === "" ? {} : { source }), parts }
      const answer = await this.store.client.send(key, { id, ...said, mode: "immediate" })
      this.desk.sent(key, id)
      this.store.sent()
      this.#tell(answer)
    } catch (error) {
      // The answer was lost, and the stream has shown that the message arrived.
      if (this.store.has(message.id)) return this.desk.sent(key, message.id)
      this.desk.giveBack(key, message.id)
      this.report(error, strings.composer.restored)
    }
  }

  /** What a command had to show, and what was noticed on the way in. */
  #tell({ shown, warnings }: SendAnswer) {
    for (const { text } of shown) if (text !== "") this.say(text)
    for (const { message } of warnings) this.say(message)
  }

  /** A session begins with its first message, and is named after it. */
  async #begin(message: Outgoing): Promise<string> {
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

  /** Send a message's parts once more, as a new message. */
  async sendAgain(message: StoredMessage) {
    await this.try(() => this.#resend(message))
  }

  // Into the open session: in a branch the message itself may be the parent's.
  async #resend(message: StoredMessage) {
    const { current = message.session_id } = this.store.read()
    const own = message.parts.filter((part) => part.data.derived_from === undefined)
    const parts = own.map(partOf)
    await this.store.client.send(current, { id: newId("msg"), parts, mode: "immediate" })
    this.store.sent()
  }

  async stop() {
    const { current } = this.store.read()
    if (current) await this.try(() => this.store.client.abort(current))
  }

  async chooseModel(model: ModelChoice) {
    const { current } = this.store.read()
    if (!current) return this.store.chooseModel(model)
    await this.try(() => this.store.client.sessions.update(current, { model }))
  }

  attach(transfer: DataTransfer) {
    const { files, folders } = filesIn(transfer)
    for (const folder of folders) this.say(strings.composer.folder(folder))
    this.attachFiles(files)
  }

  attachFiles(files: readonly File[]) {
    const limit = this.store.read().info?.limits.max_upload_bytes ?? Number.POSITIVE_INFINITY
    const key = this.draftKey
    for (const file of files) {
      if (file.size > limit) {
        this.say(strings.composer.tooLarge(file.name, showBytes(limit)))
        continue
      }
      const attachment = attachmentOfFile(file)
      this.desk.setAttachments(key, [...this.desk.attachments(key), attachment])
      void this.#upload(key, attachment)
    }
  }

  retryUpload(attachment: Attachment) {
    const key = this.draftKey
    this.desk.changeAttachment(key, attachment.key, { state: "uploading", progress: 0 })
    void this.#upload(key, attachment)
  }

  async #upload(key: string, { key: id, name, file }: Attachment) {
    if (!file) return
    void thumbnailOf(file).then((thumbnail) => {
      if (thumbnail) this.desk.changeAttachment(key, id, { thumbnail })
    })
    try {
      const { part, mime, size } = await upload(this.store.client, file, {
        name,
        progress: (progress) => this.desk.changeAttachment(key, id, { progress }),
      })
      this.desk.changeAttachment(key, id, { state: "ready", progress: 1, part, mime, size })
    } catch (error) {
      if (this.store.noticed(error)) return
      this.desk.changeAttachment(key, id, { state: "failed", error: messageOf(error) })
    }
  }

  async edit(message: StoredMessage) {
    const key = editKey(message.id)
    const { editing } = this.store.read()
    if (editing && editing !== message.id) await this.putBack(editing)
    await this.try(async () => {
      await this.store.client.queue.update(message.session_id, message.id, { state: "editing" })
      const { text, rest } = draftOfParts(message.parts.map(partOf))
      // An edit that was left half done goes on where it stopped.
      if (this.desk.text(key) === "") {
        this.desk.setAttachments(key, rest.map(attachmentOfPart))
        this.desk.write(key, text)
      }
      this.store.edit(message.id)
    })
  }

  async saveEdit(message: string) {
    const key = editKey(message)
    const parts = this.desk.parts(key)
    const { current } = this.store.read()
    if (!current || parts.length === 0) return
    await this.try(async () => {
      const source = this.desk.text(key)
      const attached = partsIn(this.desk.attachments(key))
      const said = source.trim() === "" ? { parts } : { source, parts: attached }
      await this.store.client.queue.update(current, message, { ...said, state: "queued" })
      this.#endEdit(message)
    })
  }

  async putBack(message: string) {
    const { current } = this.store.read()
    if (!current) return
    this.#endEdit(message)
    await this.try(() => this.store.client.queue.update(current, message, { state: "queued" }))
  }

  #endEdit(message: string) {
    if (this.store.read().editing === message) this.store.edit(undefined)
    this.desk.forget(editKey(message))
  }

  async hold(message: StoredMessage, state: "queued" | "paused") {
    await this.try(() => this.store.client.queue.update(message.session_id, message.id, { state }))
  }

  /** Let the queue go on after an error: releasing its head restarts it. */
  async goOn(head: StoredMessage) {
    await this.hold(head, "queued")
  }

  /** Let a paused message go, or one whose edit was left somewhere else. */
  async release(message: StoredMessage) {
    this.#endEdit(message.id)
    await this.hold(message, "queued")
  }

  async placeAfter(message: StoredMessage, after: string | null) {
    await this.try(() => this.store.client.queue.update(message.session_id, message.id, { after }))
  }

  async cancel(message: StoredMessage) {
    await this.try(() => this.store.client.queue.cancel(message.session_id, message.id))
    this.#endEdit(message.id)
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
      this.desk.forget(session)
      if (this.store.read().current === session) goTo(undefined)
    })
  }

  async try<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      this.report(error)
      return undefined
    }
  }

  report(error: unknown, before = "") {
    if (this.store.noticed(error)) return
    this.say([before, messageOf(error)].filter(Boolean).join(" "))
  }
}

export function draftKeyOf(state: { editing: string | undefined; current: string | undefined }) {
  return state.editing ? editKey(state.editing) : (state.current ?? NEW)
}

function editKey(message: string): string {
  return `edit.${message}`
}

export function partOf(part: StoredPart): AnyPart {
  return { ...part.data, type: part.type }
}

export function textIn(part: StoredPart): string {
  return typeof part.data.text === "string" ? part.data.text : ""
}

/** The server's own words where it has some, as a sentence. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return strings.unknownError
  const details =
    error instanceof ApiError ? error.details.map(({ path, message }) => `${path} ${message}`) : []
  const text = [error.message, ...details].join("; ")
  return /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
