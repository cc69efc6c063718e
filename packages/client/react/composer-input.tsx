import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react"
import type { CompletionAnswer } from "../answers.ts"
import type { KnownNode } from "compositor-core/compose/node"
import { BARE_VOCABULARY, type Vocabulary } from "compositor-core/compose/vocabulary"
import { Editor } from "./editor.ts"

/** What was typed: the source, and the nodes in it with their places. */
export interface TypedSource {
  readonly source: string
  readonly nodes: readonly KnownNode[]
}

export interface ComposerInputHandle {
  focus(): void
  /** Put text in at the cursor. */
  insert(text: string): void
  clear(): void
}

export interface ComposerInputProps {
  readonly label: string
  readonly placeholder?: string
  /** The words that are known: commands, mentions, contexts, servers. */
  readonly vocabulary?: Vocabulary
  /** What could be meant at the cursor: a client's `commands.complete`, or a host's own. */
  readonly complete?: (
    source: string,
    cursor: number,
    signal: AbortSignal,
  ) => Promise<CompletionAnswer>
  /** Enter was pressed. True takes the text away. */
  readonly onSubmit: (typed: TypedSource) => boolean
  readonly onChange?: (typed: () => TypedSource) => void
  readonly onEscape?: () => boolean
  /** Files and the like; true when they were taken. */
  readonly onPaste?: (transfer: DataTransfer) => boolean
  readonly initial?: string
  readonly ref?: RefObject<ComposerInputHandle | null>
}

const NOTHING: CompletionAnswer = { from: 0, to: 0, items: [] }

/** The composer's text field, to be put into any page: it knows the grammar and nothing else. Typing
 *  draws nothing in React. The chips' looks are classes: `cm-chip`, `cm-chip-file` and so on. */
export function ComposerInput(props: ComposerInputProps) {
  const { label, placeholder = "", vocabulary = BARE_VOCABULARY, initial = "", ref } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    if (!host.current) return undefined
    const typed = (): TypedSource => ({
      source: made.text(),
      nodes: made.nodes() ?? made.allNodes(),
    })
    const clear = () => made.show(crypto.randomUUID(), "")
    const made: Editor = new Editor(host.current, {
      label,
      vocabulary: latest.current.vocabulary ?? BARE_VOCABULARY,
      events: {
        submit: () => {
          if (latest.current.onSubmit(typed())) clear()
        },
        changed: () => latest.current.onChange?.(typed),
        escape: () => latest.current.onEscape?.() ?? false,
        pasted: (transfer) => latest.current.onPaste?.(transfer) ?? false,
        recall: () => false,
        hint: () => undefined,
        complete: async (source, cursor, signal) =>
          (await latest.current.complete?.(source, cursor, signal)) ?? NOTHING,
      },
    })
    made.show("initial", initial)
    editor.current = made
    return () => made.destroy()
  }, [label, initial])

  useEffect(() => editor.current?.learn(vocabulary), [vocabulary])
  useEffect(() => editor.current?.hint(placeholder), [placeholder])
  useImperativeHandle(
    ref,
    () => ({
      focus: () => editor.current?.focus(),
      insert: (text) => editor.current?.insert(text),
      clear: () => editor.current?.show(crypto.randomUUID(), ""),
    }),
    [],
  )
  return <div ref={host} className="composer" />
}
