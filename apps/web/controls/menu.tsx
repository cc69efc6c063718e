import { type KeyboardEvent, type ReactNode, useEffect } from "react"
import { iconLooks, itemLooks, popupLooks } from "./controls.tsx"
import { usePopover } from "./popover.ts"

export interface MenuItem {
  readonly label: string
  readonly run: () => void
  readonly icon?: ReactNode
  readonly danger?: boolean
  readonly disabled?: boolean
}

interface MenuProps {
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly children: ReactNode
  readonly className?: string
}

/** A button that opens a list of things to do. */
export function Menu({ label, items, children, className = "size-8" }: MenuProps) {
  const { trigger, popup, isOpen, open, close, props, keys } = usePopover<HTMLButtonElement>("end")
  useEffect(() => {
    if (isOpen) itemsIn(popup.current)[0]?.focus()
  }, [isOpen, popup])
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : open())}
        className={`${iconLooks} ${className}`}
      >
        {children}
      </button>
      <div
        {...props}
        {...keys}
        role="menu"
        aria-label={label}
        onKeyDown={move}
        className={`${popupLooks} popup min-w-44 overflow-y-auto`}
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={item.disabled}
              onClick={() => {
                close()
                item.run()
              }}
              className={`${itemLooks} w-full text-left ${item.danger ? "text-danger" : ""}`}
            >
              {item.icon}
              {item.label}
            </button>
          ))}
      </div>
    </>
  )
}

function itemsIn(popup: HTMLElement | null): HTMLElement[] {
  return [...(popup?.querySelectorAll<HTMLElement>("[role=menuitem]:enabled") ?? [])]
}

function move(event: KeyboardEvent<HTMLDivElement>) {
  const items = itemsIn(event.currentTarget)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1, Tab: at }[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next === items.length ? 0 : next)?.focus()
}
