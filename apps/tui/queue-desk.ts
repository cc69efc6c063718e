import { matchesKey } from "@earendil-works/pi-tui"
import { keepEditing } from "compositor-client/keep-editing"
import { openMessage } from "compositor-core/compose/editable"
import type { StoredMessage } from "compositor-core/message/row"
import type { SessionScreen } from "./desk.ts"
import { bodyOf, type ComposedDraft, markOf } from "./draft-desk.ts"

/** Where a draft is composed: a message that is edited takes its place for a while. */
interface ComposerAccess {
  /** Take what is there away; what is given puts it back. */
  readonly hold: () => () => void
  readonly read: () => ComposedDraft
  readonly write: (composed: ComposedDraft) => void
}

interface Editing {
  readonly message: StoredMessage
  /** How the message looked when it was opened. */
  readonly opened: string
  /** Puts the draft back that waits meanwhile. */
  readonly restore: () => void
}

/** Choosing among what waits, and changing it: what is being edited does not fire. */
export class QueueView {
  readonly #desk: SessionScreen
  readonly #composer: ComposerAccess
  #selected: number | null = null
  #editing: Editing | undefined

  constructor(desk: SessionScreen, composer: ComposerAccess) {
    this.#desk = desk
    this.#composer = composer
  }

  get isEditing(): boolean {
    return this.#editing !== undefined
  }

  get selected(): number | null {
    const last = this.#queue.length - 1
    if (this.#selected === null || last < 0) return null
    return Math.min(this.#selected, last)
  }

  get hint(): string | undefined {
    if (this.#editing) return "editing a queued message · Enter keeps it · Esc leaves it as it was"
    return this.selected === null ? undefined : "↑↓ · e edit · x cancel · p pause · Esc back"
  }

  toggle(): boolean {
    if (this.#queue.length === 0) return false
    this.#selected = this.#selected === null ? 0 : null
    return true
  }

  /** Whether the key was for the queue. */
  key(data: string, attempt: (act: () => unknown) => void): boolean {
    const at = this.selected
    const message = at === null ? undefined : this.#queue[at]
    if (at === null || !message) return false
    const [, act] = KEYS.find(([key]) => matchesKey(data, key)) ?? []
    if (act) attempt(() => act(this, message, at))
    return true
  }

  move(to: number) {
    this.#selected = Math.max(0, Math.min(to, this.#queue.length - 1))
  }

  leave() {
    this.#selected = null
  }

  async edit(message: StoredMessage) {
    this.#selected = null
    await this.#desk.client.queue.update(message.session_id, message.id, { state: "editing" })
    const restore = this.#composer.hold()
    const { rest, ...written } = openMessage(message)
    this.#composer.write({ ...written, attachments: rest })
    this.#editing = { message, opened: markOf(this.#composer.read()), restore }
    const renew = () =>
      this.#desk.client.queue.update(message.session_id, message.id, { state: "editing" })
    keepEditing(renew, () => this.#editing?.message.id === message.id)
  }

  async cancel(message: StoredMessage) {
    await this.#desk.client.queue.cancel(message.session_id, message.id)
  }

  async pause({ session_id, id, state }: StoredMessage) {
    const next = state === "paused" ? "queued" : "paused"
    await this.#desk.client.queue.update(session_id, id, { state: next })
  }

  /** Keep what is composed as the message that is being edited. What nobody changed is not sent. */
  async save() {
    if (!this.#editing) return
    const { message, opened } = this.#editing
    const composed = this.#composer.read()
    const said = markOf(composed) === opened ? {} : bodyOf(composed)
    const change = { ...said, state: "queued" as const }
    await this.#desk.client.queue.update(message.session_id, message.id, change)
    this.#resume()
  }

  /** Leave the message as it was; false when none is being edited. */
  async release(): Promise<boolean> {
    if (!this.#editing) return false
    const { session_id, id } = this.#editing.message
    this.#resume()
    await this.#desk.client.queue.update(session_id, id, { state: "queued" })
    return true
  }

  #resume() {
    const restore = this.#editing?.restore
    this.#editing = undefined
    restore?.()
  }

  get #queue(): readonly StoredMessage[] {
    return this.#desk.view?.queue ?? []
  }
}

type Act = (desk: QueueView, message: StoredMessage, at: number) => unknown

const KEYS: readonly (readonly [Parameters<typeof matchesKey>[1], Act])[] = [
  ["up", (desk, _, at) => desk.move(at - 1)],
  ["down", (desk, _, at) => desk.move(at + 1)],
  ["e", (desk, message) => desk.edit(message)],
  ["enter", (desk, message) => desk.edit(message)],
  ["x", (desk, message) => desk.cancel(message)],
  ["p", (desk, message) => desk.pause(message)],
  ["escape", (desk) => desk.leave()],
  ["ctrl+q", (desk) => desk.leave()],
]
