import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from "@codemirror/autocomplete"
import type { Extension } from "@codemirror/state"
import { EditorView, tooltips } from "@codemirror/view"
import type { CompletionAnswer, CompletionItem } from "../answers.ts"
import { chips } from "./chips.ts"
import { choose } from "./chosen.ts"

export type CompleteSource = (
  source: string,
  cursor: number,
  signal: AbortSignal,
) => Promise<CompletionAnswer>

interface CompletionEvents {
  readonly complete: CompleteSource
  /** What is asked for at the cursor, in words. */
  readonly hint: (text: string | undefined) => void
  /** Whether a command acts on the session: then choosing it makes it count where it stands. */
  readonly isAction: (name: string) => boolean
}

const ASK_AFTER = 60

/** The list under a slash or an at sign: what the host knows, ranked by it. */
export function completion(events: CompletionEvents): Extension {
  return [
    autocompletion({
      override: [(context) => ask(context, events)],
      activateOnTypingDelay: ASK_AFTER,
      interactionDelay: 0,
      // Behind a command its first argument is asked for.
      activateOnCompletion: (offer) => (offer as Offer).item.kind === "command",
      aboveCursor: true,
      icons: false,
      maxRenderedOptions: 50,
      defaultKeymap: true,
      addToOptions: [
        { render: kindBadge, position: 20 },
        { render: label, position: 50 },
        { render: about, position: 80 },
      ],
      optionClass: () => "cm-offer",
      tooltipClass: () => "cm-offers",
    }),
    tooltips({ tooltipSpace }),
  ]
}

const EDGE = 8

/** A list does not touch the edge of the window. */
function tooltipSpace() {
  return { left: EDGE, top: EDGE, right: innerWidth - EDGE, bottom: innerHeight - EDGE }
}

/** What stands at the cursor. */
interface Sought {
  readonly text: string
  /** It is a command or a reference as it stands. */
  readonly isReference: boolean
}

interface Offer extends Completion {
  readonly item: CompletionItem
  readonly sought: Sought
}

/** Whether Enter means the offer, and not the message: what may stand here need not, and what is
 *  whole already is not mistaken for something a little like it. */
export function isMeant(offer: Completion): boolean {
  const { item, sought } = offer as Offer
  if (item.kind === "argument") return sought.text !== ""
  if (!sought.isReference) return true
  return item.label !== sought.text && item.label.includes(sought.text)
}

async function ask(
  context: CompletionContext,
  events: CompletionEvents,
): Promise<CompletionResult | null> {
  const { state, pos, view } = context
  const document = view?.plugin(chips)?.document
  const line = state.doc.lineAt(pos)
  if (!view || !document || !isAsking(view, pos)) return null
  const stop = new AbortController()
  context.addEventListener("abort", () => stop.abort())
  try {
    const answer = await events.complete(line.text, pos - line.from, stop.signal)
    if (context.aborted) return null
    events.hint(answer.hint)
    if (answer.items.length === 0) return null
    const sought = {
      text: line.text.slice(answer.from, answer.to).replace(/^[/@]"?/, ""),
      isReference: document.nodes(pos, pos).some(({ end }) => end === pos),
    }
    return {
      from: answer.from + line.from,
      to: answer.to + line.from,
      filter: false,
      options: answer.items.map((item) => offerOf(item, events, sought)),
    }
  } catch {
    return null // A list that cannot be read is no list; what is typed stays typed.
  }
}

/** Whether something is named at the cursor, or a command stands before it on its line. */
export function isAsking(view: EditorView, at: number): boolean {
  const document = view.plugin(chips)?.document
  if (!document) return false
  if (document.trigger(at)) return true
  const { from } = view.state.doc.lineAt(at)
  return document
    .nodes(from, at)
    .some(({ kind, start, end }) => kind === "slash_command" && start >= from && end < at)
}

/** Whether something is named at the cursor that is not a command or a reference yet. */
export function isUnfinished(view: EditorView, at: number): boolean {
  const document = view.plugin(chips)?.document
  if (!document?.trigger(at)) return false
  return !document.nodes(at, at).some(({ end }) => end === at)
}

function offerOf(item: CompletionItem, events: CompletionEvents, sought: Sought): Offer {
  return {
    sought,
    label: item.insert.trim(),
    displayLabel: item.label,
    item,
    apply: (view, offer, from, to) => {
      const { insert } = item
      const after = view.state.sliceDoc(to, to + 1)
      const text = after === " " ? insert.trimEnd() : insert
      const end = from + insert.trimEnd().length
      const leads = view.state.sliceDoc(0, from).trim() === ""
      const acts = item.kind === "command" && !leads && events.isAction(item.label)
      view.dispatch({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length + (after === " " ? 1 : 0) },
        effects: acts ? [choose.of({ from, to: end })] : [],
        annotations: pickedCompletion.of(offer),
        userEvent: "input.complete",
        scrollIntoView: true,
      })
    },
  }
}

function kindBadge(offer: Completion): HTMLElement {
  const { kind } = (offer as Offer).item
  return element("cm-offer-kind", SIGNS[kind] ?? "@", { "data-kind": kind })
}

const SIGNS: Readonly<Record<string, string>> = {
  command: "/",
  argument: "=",
  file: "▤",
  skill: "✦",
  context: "◉",
  symbol: "ƒ",
  resource: "☁",
}

/** The letters that were meant stand out. */
function label(offer: Completion): HTMLElement {
  const { label: text, positions, hint } = (offer as Offer).item
  const shown = element("cm-offer-label", "")
  const meant = new Set(positions)
  let run = ""
  let strong = false
  const end = () => {
    if (run !== "") shown.append(strong ? element("cm-offer-match", run) : run)
    run = ""
  }
  for (let at = 0; at < text.length; at++) {
    if (meant.has(at) !== strong) end()
    strong = meant.has(at)
    run += text[at]
  }
  end()
  if (hint) shown.append(element("cm-offer-hint", ` ${hint}`))
  return shown
}

function about(offer: Completion): HTMLElement | null {
  const { description } = (offer as Offer).item
  return description ? element("cm-offer-about", description) : null
}

function element(name: string, text: string, attributes: Record<string, string> = {}) {
  const made = document.createElement("span")
  made.className = name
  made.textContent = text
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}
