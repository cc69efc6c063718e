import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { Annotation, Compartment, EditorState, Prec } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view"
import { meansText } from "./attachments.ts"
import { type Reference, referencesIn } from "./draft.ts"
import { strings } from "./strings.ts"

export interface EditorEvents {
  readonly submit: () => void
  /** Esc; false leaves it to others. */
  readonly escape: () => boolean
  /** The arrow up, in an empty document. */
  readonly recall: () => boolean
  readonly changed: () => void
  readonly pasted: (transfer: DataTransfer) => void
}

/** The composer's editor. Its document is the source, character by character. */
export class Editor {
  readonly #view: EditorView
  readonly #placeholder = new Compartment()
  readonly #events: EditorEvents
  #hint = ""
  #name = ""

  constructor(parent: HTMLElement, events: EditorEvents) {
    this.#events = events
    this.#view = new EditorView({ parent, state: this.#fresh("") })
  }

  readonly text = (): string => this.#view.state.doc.toString()

  get isEmpty(): boolean {
    return this.#view.state.doc.length === 0
  }

  /** Another document, with a history of its own; the same name again is the same document. */
  show(name: string, text: string) {
    if (name === this.#name) return
    this.#name = name
    if (text !== this.text()) this.#view.setState(this.#fresh(text))
    this.#view.dispatch({
      selection: { anchor: this.#view.state.doc.length },
      scrollIntoView: true,
    })
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

  #fresh(doc: string): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(keymap.of(keys(this.#events))),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        references,
        this.#placeholder.of(placeholder(this.#hint)),
        EditorView.contentAttributes.of(ATTRIBUTES),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.#events.changed()
        }),
        EditorView.domEventHandlers({
          paste: (event) => pasteFiles(event, this.#events),
          // The page takes what is dropped; the editor would insert the name of the file.
          drop: (event) => (event.dataTransfer?.files.length ?? 0) > 0,
        }),
      ],
    })
  }
}

const silent = Annotation.define<boolean>()

const ATTRIBUTES = {
  "aria-label": strings.composer.label,
  spellcheck: "true",
  autocorrect: "on",
  autocapitalize: "sentences",
}

function keys(events: EditorEvents) {
  const submit = (view: EditorView) => {
    // While an input method composes, Enter is a choice of its words.
    if (view.composing || view.compositionStarted) return false
    events.submit()
    return true
  }
  return [
    // A keyboard on a touch screen has no Shift+Enter: there Enter is a new line, and a button sends.
    { key: "Enter", run: (view: EditorView) => !isTouch() && submit(view) },
    { key: "Mod-Enter", run: submit },
    { key: "Escape", run: (view: EditorView) => !view.composing && events.escape() },
    {
      key: "ArrowUp",
      run: (view: EditorView) => view.state.doc.length === 0 && events.recall(),
    },
  ]
}

export function isTouch(): boolean {
  return matchMedia("(hover: none) and (pointer: coarse)").matches
}

function pasteFiles(event: ClipboardEvent, events: EditorEvents): boolean {
  const transfer = event.clipboardData
  if (!transfer || transfer.files.length === 0 || meansText(transfer)) return false
  event.preventDefault()
  events.pasted(transfer)
  return true
}

/** Past this a draft is a document, and is not searched on every key. */
const SEARCHED = 50_000

const references = ViewPlugin.fromClass(
  class {
    marks: DecorationSet

    constructor(view: EditorView) {
      this.marks = marksIn(view)
    }

    update(update: ViewUpdate) {
      if (update.docChanged) this.marks = marksIn(update.view)
    }
  },
  { decorations: (plugin) => plugin.marks },
)

function marksIn({ state: { doc } }: EditorView): DecorationSet {
  if (doc.length > SEARCHED) return Decoration.none
  const found = referencesIn(doc.toString())
  return Decoration.set(
    found.map((reference) => markOf(reference).range(reference.from, reference.to)),
  )
}

const good = Decoration.mark({ class: "cm-reference" })

function markOf({ fault }: Reference): Decoration {
  if (!fault) return good
  return Decoration.mark({ class: "cm-fault", attributes: { title: strings.composer[fault] } })
}
