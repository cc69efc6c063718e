import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react"
import { isBusy } from "compositor-client/view"
import type { KnownNode } from "compositor-core/compose/node"
import { Editor, isTouch } from "compositor-client/react/editor"
import { completeIn } from "./complete.ts"
import { useApp, useDraftKeeper, useStore } from "../state/context.ts"
import { fatesOf, useLook } from "./fates.ts"
import { isTyping } from "../controls/focus.ts"
import { Recall } from "./recall.ts"
import { strings } from "../state/strings.ts"

const words = strings.composer
const NO_NODES: readonly KnownNode[] = []

export interface ComposerHandle {
  focus(): void
  insert(text: string): void
  replace(from: number, to: number, text: string): void
}

/** The editor lives outside React: a key press draws nothing here. */
export function useEditor(key: string, busy: boolean, handle: RefObject<ComposerHandle | null>) {
  const { actions, desk, store } = useApp()
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const shown = useRef(key)
  const [hint, setHint] = useState<string>()
  const revision = useDraftKeeper((desk) => desk.revision(key))
  const amends = useDraftKeeper((desk) => desk.amends(key))
  const vocabulary = useStore((state) => state.vocabulary)

  useEffect(() => {
    if (!host.current) return undefined
    const recall = new Recall(() => store.read().view?.messages ?? [])
    const made: Editor = new Editor(host.current, {
      label: words.label,
      vocabulary: store.read().vocabulary,
      events: {
        submit: (urgent) => {
          recall.reset()
          const { view } = store.read()
          const steers = urgent && view !== undefined && isBusy(view.status)
          actions.submit(steers ? "steer" : "immediate")
        },
        changed: () => desk.edited(shown.current, made, made.isEmpty),
        pasted: (transfer) => actions.attach.paste(transfer, (text) => made.insert(text)),
        escape: () => {
          const { editing, view } = store.read()
          if (editing) void actions.queue.putBack(editing)
          else if (view && isBusy(view.status)) void actions.stop()
          else return false
          return true
        },
        recall: (step) => {
          const { view, editing } = store.read()
          const last = view?.queue.at(-1)
          if (step < 0 && made.isEmpty && last && !editing) {
            void actions.queue.edit(last)
            return true
          }
          const text = recall.step(step, made.text())
          if (text === undefined) return false
          desk.write(shown.current, text)
          return true
        },
        hint: setHint,
        complete: (source, cursor, signal) => completeIn(store, { source, cursor }, signal),
      },
    })
    editor.current = made
    return () => made.destroy()
  }, [actions, desk, store])

  useEffect(() => {
    shown.current = key
    editor.current?.show(`${key} ${revision}`, desk.text(key), desk.written(key))
    // On a touch screen focus would push the keyboard over what was just opened, and what is typed
    // elsewhere goes on there.
    if (!isTouch() && !isTyping(document.activeElement)) editor.current?.focus()
    return () => desk.release(key)
  }, [desk, key, revision])

  useEffect(() => {
    if (amends > 0) editor.current?.amend(desk.text(key), desk.written(key))
  }, [desk, key, amends])
  useEffect(() => editor.current?.learn(vocabulary), [vocabulary])
  useEffect(() => {
    editor.current?.hint(busy ? words.placeholderBusy : words.placeholder)
  }, [busy])

  const nodes = useCallback(() => editor.current?.allNodes() ?? NO_NODES, [])
  const look = useLook(key, nodes)
  useEffect(() => {
    const text = editor.current?.text() ?? ""
    editor.current?.tellFates(fatesOf(look, text, nodes()))
  }, [look, nodes])

  useImperativeHandle(
    handle,
    () => ({
      focus: () => editor.current?.focus(),
      insert: (text) => editor.current?.insert(text),
      replace: (from, to, text) => editor.current?.replace(from, to, text),
    }),
    [],
  )
  return { host, hint, look }
}
