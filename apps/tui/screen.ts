import { isWords } from "compositor-core/parts/table"
import process from "node:process"
import { Container, Editor, ProcessTerminal, type TUI, TuiMainScreen } from "@earendil-works/pi-tui"
import { isShowable } from "compositor-core/compose/editable"
import { type PartMarks, readMarks, writeMarks } from "compositor-core/compose/marks"
import { literalsIn } from "compositor-core/compose/typed"
import { PendingAttachments } from "./attached.ts"
import {
  attachedLines,
  ideLines,
  ComputedLines,
  questionLines,
  queueLines,
  statusLine,
  unsentLines,
} from "./bars.ts"
import { TerminalCompletions } from "./completions.ts"
import type { SessionScreen } from "./desk.ts"
import type { ComposedDraft } from "./draft-desk.ts"
import type { Ide } from "./ide/ide.ts"
import { LogView } from "./log-view.ts"
import { Pastes } from "./pastes.ts"
import { TerminalPicker, type PickerOptions } from "./picker.ts"
import type { QueueView } from "./queue-desk.ts"
import { oneLine, cleanForScreen } from "./terminal-text.ts"
import { type TerminalTheme, themeOf } from "./theme.ts"
import { keepWhole } from "./whole-marks.ts"

export interface ScreenOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly desk: () => SessionScreen | undefined
  readonly queue: () => QueueView | undefined
  readonly ide: () => Ide | undefined
  /** What is composed changed. */
  readonly composed: () => void
}

interface Standing {
  readonly marks: PartMarks
  readonly literals: readonly string[]
}

const NOTHING_STANDS: Standing = { marks: {}, literals: [] }
const BACKSPACE = "\u007f"
const HINT = "Enter sends · ^X x-ray · ^R sessions · ^O models"
const HINT_MS = 3000
const BUSY = "Enter queues · ^S steers · Esc stops"
const CHOOSING = "Enter chooses · Esc goes back"
const ASKED = "Enter on an empty line answers it · Esc stops"
const TYPED = "what you type is the answer · Esc stops"
const QUEUED = "^Q queue"

/** What is on the terminal, from top to bottom: the log, what waits, what is attached, the composer or a
 *  list to choose from, and one line that says how things stand. */
export class Screen {
  readonly tui: TUI
  readonly editor: Editor
  readonly pastes = new Pastes()
  readonly attachments: PendingAttachments
  /** Parts that stand in the text, and words in it that are only words. */
  #standing: Standing = NOTHING_STANDS
  /** Marks that were taken out of the text on purpose. */
  readonly #removed = new Set<string>()
  readonly #options: ScreenOptions
  readonly #theme: TerminalTheme
  readonly #log: LogView
  readonly #slot = new Container()
  #choosing: ((value: string | null) => void) | undefined
  #hint: string | undefined
  #hinting: NodeJS.Timeout | undefined

