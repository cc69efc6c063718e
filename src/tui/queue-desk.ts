import { matchesKey } from "@earendil-works/pi-tui"
import type { AnyPart } from "../client/client.ts"
import { keepEditing } from "../client/keep-editing.ts"
import type { StoredMessage } from "../message/row.ts"
import { wordsOf } from "./bars.ts"
import type { Desk } from "./desk.ts"
import type { Composed } from "./draft-desk.ts"

/** Where a draft is composed: a message that is edited takes its place for a while. */
export interface ComposerPlace {
  readonly read: () => Composed
  readonly write: (composed: Composed) => void
}

/** Choosing among what waits, and changing it: what is being edited does not fire. */
export class QueueDesk {
  readonly #desk: Desk
  readonly #composer: ComposerPlace
  #selected: number | null = null
  /** The message that is edited, and the draft that waits meanwhile. */
  #editing: { readonly message: StoredMessage; readonly draft: Composed } | undefined

  constructor(desk: Desk, composer: ComposerPlace) {
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
    this.#editing = { message, draft: this.#composer.read() }
    const renew = () =>
      this.#desk.client.queue.update(message.session_id, message.id, { state: "editing" })
    keepEditing(renew, () => this.#editing?.message.id === message.id)
    this.#composer.write({ source: wordsOf(message), attachments: besideText(message) })
  }

  async cancel(message: StoredMessage) {
    await this.#desk.client.queue.cancel(message.session_id, message.id)
  }

  async pause({ session_id, id, state }: StoredMessage) {
    const next = state === "paused" ? "queued" : "paused"
    await this.#desk.client.queue.update(session_id, id, { state: next })
  }

  /** Keep what was composed as the message that is being edited; false when none is. */
  async save(source: string, parts: readonly AnyPart[]): Promise<boolean> {
    if (!this.#editing) return false
    const { session_id, id } = this.#editing.message
    await this.#desk.client.queue.update(session_id, id, {
      source,
      ...(parts.length > 0 ? { parts } : {}),
      state: "queued",
    })
    this.#resume()
    return true
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
    const draft = this.#editing?.draft
    this.#editing = undefined
    if (draft) this.#composer.write(draft)
  }

  get #queue(): readonly StoredMessage[] {
    return this.#desk.view?.queue ?? []
  }
}

type Act = (desk: QueueDesk, message: StoredMessage, at: number) => unknown

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

const BESIDE = ["file-attachment", "quote"]

/** What is attached, which the typed text does not say. */
function besideText({ parts }: StoredMessage): AnyPart[] {
  return parts.filter(({ type }) => BESIDE.includes(type)).map(({ data }) => data as AnyPart)
}
