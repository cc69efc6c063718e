import { matchesKey } from "@earendil-works/pi-tui"
import type { QueueView } from "./queue-desk.ts"
import type { Screen } from "./screen.ts"

interface EditKeysOptions {
  readonly screen: Screen
  readonly queue: () => QueueView | undefined
  readonly say: (text: string) => void
  /** Leave out what an editor beside has selected; false where nothing is. */
  readonly dismiss: () => boolean
}

/** Enter and backspace where parts of a message are at stake: none is left out by one press. */
export class EditKeys {
  readonly #options: EditKeysOptions
  /** What a second press of the same key leaves out. */
  #asked: string | undefined

  constructor(options: EditKeysOptions) {
    this.#options = options
  }

  pressed(data: string) {
    if (!matchesKey(data, "backspace") && !matchesKey(data, "enter")) this.#asked = undefined
  }

  /** Enter, while a queued message is edited: all that is there is the message, blanks and all. */
  save() {
    const { screen, say } = this.#options
    const queue = this.#options.queue()
    if (!queue?.isEditing || !screen.isPlainEnter) return false
    const { attachments, composed, lost } = screen
    if (attachments.uploading) return say("An attachment is still being uploaded.")
    if (composed.source.trim() === "" && !composed.inserts && attachments.parts.length === 0)
      return screen.hint("nothing is left of it: Esc leaves it as it was")
    if (lost.length > 0 && this.#asks(lost.join(" ")))
      return screen.hint(`${lost.join(" ")} is gone: Enter again saves without · Esc keeps all`)
    return queue.save()
  }

  /** What stands in the text, or goes along with a message that is edited, goes by a second press. */
  backspace() {
    const { screen, queue, dismiss } = this.#options
    const { attachments, markAtCursor } = screen
    const isEmpty = screen.editor.getText() === ""
    const last = queue()?.isEditing && isEmpty ? attachments.list.at(-1)?.name : undefined
    const about = markAtCursor ?? (last === undefined ? undefined : `[${last}]`)
    if (about !== undefined && this.#asks(about))
      return screen.hint(`backspace again removes ${about}`)
    if (markAtCursor !== undefined) return screen.removeMark(markAtCursor)
    if (!isEmpty) return false
    return attachments.removeLast() || dismiss() ? undefined : false
  }

  /** Make text of what stands for a text. */
  typeOut() {
    return this.#options.screen.typeOut() ? undefined : false
  }

  /** True the first time: whoever presses again means it. */
  #asks(about: string): boolean {
    const isFirst = this.#asked !== about
    this.#asked = isFirst ? about : undefined
    return isFirst
  }
}
