import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state"
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  WidgetType,
} from "@codemirror/view"
import type { KnownNode } from "compositor-core/compose/node"
import { findMarks, type PartMarks } from "compositor-core/compose/marks"
import { literalsIn, wordAt } from "compositor-core/compose/typed"

/** What stands in a text and is not typed: parts, each as a mark, and words that are only words. */
export interface Standing {
  readonly marks: PartMarks
  readonly literals: readonly string[]
}

export const NOTHING_STANDS: Standing = { marks: {}, literals: [] }

export const stand = StateEffect.define<Standing>()

interface Shown extends Standing {
  readonly chips: DecorationSet
}

/** The parts as chips. A chip is its mark in the text, so undo and paste bring it back by themselves. */
const shown = StateField.define<Shown>({
  create: () => ({ ...NOTHING_STANDS, chips: Decoration.none }),
  update(before, { docChanged, effects, selection, state }) {
    const told = effects.find((effect) => effect.is(stand))
    if (!told && !docChanged && !selection) return before
    if (!told && isNothing(before)) return before
    const { marks, literals } = told?.value ?? before
    return drawn(state, { marks, literals: literalsIn(state.doc.toString(), literals) })
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ chips }) => chips),
    EditorView.atomicRanges.of((view) => view.state.field(field).chips),
  ],
})

function isNothing({ marks, literals }: Standing): boolean {
  return literals.length === 0 && Object.keys(marks).length === 0
}

function drawn(state: EditorState, { marks, literals }: Standing): Shown {
  if (Object.keys(marks).length === 0) return { marks, literals, chips: Decoration.none }
  const { from: start, to: end, empty } = state.selection.main
  const chips = findMarks(state.doc.toString(), marks).map(({ from, to, mark }) => {
    const selected = !empty && start <= from && to <= end
    const text = marks[mark]?.type === "text" ? marks[mark].text : undefined
    const widget = new PartChip(mark, selected, typeof text === "string" ? text : undefined)
    return Decoration.replace({ widget }).range(from, to)
  })
  return { marks, literals, chips: Decoration.set(chips) }
}

class PartChip extends WidgetType {
  readonly mark: string
  readonly selected: boolean
  readonly text: string | undefined

  constructor(mark: string, selected: boolean, text: string | undefined) {
    super()
    this.mark = mark
    this.selected = selected
    this.text = text
  }

  override eq(other: PartChip): boolean {
    return other.mark === this.mark && other.selected === this.selected
  }

  override toDOM(view: EditorView): HTMLElement {
    const label = this.mark.slice(1, -1)
    const chip = document.createElement("span")
    chip.className = `cm-chip cm-part${this.selected ? " cm-part-selected" : ""}`
    chip.textContent = this.selected ? `${label} · ⌫ removes it` : label
    chip.title = this.text === undefined ? KEPT : KEPT_TEXT
    chip.setAttribute("aria-label", `${label}. ${chip.title}`)
    const { text } = this
    if (text !== undefined) chip.addEventListener("dblclick", () => typeOut(view, chip, text))
    return chip
  }

  override ignoreEvent(event: Event): boolean {
    return event.type === "dblclick"
  }
}

const KEPT = "Part of this message, kept as it is. Backspace twice removes it."
const KEPT_TEXT = `${KEPT} A double click makes it text that can be changed.`

/** The text of a chip in its place, from now on typed like any other. */
function typeOut(view: EditorView, chip: HTMLElement, text: string) {
  const from = view.posAtDOM(chip)
  const { chips } = view.state.field(shown)
  chips.between(from, from, (start, end) => {
    if (start !== from) return undefined
    view.dispatch({ changes: { from: start, to: end, insert: text }, userEvent: "input.complete" })
    return false
  })
}

/** The first press selects the chip, so that a second one removes it on purpose. */
function selectChip(before: boolean): Command {
  return (view) => {
    const { main } = view.state.selection
    if (!main.empty) return false
    let found: { from: number; to: number } | undefined
    view.state.field(shown).chips.between(main.head, main.head, (from, to) => {
      if ((before ? to : from) === main.head) found = { from, to }
    })
    if (!found) return false
    const { from, to } = found
    view.dispatch({ selection: { anchor: before ? from : to, head: before ? to : from } })
    return true
  }
}

export function standing(): Extension {
  return [
    shown,
    keymap.of([
      { key: "Backspace", run: selectChip(true) },
      { key: "Mod-Backspace", run: selectChip(true) },
      { key: "Alt-Backspace", run: selectChip(true) },
      { key: "Delete", run: selectChip(false) },
    ]),
  ]
}

/** The nodes without those that are found in a chip or in a word that is only a word. */
export function withoutStanding(state: EditorState, nodes: readonly KnownNode[]): KnownNode[] {
  return nodes.filter((node) => !isStanding(state, node))
}

export function isStanding(state: EditorState, { start, end }: KnownNode): boolean {
  const { literals, chips } = state.field(shown)
  let isInChip = false
  chips.between(start, end, (from, to) => {
    if (from < end && start < to) isInChip = true
  })
  if (isInChip || literals.length === 0) return isInChip
  const line = state.doc.lineAt(Math.min(start, state.doc.length))
  // A word may touch a chip.
  const word = wordAt(line.text, start - line.from)
  return literals.some((literal) => word.includes(literal))
}
