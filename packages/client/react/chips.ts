import { type EditorState, type Range, RangeSet, StateEffect } from "@codemirror/state"
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type PluginValue,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view"
import { ComposerDocument, type SourceSpan } from "compositor-core/compose/document"
import type { KnownNode } from "compositor-core/compose/node"
import type { Vocabulary } from "compositor-core/compose/vocabulary"
import { isStanding, stand } from "./standing.ts"

/** Other words are known from now on. */
export const learn = StateEffect.define<Vocabulary>()

/** What a node looks like: a class for each kind, so that one decoration serves them all. */
const MARKS: Readonly<Record<string, Decoration>> = Object.fromEntries(
  [
    "slash_command",
    "file",
    "skill",
    "symbol",
    "branch",
    "context",
    "resource",
    "mention",
    "unknown",
  ].map((kind) => [kind, Decoration.mark({ class: `cm-chip cm-chip-${kind}` })]),
)
/** About a line or two: what a key reads again, and draws again. */
const CHUNK_UNITS = 256

/** The one that is being typed: it looks like a chip and is edited like text. */
const TYPED = Decoration.mark({ class: "cm-chip cm-chip-typed" })

/** The commands and references in the source, as chips: one press deletes one, an arrow passes it.
 *  A chip is what the parser finds, so undo, paste and another's edit bring it back by themselves. */
export class Chips implements PluginValue {
  document: ComposerDocument
  decorations: DecorationSet = Decoration.none
  /** The node that the cursor is typing. */
  #typed: SourceSpan | undefined
  #vocabulary: Vocabulary
  #state: EditorState

  constructor(view: EditorView, vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#state = view.state
    this.document = this.#read(view)
  }

  update(update: ViewUpdate) {
    this.#state = update.state
    const learnt = update.transactions.flatMap(({ effects }) => effects).find((e) => e.is(learn))
    if (learnt) {
      this.#vocabulary = learnt.value
      this.document = this.#read(update.view)
      return
    }
    if (update.transactions.some(({ effects }) => effects.some((effect) => effect.is(stand)))) {
      this.document = this.#read(update.view)
      return
    }
    const before = this.#typed && {
      from: update.changes.mapPos(this.#typed.from, -1),
      to: update.changes.mapPos(this.#typed.to, 1),
    }
    const edited = update.docChanged ? this.#edit(update) : undefined
    this.#typed = this.#nowTyped(update, before)
    if (edited) this.#draw(edited)
    if (!isSame(before, this.#typed))
      for (const span of [before, this.#typed]) if (span) this.#draw(span)
  }

  /** What the cursor jumps over. */
  get atoms(): RangeSet<Decoration> {
    const typed = this.#typed
    if (!typed) return this.decorations
    return this.decorations.update({
      filter: (_from, _to, mark) => mark !== TYPED,
      filterFrom: typed.from,
      filterTo: typed.to,
    })
  }

  #read(view: EditorView): ComposerDocument {
    const source = view.state.doc.toString()
    const document = new ComposerDocument(source, this.#vocabulary, CHUNK_UNITS)
    const ranges = document.nodes().flatMap((node) => this.#rangeOf(node))
    this.decorations = Decoration.set(ranges)
    return document
  }

  /** The stretch of the new text that was read again. */
  #edit(update: ViewUpdate): SourceSpan | undefined {
    this.decorations = this.decorations.map(update.changes)
    let read: SourceSpan | undefined
    update.changes.iterChanges((fromA, toA, fromB, _toB, inserted) => {
      const removed = toA - fromA
      const span = this.document.edit(fromB, fromB + removed, inserted.toString())
      const grown = inserted.length - removed
      const end = read && read.to > fromB ? read.to + grown : (read?.to ?? 0)
      read = { from: Math.min(read?.from ?? span.from, span.from), to: Math.max(end, span.to) }
    })
    return read
  }

  #nowTyped({ transactions, state, docChanged }: ViewUpdate, before: SourceSpan | undefined) {
    const { main } = state.selection
    if (!main.empty) return undefined
    const node = this.document
      .nodes(main.head, main.head)
      .find(({ start, end }) => start < main.head && main.head <= end)
    if (!node) return undefined
    if (transactions.some((transaction) => transaction.isUserEvent("input.complete")))
      return undefined
    const typing = transactions.some((transaction) => transaction.isUserEvent("input.type"))
    // What was deleted behind a chip does not open it.
    if (typing || (before && (docChanged || before.from === node.start)))
      return { from: node.start, to: node.end }
    return undefined
  }

  #draw({ from, to }: SourceSpan) {
    const add = this.document.nodes(from, to).flatMap((node) => this.#rangeOf(node))
    this.decorations = this.decorations.update({
      filterFrom: from,
      filterTo: to,
      filter: () => false,
      add,
    })
  }

  #rangeOf(node: KnownNode): Range<Decoration>[] {
    const { start, end } = node
    if (start === end || isStanding(this.#state, node)) return []
    if (this.#typed?.from === start && this.#typed.to === end) return [TYPED.range(start, end)]
    return [markOf(node).range(start, end)]
  }
}

export const chips = ViewPlugin.define<Chips, Vocabulary>(
  (view, vocabulary) => new Chips(view, vocabulary),
  {
    decorations: (plugin) => plugin.decorations,
    provide: (plugin) =>
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.atoms ?? RangeSet.empty),
  },
)

function markOf(node: KnownNode): Decoration {
  if (node.kind === "file" && node.fault)
    return Decoration.mark({ class: "cm-fault", attributes: { title: node.fault.message } })
  const kind = node.kind === "slash_command" && node.unknown ? "unknown" : node.kind
  return MARKS[kind] ?? TYPED
}

function isSame(left: SourceSpan | undefined, right: SourceSpan | undefined): boolean {
  return left?.from === right?.from && left?.to === right?.to
}
