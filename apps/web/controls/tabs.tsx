import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { NoteNet } from "./error-boundary.tsx"

export interface Tab {
  readonly name: string
  readonly children: () => ReactNode
}

/** One of several things at a time; the arrows go along. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [at, setAt] = useState(0)
  const id = useId()
  const shown = tabs[Math.min(at, tabs.length - 1)]
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = (at + step + tabs.length) % tabs.length
    setAt(next)
    event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus()
  }
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="mb-3 flex flex-wrap gap-1 border-b border-line"
      >
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
            className="-mb-px border-b-2 border-transparent px-2.5 py-1.5 text-sm text-muted hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${at}`}>
        {shown && (
          <NoteNet of={shown.name}>
            <Shown key={shown.name} tab={shown} />
          </NoteNet>
        )}
      </div>
    </div>
  )
}

/** A component of its own, so that what breaks in it is caught around it. */
function Shown({ tab }: { tab: Tab }) {
  return tab.children()
}
