import {
  acceptCompletion,
  closeCompletion,
  completionStatus,
  selectedCompletion,
  startCompletion,
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands"
import { Annotation, Compartment, EditorState, Prec, StateEffect } from "@codemirror/state"
import { EditorView, keymap, placeholder, type ViewUpdate } from "@codemirror/view"
import type { KnownNode } from "compositor-core/compose/node"
import type { Vocabulary } from "compositor-core/compose/vocabulary"
import { chips, learn } from "./chips.ts"
import { chosen, nodesWithChosen } from "./chosen.ts"
import { type CompleteSource, completion, isAsking, isMeant, isUnfinished } from "./completion.ts"
import { type SpanOutcome, fates, setFates } from "./fates.ts"
import { NOTHING_STANDS, stand, type Standing, standing, withoutStanding } from "./standing.ts"

interface EditorEvents {
  /** Enter; with the modifier, `urgent`. */
  readonly submit: (urgent: boolean) => void
  /** Esc; false leaves it to others. */
  readonly escape: () => boolean
  /** The arrow up (-1) or down (1) where there is nowhere to go in the text. */
  readonly recall: (step: -1 | 1) => boolean
  readonly changed: () => void
  /** Something is pasted or dropped; false leaves it to the editor. */
  readonly pasted: (transfer: DataTransfer) => boolean
  readonly hint: (text: string | undefined) => void
  readonly complete: CompleteSource
}

export interface EditorOptions {
  readonly label: string
  readonly vocabulary: Vocabulary
  readonly events: EditorEvents
}

/** A composer's editor. Its document is the source, character by character; what the parser finds in
 *  it is shown as chips. */
export class Editor {
  readonly #view: EditorView
  readonly #placeholder = new Compartment()
  readonly #offers = new Compartment()
  readonly #options: EditorOptions
  #vocabulary: Vocabulary
  #offering = false
  #hint = ""
  #name = ""

  constructor(parent: HTMLElement, options: EditorOptions) {
    this.#options = options
    this.#vocabulary = options.vocabulary
    this.#view = new EditorView({ parent, state: this.#fresh("") })
    keepKeys(this.#view.dom)
  }

  readonly text = (): string => this.#view.state.doc.toString()

  /** The nodes, where they say more than the text: a command that was chosen. */
  readonly nodes = (): readonly KnownNode[] | undefined =>
    nodesWithChosen(this.#view.state, this.allNodes)

  readonly allNodes = (): readonly KnownNode[] =>
    withoutStanding(this.#view.state, this.#view.plugin(chips)?.document.nodes() ?? [])

  get isEmpty(): boolean {
    return this.#view.state.doc.length === 0
  }

  learn(vocabulary: Vocabulary) {
    if (vocabulary === this.#vocabulary) return
    this.#vocabulary = vocabulary
    this.#view.dispatch({ effects: learn.of(vocabulary), annotations: silent.of(true) })
  }

  /** Another document, with a history of its own; the same name again is the same document. */
  show(name: string, text: string, parts: Standing = NOTHING_STANDS) {
    if (name === this.#name) return
    this.#name = name
    const isOther = text !== this.text()
    if (isOther) this.#view.setState(this.#fresh(text))
    const end = { anchor: this.#view.state.doc.length }
    this.#view.dispatch({
      effects: stand.of(parts),
      ...(isOther ? { selection: end, scrollIntoView: true } : {}),
    })
  }

  /** What somebody else wrote in the same document: the cursor stays at its words. */
  amend(text: string, parts: Standing = NOTHING_STANDS) {
    const changes = differenceOf(this.text(), text)
    const annotations = [silent.of(true)]
    if (changes) this.#view.dispatch({ changes, annotations, userEvent: "amend" })
    this.#view.dispatch({ effects: stand.of(parts), annotations })
  }

  /** Put text in at the cursor, as if it were typed. */
  insert(text: string) {
    const change = this.#view.state.replaceSelection(text)
    this.#view.dispatch(change, { userEvent: "input.complete", scrollIntoView: true })
    this.focus()
  }

  /** Replace a stretch; it can be undone. */
  replace(from: number, to: number, insert: string) {
    this.#view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: "input.complete",
      scrollIntoView: true,
    })
  }

  /** Show at the chips what becomes of them; the next telling takes the place of this one. */
  tellFates(told: readonly SpanOutcome[]) {
    const known = this.#view.state.field(fates, false)
    if (told.length === 0 && (known?.size ?? 0) === 0) return
    // A text of which nothing is told does not pay for it.
    if (!known) this.#view.dispatch({ effects: StateEffect.appendConfig.of(fates) })
    this.#view.dispatch({ effects: setFates.of(told), annotations: silent.of(true) })
  }

  hint(text: string) {
    if (text === this.#hint) return
    this.#hint = text
    this.#view.dispatch({
      effects: this.#placeholder.reconfigure(placeholder(text)),
      annotations: silent.of(true),
    })
  }

  focus() {
    this.#view.focus()
  }

  destroy() {
    this.#view.destroy()
  }

  /** The list of offers is there only while something is asked for: a key in plain text, which most
   *  are, does not pay for it. */
  #offer({ docChanged, selectionSet, state, transactions, view }: ViewUpdate) {
    if ((!docChanged && !selectionSet) || view.composing) return
    const asks = isAsking(view, state.selection.main.head)
    if (!asks) this.#options.events.hint(undefined)
    if (asks === this.#offering) return
    const typed = transactions.some((transaction) => transaction.isUserEvent("input"))
    if (asks ? !typed : completionStatus(state) !== null) return
    this.#offering = asks
    const { complete, hint } = this.#options.events
    const isAction = (name: string) => this.#vocabulary.commands.get(name) === "action"
    const extension = asks ? completion({ complete, hint, isAction }) : []
    view.dispatch({ effects: this.#offers.reconfigure(extension), annotations: silent.of(true) })
    if (asks) startCompletion(view)
  }

  #fresh(doc: string): EditorState {
    this.#offering = false
    const { events, label } = this.#options
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(keymap.of(keys(events))),
        history(),
        chipIsOneStep,
        standing(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        chips.of(this.#vocabulary),
        chosen,
        this.#offers.of([]),
        EditorView.updateListener.of((update) => this.#offer(update)),
        this.#placeholder.of(placeholder(this.#hint)),
        EditorView.contentAttributes.of({ ...ATTRIBUTES, "aria-label": label }),
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          const own = transactions.some((transaction) => !transaction.annotation(silent))
          if (docChanged && own) events.changed()
        }),
        EditorView.domEventHandlers({
          paste: (event) => take(event, event.clipboardData, events),
          // The page takes files that are dropped; the editor would insert the name of the file.
          drop: (event) => (event.dataTransfer?.files.length ?? 0) > 0,
        }),
      ],
    })
  }
}

const TYPING = ["beforeinput", "input", "keypress", "keyup"]

/** What is typed is told by `changed`. A page's own listeners, which every key would pass, need not
 *  see the letters; shortcuts go on to them. */
function keepKeys(editor: HTMLElement) {
  for (const name of TYPING) editor.addEventListener(name, (event) => event.stopPropagation())
  editor.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (key.length === 1 && !ctrlKey && !metaKey && !altKey) event.stopPropagation()
  })
}

