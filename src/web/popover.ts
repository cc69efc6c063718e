import { type RefObject, useCallback, useRef, useState } from "react"

const GAP = 6
const EDGE = 8

export interface Popover<T extends HTMLElement> {
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
}

/** Something small that opens beside its button, over everything else. The browser closes it on Esc
 *  and on a click elsewhere. */
export function usePopover<T extends HTMLElement>(align: "start" | "end"): Popover<T> {
  const trigger = useRef<T>(null)
  const popup = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const open = useCallback(() => {
    if (!popup.current || !trigger.current) return
    popup.current.showPopover()
    place(popup.current, trigger.current.getBoundingClientRect(), align)
  }, [align])
  const close = useCallback(() => popup.current?.hidePopover(), [])
  const onToggle = useCallback(({ newState }: { newState: string }) => {
    setOpen(newState === "open")
    if (newState === "closed" && popup.current?.contains(document.activeElement))
      trigger.current?.focus()
  }, [])
  return {
    trigger,
    popup,
    isOpen,
    open,
    close,
    props: { popover: "auto", ref: popup, onToggle },
  }
}

function place(popup: HTMLElement, at: DOMRect, align: "start" | "end") {
  const { offsetWidth: width, offsetHeight: height } = popup
  const below = innerHeight - at.bottom - GAP - EDGE
  const top = height <= below ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height)
  const left = align === "start" ? at.left : at.right - width
  popup.style.top = `${top}px`
  popup.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`
}
