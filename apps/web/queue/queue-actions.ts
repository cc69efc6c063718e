import { keepEditing } from "compositor-client/keep-editing"
import type { StoredMessage } from "compositor-core/message/row"
import { newId } from "compositor-core/message/id"
import { openMessage } from "compositor-core/compose/editable"
import { ownParts } from "compositor-core/compose/keep-parts"
import { writeMarks } from "compositor-core/compose/marks"
import { type DraftKeeper } from "../composer/draft-desk.ts"
import { draftBodyOf } from "../composer/draft.ts"
import { editKey } from "../thread/message-parts.ts"
import type { PageStore } from "../state/store.ts"
import { type Say, Trying } from "../state/safe-actions.ts"

/** What can be done with messages that wait. Each is told to the server, which decides. */
export class QueueActions extends Trying {
  readonly #desk: DraftKeeper

  constructor(store: PageStore, desk: DraftKeeper, say: Say) {
    super(store, say)
    this.#desk = desk
  }

  /** It is held for as long as it is edited. */
  async edit(message: StoredMessage) {
    const key = editKey(message.id)
    const { editing } = this.store.read()
    if (editing && editing !== message.id) await this.putBack(editing)
    await this.try(async () => {
      await this.store.client.queue.update(message.session_id, message.id, { state: "editing" })
      // An edit that was left half done goes on where it stopped.
      if (this.#desk.isEmpty(key)) this.#desk.open(key, openMessage(message))
      this.store.edit(message.id)
      const renew = () =>
        this.store.client.queue.update(message.session_id, message.id, { state: "editing" })
      keepEditing(renew, () => this.store.read().editing === message.id)
    })
  }

  async saveEdit(message: string) {
    const key = editKey(message)
    const { current } = this.store.read()
    if (!current || this.#desk.isBlank(key)) return
    await this.try(async () => {
      const said = this.#isUnchanged(message) ? {} : this.#desk.body(key)
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

  async hold(message: StoredMessage, state: "queued" | "paused") {
    await this.try(() => this.store.client.queue.update(message.session_id, message.id, { state }))
  }

  /** Let a paused message go, or one whose edit was left somewhere else; the head of a queue that
   *  stopped restarts it. */
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

  /** Say it to the running turn, at its next step, instead of after it. */
  async steer(message: StoredMessage) {
    await this.try(async () => {
      const { client } = this.store
      await client.queue.cancel(message.session_id, message.id)
      const parts = ownParts(message.parts)
      await client.send(message.session_id, { id: newId("msg"), parts, mode: "steer" })
    })
  }

  /** Whether the draft says what the message says. */
  #isUnchanged(message: string): boolean {
    const stored = this.store.read().view?.queue.find(({ id }) => id === message)
    if (!stored) return false
    const { source, literals, inserts, rest } = openMessage(stored)
    const opened = draftBodyOf({ ...writeMarks(source, inserts), literals }, rest)
    return JSON.stringify(this.#desk.draftBody(editKey(message))) === JSON.stringify(opened)
  }

  #endEdit(message: string) {
    if (this.store.read().editing === message) this.store.edit(undefined)
    this.#desk.forget(editKey(message))
  }
}