  constructor(options: ScreenOptions) {
    this.#options = options
    this.#theme = themeOf(options.environment)
    this.tui = new TuiMainScreen(new ProcessTerminal())
    this.editor = new Editor(this.tui, this.#theme.editor)
    this.editor.setAutocompleteProvider(new TerminalCompletions(() => this.#where()))
    this.attachments = new PendingAttachments(() => this.#changed())
    this.editor.onChange = (text) => {
      const { marks, literals } = this.#standing
      this.#standing = { marks, literals: literalsIn(text, literals) }
      options.composed()
    }
    keepWhole(this.editor, () => Object.keys(this.#standing.marks))
    this.#log = new LogView(this.#theme)
    this.#slot.addChild(this.editor)
    this.tui.addChild(this.#log)
    this.tui.addChild(new ComputedLines((width) => this.#above(width)))
    this.tui.addChild(this.#slot)
    this.tui.addChild(new ComputedLines((width) => [this.#status(width)]))
  }

  /** What is composed, with what its marks stand for. */
  get composed(): ComposedDraft {
    return this.read(this.editor.getText())
  }

  /** What a text stands for that was in the editor. */
  read(typed: string): ComposedDraft {
    const { marks, literals } = this.#standing
    const { source, inserts } = readMarks(this.pastes.expand(typed), marks)
    return {
      source,
      attachments: this.attachments.parts,
      ...(inserts.length > 0 ? { inserts } : {}),
      ...(literals.length > 0 ? { literals } : {}),
    }
  }

  compose({ source, attachments, inserts = [], literals = [] }: ComposedDraft) {
    const { text, marks } = writeMarks(source, inserts)
    if (text !== this.pastes.expand(this.editor.getText()))
      this.editor.setText(this.pastes.shown(text))
    this.#standing = { marks, literals }
    this.#removed.clear()
    this.attachments.replace(attachments)
    this.tui.requestRender()
  }

  /** The composer, for whoever puts drafts and messages into it. */
  readonly place = {
    read: () => this.composed,
    write: (draft: ComposedDraft) => this.compose(draft),
    hold: () => this.hold(),
  }

  /** Take what is composed away; what is given puts it back as it stood. */
  hold(): () => void {
    const text = this.editor.getText()
    const parts = this.attachments.parts
    const standing = this.#standing
    return () => {
      this.editor.setText(text)
      this.#standing = standing
      this.attachments.replace(parts)
    }
  }

  /** Nothing stands in the text any more: it was sent. */
  forgetStanding() {
    this.#standing = NOTHING_STANDS
  }

  /** Marks that are in the text no more, though nobody removed them on purpose. */
  get lost(): readonly string[] {
    const { lost } = readMarks(this.pastes.expand(this.editor.getText()), this.#standing.marks)
    return lost.filter((mark) => !this.#removed.has(mark))
  }

  /** The mark that ends at the cursor. */
  get markAtCursor(): string | undefined {
    const { line, col } = this.editor.getCursor()
    const before = this.editor.getLines()[line]?.slice(0, col) ?? ""
    return Object.keys(this.#standing.marks).find((mark) => before.endsWith(mark))
  }

  /** Take the mark at the cursor out of the text. */
  removeMark(mark: string) {
    this.#removed.add(mark)
    this.editor.handleInput(BACKSPACE)
  }

  /** The text of a mark, or of the last thing that goes along, becomes what is typed. */
  typeOut(): boolean {
    const mark = this.markAtCursor
    const part = mark === undefined ? this.attachments.parts.at(-1) : this.#standing.marks[mark]
    if (!part || !isWords(part) || typeof part.text !== "string") return false
    if (mark === undefined) this.attachments.removeLast()
    else this.removeMark(mark)
    const text = part.text.replace(/\r\n?/g, "\n")
    this.editor.insertTextAtCursor(
      this.pastes.shown(isShowable(text) ? text : cleanForScreen(text)),
    )
    return true
  }

  /** Whether Enter is for the message: behind a backslash it is a new line, in a list a choice. */
  get isPlainEnter(): boolean {
    const { line, col } = this.editor.getCursor()
    const before = this.editor.getLines()[line]?.[col - 1]
    return !this.editor.isShowingAutocomplete() && before !== "\\"
  }

  get isChoosing(): boolean {
    return this.#choosing !== undefined
  }

  start() {
    this.tui.setFocus(this.editor)
    this.tui.start()
    this.tui.terminal.setTitle("compositor")
  }

  async stop() {
    await this.tui.terminal.drainInput()
    this.tui.stop()
  }

  /** Give the terminal back until we are called to the front again. */
  suspend() {
    this.tui.stop()
    process.once("SIGCONT", () => {
      this.tui.start()
      this.tui.requestRender(true)
    })
    process.kill(process.pid, "SIGTSTP")
  }

  /** Say something in the place of how things stand, until the next key or for a moment. */
  hint(text: string | undefined) {
    clearTimeout(this.#hinting)
    this.#hint = text
    if (text !== undefined) this.#hinting = setTimeout(() => this.hint(undefined), HINT_MS).unref()
    this.tui.requestRender()
  }

  refresh() {
    const desk = this.#options.desk()
    const { messages = [], older = null } = desk?.view ?? {}
    this.#log.show(messages, desk?.notes ?? [], older === null)
    this.tui.requestRender()
  }

  /** Let something be chosen from a list; null when nothing is. */
  choose(options: Omit<PickerOptions, "theme" | "done">): Promise<string | null> {
    this.stopChoosing()
    const { promise, resolve } = Promise.withResolvers<string | null>()
    const done = (value: string | null) => {
      this.#choosing = undefined
      this.#fill(this.editor)
      resolve(value)
    }
    this.#choosing = done
    this.#fill(new TerminalPicker({ ...options, theme: this.#theme, done }))
    return promise
  }

  stopChoosing() {
    this.#choosing?.(null)
  }

  #changed() {
    this.#options.composed()
    this.tui.requestRender()
  }

  #fill(component: Editor | TerminalPicker) {
    this.#slot.clear()
    this.#slot.addChild(component)
    this.tui.setFocus(component)
    this.tui.requestRender()
  }

  #where() {
    const desk = this.#options.desk()
    const session = desk?.view?.session.id
    return desk && session !== undefined ? { client: desk.client, session } : undefined
  }

  #above(width: number): string[] {
    const theme = this.#theme
    const queue = this.#options.desk()?.view?.queue ?? []
    const selected = this.#options.queue()?.selected ?? null
    return [
      ...(this.isChoosing ? [] : questionLines(this.#options.desk()?.view, theme, width)),
      ...queueLines(queue, { selected, theme, width }),
      ...unsentLines(this.#options.desk()?.unsent ?? [], theme, width),
      ...attachedLines(this.attachments.list, theme, width),
      ...ideLines(this.#options.ide()?.parts ?? [], theme, width),
    ]
  }

  #status(width: number): string {
    const desk = this.#options.desk()
    if (this.#hint !== undefined) return this.#theme.quiet(oneLine(this.#hint, width))
    const hint = this.#choosing ? CHOOSING : (this.#options.queue()?.hint ?? this.#usualHint(desk))
    const connection = desk?.connection ?? "connecting"
    return statusLine(desk?.view, { width, theme: this.#theme, connection, hint })
  }

  #usualHint(desk: SessionScreen | undefined): string {
    const view = desk?.view
    if (!view || view.status.state === "idle" || view.status.state === "error") return HINT
    if (view.status.state === "waiting_on_user_input") return TYPED
    if (view.status.state === "waiting_on_approval") return ASKED
    return view.queue.length > 0 ? `${BUSY} · ${QUEUED}` : BUSY
  }
}
