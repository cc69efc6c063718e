// The page that `npm run bench -- web` types into: three editors with the same content.

import { EditorView } from "@codemirror/view"
import { createRoot } from "react-dom/client"
import { BARE_VOCABULARY } from "../../packages/core/compose/vocabulary.ts"
import { ComposerInput } from "../../packages/client/react/composer-input.tsx"

/** Something to type into. */
export interface Mounted {
  readonly chips: () => number
  /** Put the cursor at the end of the middle line. */
  readonly toMiddle: () => void
  readonly length: () => number
}

type Mount = (parent: HTMLElement, source: string) => Promise<Mounted>

const MOUNTS: Record<string, Mount> = { textarea: mountTextarea, ours: mountOurs }

/** Another editor, which the bench brings along. */
export function addMount(name: string, mount: Mount) {
  MOUNTS[name] = mount
}

async function mountTextarea(parent: HTMLElement, source: string): Promise<Mounted> {
  const area = document.createElement("textarea")
  area.style.cssText = "width:100%;height:100%;resize:none;font:inherit;line-height:inherit"
  area.value = source
  parent.append(area)
  return {
    chips: () => 0,
    length: () => area.value.length,
    toMiddle: () => {
      area.focus()
      const at = middleOf(area.value)
      area.setSelectionRange(at, at)
    },
  }
}

async function mountOurs(parent: HTMLElement, source: string): Promise<Mounted> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const root = createRoot(parent)
  root.render(
    <ComposerInput
      label="Message"
      vocabulary={BARE_VOCABULARY}
      initial={source}
      onSubmit={() => false}
      onChange={() => undefined}
    />,
  )
  const look = () => (parent.querySelector(".cm-content") ? resolve() : setTimeout(look, 5))
  look()
  await promise
  const view = EditorView.findFromDOM(parent)
  if (!view) throw new Error("There is no editor in the page.")
  view.dom.style.maxHeight = "100%"
  view.dom.style.height = "100%"
  return {
    chips: () => parent.querySelectorAll(".cm-chip").length,
    length: () => view.state.doc.length,
    toMiddle: () => {
      view.focus()
      const anchor = middleOf(view.state.doc.toString())
      view.dispatch({ selection: { anchor }, scrollIntoView: true })
    },
  }
}

function middleOf(source: string): number {
  const lines = source.split("\n")
  return lines.slice(0, Math.ceil(lines.length / 2)).join("\n").length
}

let mounted: Mounted | undefined

Object.assign(window, {
  bench: {
    async mount(name: string, source: string): Promise<number> {
      const parent = document.createElement("div")
      parent.style.cssText =
        "width:720px;height:320px;overflow:auto;font:15px/1.55 sans-serif;position:relative"
      document.body.style.overflow = "visible"
      document.body.replaceChildren(parent)
      const mount = MOUNTS[name]
      if (!mount) throw new Error(`There is no editor ${name}.`)
      const began = performance.now()
      mounted = await mount(parent, source)
      void parent.offsetHeight
      return performance.now() - began
    },
    toMiddle: () => mounted?.toMiddle(),
    length: () => mounted?.length(),
    chips: () => mounted?.chips(),
    /** Until what was typed is on the screen. */
    painted: () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.addEventListener("message", () => resolve())
          port1.start()
          port2.postMessage(undefined)
        })
      }),
    addMount,
    middleOf,
  },
})
