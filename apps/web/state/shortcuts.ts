import { useEffect } from "react"
import { isTyping } from "../controls/focus.ts"
import type { PageStore } from "./store.ts"
import { goTo } from "./token.ts"

interface Shortcuts {
  readonly help: () => void
  readonly xray: () => void
  readonly focus: () => void
  readonly stash: () => void
  readonly store: PageStore
}

/** The keys that work everywhere. Those that are also letters work only where nothing is typed. */
export function useShortcuts({ help, xray, focus, stash, store }: Shortcuts) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.defaultPrevented) return
      const act = shortcut(event, { help, xray, focus, stash, store })
      if (!act && isUnheardLetter(event)) focus()
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [help, xray, focus, stash, store])
}

function shortcut(event: KeyboardEvent, { help, xray, focus, stash, store }: Shortcuts) {
  const mod = event.ctrlKey || event.metaKey
  if (mod && event.key === ".") return xray
  if (mod && event.key === "s") return stash
  if (mod && event.shiftKey && event.key.toLowerCase() === "o") return () => goTo(undefined)
  if (event.altKey && !mod && event.key === "ArrowUp") return () => goBy(store, -1)
  if (event.altKey && !mod && event.key === "ArrowDown") return () => goBy(store, 1)
  if (mod || event.altKey || isTyping(event.target)) return undefined
  if (event.key === "?") return help
  if (event.key === "/") return focus
  return undefined
}

function goBy(store: PageStore, step: number) {
  const { sessions, current } = store.read()
  const at = sessions.findIndex((session) => session.id === current)
  const next = sessions[Math.max(0, at + step)]
  if (next) goTo(next.id)
}

const HEARS_LETTERS = "button, a, summary, dialog, [popover], aside:has([role=textbox])"

/** A letter that nothing hears, as when a panel that was opened has the focus: whoever goes on
 *  writing means the composer, which gets it when it has the focus in time. */
function isUnheardLetter({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key.length !== 1 || key === " " || ctrlKey || metaKey || altKey) return false
  if (!(target instanceof Element) || isTyping(target)) return false
  return target.closest(HEARS_LETTERS) === null
}
