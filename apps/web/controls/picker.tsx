import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react"
import { itemLooks, looks, popupLooks } from "./controls.tsx"
import { CheckIcon, ChevronsIcon } from "./icons.tsx"
import { usePopover } from "./popover.ts"

export interface PickerOption {
  readonly value: string
  readonly label: string
  readonly about?: string
  readonly disabled?: boolean
}

interface PickerProps {
  readonly label: string
  readonly choices: readonly PickerOption[]
  readonly value: string
  readonly onChoose: (value: string) => void
  readonly shown?: ReactNode
  readonly className?: string
}

const FORGET_AFTER = 700

/** One of a list, by mouse, by arrows, or by the letters it begins with. */
export function ListPicker({
  label,
  choices,
  value,
  onChoose,
  shown,
  className = "",
}: PickerProps) {
  const { trigger, popup, isOpen, open, close, props, keys } =
    usePopover<HTMLButtonElement>("start")
  const id = useId()
  const [at, setAt] = useState(0)
  const typed = useRef({ text: "", since: 0 })

  const show = () => {
    const chosen = choices.findIndex((choice) => choice.value === value)
    go(Math.max(0, chosen))
    open()
  }
  const go = (next: number) => {
    setAt(next)
    requestAnimationFrame(() =>
      popup.current?.querySelector("[data-highlighted]")?.scrollIntoView({ block: "nearest" }),
    )
  }
  const choose = (choice: PickerOption | undefined) => {
    if (!choice || choice.disabled) return
    close()
    onChoose(choice.value)
  }
  const search = (letter: string) => {
    const now = Date.now()
    const text = now - typed.current.since < FORGET_AFTER ? typed.current.text + letter : letter
    typed.current = { text, since: now }
    const found = choices.findIndex(({ label }) => label.toLowerCase().startsWith(text))
    if (found >= 0) go(found)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, (() => void) | undefined> = isOpen
      ? {
          ArrowDown: () => go(nextOf(choices, at, 1)),
          ArrowUp: () => go(nextOf(choices, at, -1)),
          Home: () => go(nextOf(choices, -1, 1)),
          End: () => go(nextOf(choices, choices.length, -1)),
          Enter: () => choose(choices[at]),
          " ": () => choose(choices[at]),
          Tab: close,
        }
      : { ArrowDown: show, ArrowUp: show }
    const act = keys[event.key]
    if (act) {
      if (event.key !== "Tab") event.preventDefault()
      return act()
    }
    const isLetter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey
    if (isOpen && isLetter) search(event.key.toLowerCase())
  }

  return (
    <>
      <button
        {...keys}
        ref={trigger}
        type="button"
        role="combobox"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-activedescendant={isOpen ? `${id}-${at}` : undefined}
        onClick={() => (isOpen ? close() : show())}
        onKeyDown={onKeyDown}
        className={looks("plain", `min-w-0 gap-1 ${className}`)}
      >
        <span className="truncate">
          {shown ?? choices.find((choice) => choice.value === value)?.label ?? value}
        </span>
        <ChevronsIcon className="size-3.5" />
      </button>
      {/* A press on the list leaves the focus on the button, whose keys move in the list. */}
      <div
        {...props}
        onMouseDown={(event) => event.preventDefault()}
        className={`${popupLooks} popup flex`}
      >
        <div
          role="listbox"
          id={id}
          aria-label={label}
          className="max-h-80 max-w-full min-w-64 overflow-y-auto"
        >
          {isOpen &&
            choices.map((choice, index) => (
              <div
                key={choice.value}
                id={`${id}-${index}`}
                role="option"
                aria-selected={choice.value === value}
                aria-disabled={choice.disabled}
                data-highlighted={index === at ? "" : undefined}
                data-disabled={choice.disabled ? "" : undefined}
                onPointerMove={() => setAt(index)}
                onClick={() => choose(choice)}
                className={itemLooks}
              >
                <span className="w-4">
                  {choice.value === value && <CheckIcon className="size-4 text-accent" />}
                </span>
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{choice.label}</span>
                  {choice.about && (
                    <span className="block truncate text-xs text-muted">{choice.about}</span>
                  )}
                </span>
              </div>
            ))}
        </div>
      </div>
    </>
  )
}

/** The next one that can be chosen; the same where there is none. */
function nextOf(choices: readonly PickerOption[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < choices.length; at += step)
    if (!choices[at]?.disabled) return at
  return Math.max(0, Math.min(from, choices.length - 1))
}