/** A chip that is deleted comes back by one undo, however fast one typed before. */
const chipIsOneStep = EditorState.transactionExtender.of((transaction) => {
  if (!transaction.isUserEvent("delete")) return null
  let most = 0
  transaction.changes.iterChanges((from, to) => {
    most = Math.max(most, to - from)
  })
  return most > 1 ? { annotations: isolateHistory.of("full") } : null
})

/** Not what a person did here: nothing is told of it. */
const silent = Annotation.define<boolean>()

const ATTRIBUTES = { spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" }

function take(event: Event, transfer: DataTransfer | null, events: EditorEvents): boolean {
  if (!transfer || !events.pasted(transfer)) return false
  event.preventDefault()
  return true
}

function keys(events: EditorEvents) {
  const submit = (urgent: boolean) => (view: EditorView) => {
    // While an input method composes, Enter is a choice of its words.
    if (view.composing || view.compositionStarted) return false
    if (!urgent && isAwaited(view)) {
      void afterOffers(view).then((isSame) => isSame && decide(view, false))
      return true
    }
    decide(view, urgent)
    return true
  }
  const decide = (view: EditorView, urgent: boolean) => {
    awaiting.delete(view)
    const offer = urgent ? null : selectedCompletion(view.state)
    if (offer && isMeant(offer) && acceptCompletion(view)) return
    closeCompletion(view)
    events.submit(urgent)
  }
  const recall = (step: -1 | 1) => (view: EditorView) =>
    completionStatus(view.state) !== "active" && isAtEdge(view, step) && events.recall(step)
  return [
    { key: "Tab", run: acceptCompletion },
    // A keyboard on a touch screen has no Shift+Enter: there Enter is a new line, and a button sends.
    {
      key: "Enter",
      run: (view: EditorView) => (isTouch() ? acceptCompletion(view) : submit(false)(view)),
    },
    { key: "Mod-Enter", run: submit(true) },
    {
      key: "Escape",
      run: (view: EditorView) => !view.composing && (closeCompletion(view) || events.escape()),
    },
    { key: "ArrowUp", run: recall(-1) },
    { key: "ArrowDown", run: recall(1) },
  ]
}

/** Longer than this nobody waits for a list before a message goes. */
const OFFERS_WITHIN = 2_000
const LOOK_EVERY = 20

const awaiting = new WeakSet<EditorView>()

/** Whether the list of what is begun at the cursor is on its way: `@noe` is not what is meant. Enter
 *  once more sends it as it stands. */
function isAwaited(view: EditorView): boolean {
  if (completionStatus(view.state) !== "pending" || awaiting.has(view)) return false
  return isUnfinished(view, view.state.selection.main.head)
}

/** Waits for the list; false when something was typed or moved meanwhile, or sent by another Enter. */
async function afterOffers(view: EditorView): Promise<boolean> {
  const { doc, selection } = view.state
  const isSame = () =>
    awaiting.has(view) &&
    view.dom.isConnected &&
    view.state.doc === doc &&
    view.state.selection.eq(selection)
  awaiting.add(view)
  const end = Date.now() + OFFERS_WITHIN
  while (isSame() && completionStatus(view.state) === "pending" && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY))
  const same = isSame()
  awaiting.delete(view)
  return same
}

/** Whether the cursor stands on the first line, or the last one, of what there is. */
function isAtEdge({ state }: EditorView, step: -1 | 1): boolean {
  const { main } = state.selection
  if (!main.empty) return false
  const line = state.doc.lineAt(main.head).number
  return step < 0 ? line === 1 : line === state.doc.lines
}

export function isTouch(): boolean {
  return matchMedia("(hover: none) and (pointer: coarse)").matches
}

interface Change {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** The one stretch in which two texts differ; a pair of surrogates is not taken apart. */
export function differenceOf(before: string, after: string): Change | undefined {
  if (before === after) return undefined
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++
  if (isHigh(before.charCodeAt(start - 1))) start--
  if (end > 0 && isLow(before.charCodeAt(before.length - end))) end--
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
