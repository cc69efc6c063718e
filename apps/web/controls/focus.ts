import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"
import { isTouch } from "compositor-client/react/editor"

/** Marks what waits for a person's decision. */
export const WAITS = { "data-waits": "", tabIndex: -1 } as const

/** What takes the focus when something opens. */
interface Focusable {
  focus(): void
}

/** A pane takes the focus when it opens, and gives it back to where it was when it closes with the
 *  focus in it. */
export function usePaneFocus(
  pane: RefObject<HTMLElement | null>,
  first: RefObject<Focusable | null>,
  takes = true,
) {
  const opener = useRef<Element>(null)
  useEffect(() => {
    opener.current = document.activeElement
    if (takes) first.current?.focus()
  }, [first, takes])
  // A layout effect is undone while the pane is still there to be asked.
  useLayoutEffect(() => {
    const element = pane.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const back = opener.current
      if (back instanceof HTMLElement && back.isConnected && back !== document.body) back.focus()
      else focusComposer()
    }
  }, [pane])
}

/** When what had the focus goes away, the next key would go nowhere. The focus goes to the composer,
 *  or, after a decision, to the next that is to be made: to its card and not to its button, so that
 *  a key pressed twice decides nothing. */
export function keepFocus() {
  let last: Element | undefined
  let hasDecided = false
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : undefined
    hasDecided = last?.closest("[data-waits]") != null
  })
  const look = () => {
    if (!last || last.isConnected || document.activeElement !== document.body) return
    last = undefined
    const next = document.querySelector<HTMLElement>("[data-waits]")
    if (hasDecided && next) next.focus()
    else focusComposer()
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

/** On a touch screen the focus would bring up the keyboard. */
function focusComposer() {
  if (isTouch()) return
  document.querySelector<HTMLElement>("form.composer [role=textbox]")?.focus()
}

/** Whether something is typed here that must not be interrupted. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest("input, textarea, select") !== null
}
