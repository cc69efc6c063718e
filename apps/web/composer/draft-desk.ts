import type { AnyPart, DraftBody } from "compositor-client/client"
import type { EditableMessage } from "compositor-core/compose/editable"
import { literalsIn } from "compositor-core/compose/typed"
import { freshMark, readMarks, writeMarks } from "compositor-core/compose/marks"
import type { KnownNode } from "compositor-core/compose/node"
import { newId } from "compositor-core/message/id"
import {
  type ComposerAttachment,
  attachmentOfPart,
  MAX_WAITING_BYTES,
  settleAttachment,
} from "./attachments.ts"
import {
  bodyOf,
  type ComposerDraft,
  draftBodyOf,
  markOf,
  type OutgoingSend,
  partsIn,
  type Stashed,
  type Writing,
  type WrittenDraft,
} from "./draft.ts"
import { DraftStorage } from "./draft-storage.ts"

const SAVE_AFTER = 300
const MAX_STASHED = 20

/** What lies on the composer, per session: kept through reloads, and given back when a send fails.
 *  Typing costs nothing here: the text is read when it is needed. */
export class DraftKeeper {
  readonly #drawer: DraftStorage
  readonly #drafts = new Map<string, ComposerDraft>()
  readonly #listeners = new Set<() => void>()
  readonly #unsaved = new Set<string>()
  /** What was on its way when the page was left: only the server knows whether it arrived. */
  readonly #adrift = new Map<string, readonly OutgoingSend[]>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(storage: Storage) {
    this.#drawer = new DraftStorage(storage)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  text(key: string): string {
    const draft = this.#draft(key)
    if (draft.editor) draft.text = draft.editor.text()
    return draft.text
  }

  nodes(key: string): readonly KnownNode[] | undefined {
    return this.#draft(key).editor?.nodes()
  }

  /** The text, with what its marks stand for. */
  written(key: string): WrittenDraft {
    const { marks, literals } = this.#draft(key)
    return { text: this.text(key), marks, literals }
  }

  /** What the server is told of the draft. */
  body(key: string) {
    return bodyOf(this.written(key), partsIn(this.attachments(key)), this.nodes(key))
  }

  /** The marks of parts that are in the text no more. */
  removed(key: string): readonly string[] {
    const { marks } = this.#draft(key)
    return Object.keys(marks).length === 0 ? NOTHING : readMarks(this.text(key), marks).lost
  }

  attachments(key: string): readonly ComposerAttachment[] {
    return this.#draft(key).attachments
  }

  revision(key: string): number {
    return this.#draft(key).revision
  }

  amends(key: string): number {
    return this.#draft(key).amends
  }

  stash(key: string): readonly Stashed[] {
    return this.#draft(key).stash
  }

  /** What was sent and is not known to have arrived. */
  outgoing(key: string): readonly OutgoingSend[] {
    return this.#draft(key).outgoing
  }

  /** Nothing typed and nothing attached. */
  isEmpty(key: string): boolean {
    const { empty, attachments } = this.#draft(key)
    return empty && attachments.length === 0
  }

  /** Nothing that could be sent. */
  isBlank(key: string): boolean {
    return this.text(key).trim() === "" && partsIn(this.attachments(key)).length === 0
  }

  /** The editor's text changed. */
  edited(key: string, editor: Writing, empty: boolean) {
    const draft = this.#draft(key)
    draft.editor = editor
    draft.empty = empty
    if (draft.literals.length > 0) draft.literals = literalsIn(editor.text(), draft.literals)
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

  /** Put a message here to be edited. */
  open(key: string, { source, literals, inserts, rest }: EditableMessage) {
    const { text, marks } = writeMarks(source, inserts)
    const draft = this.#draft(key)
    draft.marks = marks
    draft.literals = literals
    draft.attachments = rest.map(attachmentOfPart)
    this.write(key, text)
  }

  /** A text that goes along becomes what is typed, behind what went before it. */
  typeOut(key: string, attachment: string) {
    const draft = this.#draft(key)
    const at = draft.attachments.findIndex((known) => known.key === attachment)
    const typed = draft.attachments[at]?.part?.text
    if (typeof typed !== "string") return
    const marks = { ...draft.marks }
    let text = this.text(key)
    for (const part of partsIn(draft.attachments.slice(0, at))) {
      const mark = freshMark(part, text, marks)
      marks[mark] = part
      text += mark
    }
    draft.marks = marks
    draft.attachments = draft.attachments.slice(at + 1)
    this.write(key, [text, typed.replace(/\r\n?/g, "\n")].filter(Boolean).join("\n\n"))
  }

  setAttachments(key: string, attachments: readonly ComposerAttachment[]) {
    this.#draft(key).attachments = attachments
    this.#changed(key)
  }

  changeAttachment(key: string, attachment: string, change: Partial<ComposerAttachment>) {
    const changed = this.attachments(key).map((known) =>
      known.key === attachment ? settleAttachment({ ...known, ...change }) : known,
    )
    this.setAttachments(key, changed)
  }

  /** Whether so many more bytes may wait to be uploaded. */
  hasRoom(bytes: number): boolean {
    const waiting = [...this.#drafts.values()]
      .flatMap(({ attachments, outgoing }) => [{ attachments }, ...outgoing])
      .flatMap(({ attachments }) => attachments)
      .reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
    return waiting + bytes <= MAX_WAITING_BYTES
  }

  detach(key: string, attachment: string) {
    const kept = this.attachments(key).filter((known) => known.key !== attachment)
    this.setAttachments(key, kept)
  }

  /** Take the draft off the desk to send it. It stays in the drawer until `sent` or `giveBack`. */
  take(key: string, where: Pick<OutgoingSend, "isBeside"> = {}): OutgoingSend | undefined {
    if (this.isBlank(key)) return undefined
    const draft = this.#draft(key)
    const { text, marks, literals, attachments } = draft
    const nodes = this.nodes(key)
    const again = draft.returned?.mark === markOf(draft) ? draft.returned.id : undefined
    const id = again ?? newId("msg")
    const said = { text, marks, literals, attachments }
    const outgoing = { id, ...said, ...(nodes ? { nodes } : {}), ...where }
    draft.outgoing = [...draft.outgoing, outgoing]
    this.#clear(draft)
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
    addMarks(draft, message)
    if (since === "") draft.returned = { id, mark: markOf(message) }
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
    if (!returned || !has(returned.id)) return
    this.text(key)
    if (returned.mark !== markOf(draft)) return
    this.#clear(draft)
    delete draft.returned
    this.write(key, "")
  }

  /** The draft belongs to another session now. */
  move(from: string, to: string) {
    this.release(from)
    const draft = this.#draft(from)
    const { text, attachments, outgoing } = draft
    const there = this.#draft(to)
    addMarks(there, draft)
    there.attachments = [...attachments, ...there.attachments]
    there.outgoing = [...there.outgoing, ...outgoing]
    if (text !== "") this.write(to, [text, this.text(to)].filter(Boolean).join("\n\n"))
    this.forget(from)
    this.#changed(to)
    this.save()
  }

  /** Put the draft aside. */
  putAside(key: string) {
    const draft = this.#draft(key)
    const attachments = partsIn(draft.attachments)
    const aside = { ...this.written(key), attachments, at: Date.now() }
    draft.stash = [aside, ...draft.stash].slice(0, MAX_STASHED)
    this.#clear(draft)
    this.write(key, "")
  }

  /** What was put aside is the draft again, before what is there. */
  takeUp(key: string, stashed: Stashed) {
    const draft = this.#draft(key)
    draft.stash = draft.stash.filter((other) => other !== stashed)
    draft.attachments = [...stashed.attachments.map(attachmentOfPart), ...draft.attachments]
    addMarks(draft, stashed)
    this.write(key, [stashed.text, this.text(key)].filter((text) => text !== "").join("\n\n"))
  }

  /** What the server is to know: undefined where it knows it already. */
  unsynced(key: string): { base: number; draft: DraftBody } | undefined {
    const { dirty, base } = this.#draft(key)
    return dirty ? { base, draft: this.draftBody(key) } : undefined
  }

  draftBody(key: string): DraftBody {
    return draftBodyOf(this.written(key), partsIn(this.#draft(key).attachments))
  }

  base(key: string): number {
    return this.#draft(key).base
  }

  /** The server has it as its revision `base`; what was typed since is still to come. */
  synced(key: string, base: number, saved: DraftBody) {
    const draft = this.#draft(key)
    draft.base = base
    draft.dirty = JSON.stringify(this.draftBody(key)) !== JSON.stringify(saved)
    this.#unsaved.add(key)
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER)
  }

  /** What is here goes on from a later revision of the server's. */
  rebase(key: string, base: number) {
    this.#draft(key).base = base
    this.#unsaved.add(key)
  }

  /** The server put something into its draft, as its revision `base`. */
  attached(key: string, base: number, part: AnyPart) {
    const draft = this.#draft(key)
    const { dirty } = draft
    this.setAttachments(key, [...draft.attachments, attachmentOfPart(part)])
    draft.base = base
    draft.dirty = dirty
  }

  /** Another surface wrote. What is being uploaded here stays. */
  adopt(
    key: string,
    base: number,
    { source, attachments = [], inserts = [], literals = [] }: DraftBody,
  ) {
    const draft = this.#draft(key)
    draft.base = base
    const pending = draft.attachments.filter(({ part }) => !part)
    const known = new Map(draft.attachments.map((one) => [JSON.stringify(one.part), one]))
    const theirs = attachments.map(
      (part) => known.get(JSON.stringify(part)) ?? attachmentOfPart(part),
    )
    draft.attachments = [...theirs, ...pending]
    const { text, marks } = writeMarks(source, inserts)
    draft.text = text
    draft.marks = marks
    draft.literals = literals
    delete draft.editor
    draft.empty = text === ""
    draft.amends++
    this.#changed(key)
    draft.dirty = false
  }

  forget(key: string) {
    this.#drafts.delete(key)
    this.#unsaved.delete(key)
    this.#drawer.empty(key)
    this.#tell()
  }

  /** Write down what changed, now. */
  save() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const key of this.#unsaved) {
      this.text(key)
      this.#drawer.keep(key, this.#draft(key))
    }
    this.#unsaved.clear()
  }

  #clear(draft: ComposerDraft) {
    draft.attachments = []
    draft.marks = {}
    draft.literals = []
  }

  #changed(key: string) {
    this.#draft(key).dirty = true
    this.#unsaved.add(key)
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER)
    this.#tell()
  }

  #tell() {
    for (const listener of this.#listeners) listener()
  }

  #draft(key: string): ComposerDraft {
    const known = this.#drafts.get(key)
    if (known) return known
    const draft = this.#drawer.find(key)
    this.#drafts.set(key, draft)
    this.#adrift.set(key, draft.outgoing)
    return draft
  }
}

const NOTHING: readonly string[] = []

/** What stands in another text comes along with it. */
function addMarks(draft: ComposerDraft, { marks, literals }: WrittenDraft) {
  draft.marks = { ...draft.marks, ...marks }
  draft.literals = [...new Set([...draft.literals, ...literals])]
}
