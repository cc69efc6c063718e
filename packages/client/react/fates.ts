import { StateEffect, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"

/** What becomes of a stretch of the text when it is sent: a word to show at it, and why. */
export interface SpanOutcome {
  readonly from: number
  readonly to: number
  /** A class, `cm-fate-less` say. */
  readonly look: string
  readonly word: string
  readonly reason: string
}

export const setFates = StateEffect.define<readonly SpanOutcome[]>()

/** The fates that were told last; they move with their words until others are told. */
export const fates = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, docChanged }) {
    const told = effects.find((effect) => effect.is(setFates))
    if (told) return Decoration.set(told.value.map(markOf), true)
    return docChanged ? marks.map(changes) : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

function markOf({ from, to, look, word, reason }: SpanOutcome) {
  const attributes = { "data-fate": word, title: reason }
  return Decoration.mark({ class: `cm-fate ${look}`, attributes }).range(from, to)
}
