import type { AnyPart } from "../client/client.ts"
import { newId } from "../message/id.ts"
import type { Attachment } from "./attachments.ts"
import { partsOfDraft } from "./draft.ts"

/** A message on its way out, kept until the server has it. */
export interface Outgoing {
  readonly id: string
  readonly parts: readonly AnyPart[]
  readonly text: string
  readonly attachments: readonly Attachment[]
}

interface Draft {
  text: string
  empty: boolean
  attachments: readonly Attachment[]
  outgoing: readonly Outgoing[]
  /** The id a message had when it came back; the same message is sent under it again. */
  returned?: { readonly id: string; readonly mark: number }
  /** Reads the text out of the editor, where it is newer. */
  editor?: () => string
  /** Counts the times the text was set by something else than the editor. */
  revision: number
}

const PREFIX = "compositor.draft."
const SAVE_AFTER = 300

/** What lies on the composer, per session: kept through reloads, and given back when a send fails.
 *  Typing costs nothing here: the text is read when it is needed. */
export class Desk {
  readonly #storage: Storage
  readonly #drafts = new Map<string, Draft>()
  readonly #listeners = new Set<() => void>()
  readonly #unsaved = new Set<string>()
  /** What was on its way when the page was left: only the server knows whether it arrived. */
  readonly #adrift = new Map<string, readonly Outgoing[]>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(storage: Storage) {
    this.#storage = storage
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  text(key: string): string {
    const draft = this.#draft(key)
    if (draft.editor) draft.text = draft.editor()
    return draft.text
  }

  attachments(key: string): readonly Attachment[] {
    return this.#draft(key).attachments
  }

  revision(key: string): number {
    return this.#draft(key).revision
  }

  parts(key: string): AnyPart[] {
    return partsOfDraft(this.text(key), partsIn(this.attachments(key)))
  }

  /** Nothing typed and nothing attached. */
  isEmpty(key: string): boolean {
    const { empty, attachments } = this.#draft(key)
    return empty && attachments.length === 0
  }

  /** The editor's text changed. */
  edited(key: string, editor: () => string, empty: boolean) {
    const draft = this.#draft(key)
    draft.editor = editor
    draft.empty = empty
    this.#changed(key)
  }

  /** The editor goes away, or shows another draft. */
  release(key: string) {
    this.text(key)
    delete this.#draft(key).editor
  }

  write(key: string, text: string) {
    const draft = this.#draft(key)
    delete draft.editor
    draft.text = text
    draft.empty = text === ""
    draft.revision++
    this.#changed(key)
  }

  setAttachments(key: string, attachments: readonly Attachment[]) {
    this.#draft(key).attachments = attachments
    this.#changed(key)
  }

  changeAttachment(key: string, attachment: string, change: Partial<Attachment>) {
    const changed = this.attachments(key).map((known) =>
      known.key === attachment ? { ...known, ...change } : known,
    )
    this.setAttachments(key, changed)
  }

  detach(key: string, attachment: string) {
    this.setAttachments(
      key,
      this.attachments(key).filter((known) => known.key !== attachment),
    )
  }

  /** Take the draft off the desk to send it. It stays in the drawer until `sent` or `giveBack`. */
  take(key: string): Outgoing | undefined {
    const parts = this.parts(key)
    if (parts.length === 0) return undefined
    const draft = this.#draft(key)
    const again = draft.returned?.mark === markOf(parts) ? draft.returned.id : undefined
    const { text, attachments } = draft
    const outgoing = { id: again ?? newId("msg"), parts, text, attachments }
    draft.outgoing = [...draft.outgoing, outgoing]
    draft.attachments = []
    delete draft.returned
    this.write(key, "")
    this.save()
    return outgoing
  }

  sent(key: string, id: string) {
    const draft = this.#draft(key)
    draft.outgoing = draft.outgoing.filter((message) => message.id !== id)
    this.#changed(key)
  }

  /** It could not be sent: it is a draft again, before what was written meanwhile. */
  giveBack(key: string, id: string) {
    const draft = this.#draft(key)
    const message = draft.outgoing.find((message) => message.id === id)
    if (!message) return
    const since = this.text(key)
    draft.outgoing = draft.outgoing.filter((other) => other !== message)
    draft.attachments = [...message.attachments, ...draft.attachments]
    if (since === "") draft.returned = { id, mark: markOf(message.parts) }
    this.write(key, since === "" ? message.text : `${message.text}\n\n${since}`)
    this.save()
  }

  /** The session was read: what it has need not be sent again, though we never heard of it. */
  settle(key: string, has: (id: string) => boolean) {
    const draft = this.#draft(key)
    for (const message of this.#adrift.get(key)?.toReversed() ?? []) {
      if (has(message.id)) this.sent(key, message.id)
      else this.giveBack(key, message.id)
    }
    this.#adrift.delete(key)
    const { returned } = draft
    if (!returned || !has(returned.id) || returned.mark !== markOf(this.parts(key))) return
    draft.attachments = []
    delete draft.returned
    this.write(key, "")
  }

  /** The draft belongs to another session now. */
  move(from: string, to: string) {
    this.release(from)
    const { text, attachments, outgoing } = this.#draft(from)
    const there = this.#draft(to)
    there.attachments = [...attachments, ...there.attachments]
    there.outgoing = [...there.outgoing, ...outgoing]
    if (text !== "") this.write(to, [text, this.text(to)].filter(Boolean).join("\n\n"))
    this.forget(from)
    this.#changed(to)
    this.save()
  }

  forget(key: string) {
    this.#drafts.delete(key)
    this.#unsaved.delete(key)
    this.#storage.removeItem(PREFIX + key)
    this.#tell()
  }

  /** Write down what changed, now. */
  save() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const key of this.#unsaved) this.#store(key)
    this.#unsaved.clear()
  }

  #changed(key: string) {
    this.#unsaved.add(key)
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER)
    this.#tell()
  }

  #tell() {
    for (const listener of this.#listeners) listener()
  }

  #draft(key: string): Draft {
    const known = this.#drafts.get(key)
    if (known) return known
    const draft = this.#load(key)
    this.#drafts.set(key, draft)
    this.#adrift.set(key, draft.outgoing)
    return draft
  }

  #load(key: string): Draft {
    const empty: Draft = { text: "", empty: true, attachments: [], outgoing: [], revision: 0 }
    try {
      const kept = JSON.parse(this.#storage.getItem(PREFIX + key) ?? "{}") as Partial<Draft>
      return { ...empty, ...kept, empty: !kept.text }
    } catch {
      return empty
    }
  }

  #store(key: string) {
    const { attachments, outgoing, returned } = this.#draft(key)
    const text = this.text(key)
    const ready = attachments.filter((attachment) => attachment.part)
    const kept = {
      text,
      attachments: ready,
      outgoing,
      ...(returned ? { returned } : {}),
    }
    try {
      if (text === "" && ready.length === 0 && outgoing.length === 0)
        this.#storage.removeItem(PREFIX + key)
      else this.#storage.setItem(PREFIX + key, JSON.stringify(kept, lasting))
    } catch {
      // The browser's drawer is full; the draft lives as long as the page.
    }
  }
}

export function partsIn(attachments: readonly Attachment[]): AnyPart[] {
  return attachments.flatMap(({ part }) => (part ? [part] : []))
}

// A file cannot be written down.
function lasting(_: string, value: unknown): unknown {
  return value instanceof File ? undefined : value
}

/** A number that tells two messages apart (FNV-1a). */
function markOf(parts: readonly AnyPart[]): number {
  let hash = 0x811c9dc5
  for (const char of JSON.stringify(parts))
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash
}
