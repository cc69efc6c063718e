import { invertedEffects } from "@codemirror/commands"
import { type EditorState, StateEffect, StateField } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view"
import type { KnownNode } from "compositor-core/compose/node"

/** A command that was picked from the list, in a place where typing it would mean nothing. */
interface Chosen {
  readonly from: number
  readonly to: number
}

export const choose = StateEffect.define<Chosen>({
  map: ({ from, to }, changes) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }),
})

const MARK = Decoration.mark({ class: "cm-chip cm-chip-slash_command" })

/** Commands that are meant wherever they stand, because somebody chose them (decision 5). */
export const chosen = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    const mapped = set.map(transaction.changes)
    const added = transaction.effects.flatMap((effect) =>
      effect.is(choose) && effect.value.from < effect.value.to
        ? [MARK.range(effect.value.from, effect.value.to)]
        : [],
    )
    const kept = transaction.docChanged
      ? mapped.update({
          filter: (from, to) => /^\/\S+$/.test(transaction.newDoc.sliceString(from, to)),
        })
      : mapped
    return added.length > 0 ? kept.update({ add: added }) : kept
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.atomicRanges.of((view) => view.state.field(field)),
    // What a deletion took away, undo brings back.
    invertedEffects.of((transaction) => {
      const effects: StateEffect<Chosen>[] = []
      transaction.startState
        .field(field)
        .between(0, transaction.startState.doc.length, (from, to) => {
          if (transaction.changes.touchesRange(from, to)) effects.push(choose.of({ from, to }))
        })
      return effects
    }),
  ],
})

/** The nodes with what was chosen among them; undefined where nothing was. */
export function nodesWithChosen(
  state: EditorState,
  nodes: () => readonly KnownNode[],
): readonly KnownNode[] | undefined {
  const picked: KnownNode[] = []
  state.field(chosen).between(0, state.doc.length, (start, end) => {
    const raw = state.sliceDoc(start, end)
    picked.push({ kind: "slash_command", start, end, raw, name: raw.slice(1), chosen: true })
  })
  if (picked.length === 0) return undefined
  const others = nodes().filter(
    (node) => !picked.some((chip) => node.start < chip.end && chip.start < node.end),
  )
  return [...others, ...picked].sort((left, right) => left.start - right.start)
}
