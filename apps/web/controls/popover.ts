import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from "react"

const GAP = 6
const EDGE = 8

interface Popover<T extends HTMLElement> {
  readonly trigger: RefObject<T | null>
  readonly popup: RefObject<HTMLDivElement | null>
  readonly isOpen: boolean
  readonly open: () => void
  readonly close: () => void
  /** For the popup element. */
  readonly props: {
    readonly popover: "auto"
    readonly ref: RefObject<HTMLDivElement | null>
    readonly onToggle: (event: { newState: string }) => void
  }
  /** For the element that has the focus while it is open, or one around that. */
  readonly keys: {
    readonly onBlur: (event: FocusEvent) => void
    readonly onKeyDownCapture: (event: KeyboardEvent) => void
  }
}

/** Something small that opens beside its button, over everything else and inside the window. It is
 *  closed by Esc, by a click elsewhere, and when the focus goes elsewhere: no key goes to something
 *  that was left open. */
export function usePopover<T extends HTMLElement>(align: "start" | "end"): Popover<T> {
  const trigger = useRef<T>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const open = useCallback(() => {
    // Not every browser gives the focus to a button that is clicked.
    trigger.current?.focus()
    popup.current?.showPopover()
    setOpen(true)
  }, [])
  const close = useCallback(() => {
    if (popup.current?.contains(document.activeElement)) trigger.current?.focus()
    popup.current?.hidePopover()
    setOpen(false)
  }, [])
  const onToggle = useCallback(
    ({ newState }: { newState: string }) => {
      if (newState === "closed") close()
    },
    [close],
  )
  const onBlur = useCallback(
    ({ relatedTarget: next }: FocusEvent) => {
      const isInside = trigger.current === next || popup.current?.contains(next)
      // The whole window may have lost the focus; then it will come back here.
      if (!isInside && document.hasFocus()) close()
    },
    [close],
  )
  const onKeyDownCapture = useCallback(
    (event: KeyboardEvent) => {
      if (!isOpen || event.key !== "Escape") return
      // What is around, such as a panel, stays open.
      event.preventDefault()
      event.stopPropagation()
      close()
    },
    [isOpen, close],
  )
  useLayoutEffect(() => {
    if (!isOpen || !popup.current || !trigger.current) return undefined
    return keepInside(popup.current, trigger.current, align)
  }, [isOpen, align])
  return {
    trigger,
    popup,
    isOpen,
    open,
    close,
    props: { popover: "auto", ref: popup, onToggle },
    keys: { onBlur, onKeyDownCapture },
  }
}

/** Places a popup now, and again whenever its size, its button's place or the window changes. */
function keepInside(popup: HTMLElement, trigger: HTMLElement, align: "start" | "end"): () => void {
  const place = () => placeBeside(popup, trigger.getBoundingClientRect(), align)
  place()
  const sizes = new ResizeObserver(place)
  sizes.observe(popup)
  sizes.observe(trigger)
  const leave = new AbortController()
  const { signal } = leave
  const onScroll = ({ target }: Event) => {
    if (!(target instanceof Node) || !popup.contains(target)) place()
  }
  addEventListener("resize", place, { signal })
  addEventListener("scroll", onScroll, { signal, capture: true, passive: true })
  visualViewport?.addEventListener("resize", place, { signal })
  visualViewport?.addEventListener("scroll", place, { signal })
  return () => {
    sizes.disconnect()
    leave.abort()
  }
}

/** Below its button where there is room, else above it, else where there is more; never higher than
 *  the room it has, and never past the sides. */
function placeBeside(popup: HTMLElement, at: DOMRect, align: "start" | "end") {
  const seen = visibleWindow()
  popup.style.maxHeight = ""
  popup.style.maxWidth = `${seen.right - seen.left - 2 * EDGE}px`
  const { offsetWidth: width, offsetHeight: wanted } = popup
  const above = at.top - GAP - seen.top - EDGE
  const below = seen.bottom - EDGE - at.bottom - GAP
  const isBelow = wanted <= below || below >= above
  const room = Math.min(isBelow ? below : above, seen.bottom - seen.top - 2 * EDGE)
  const height = Math.min(wanted, room)
  const top = isBelow ? at.bottom + GAP : at.top - GAP - height
  const left = align === "start" ? at.left : at.right - width
  popup.style.maxHeight = `${room}px`
  popup.style.top = `${clamp(top, seen.top + EDGE, seen.bottom - EDGE - height)}px`
  popup.style.left = `${clamp(left, seen.left + EDGE, seen.right - EDGE - width)}px`
}

/** What can be seen of the page: a keyboard on the screen, or zooming in, leaves less of it. */
function visibleWindow() {
  const { offsetTop, offsetLeft, width, height } = visualViewport ?? {
    offsetTop: 0,
    offsetLeft: 0,
    width: innerWidth,
    height: innerHeight,
  }
  return { top: offsetTop, left: offsetLeft, right: offsetLeft + width, bottom: offsetTop + height }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
