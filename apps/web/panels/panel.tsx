import { type ReactNode, type RefObject, useRef } from "react"
import { IconButton } from "../controls/controls.tsx"
import { usePaneFocus } from "../controls/focus.ts"
import { CloseIcon } from "../controls/icons.tsx"

interface PanelProps {
  readonly title: string
  readonly close: string
  readonly onClose: () => void
  readonly head?: ReactNode
  readonly children: ReactNode
  /** What the scrolled part shows, in words. */
  readonly about: string
  readonly foot?: ReactNode
  readonly wide?: boolean
  /** What takes the focus when it opens; its content where nothing is said. */
  readonly first?: RefObject<{ focus(): void } | null>
  /** It was there before anybody asked for it, and leaves the focus where it is. */
  readonly isRestored?: boolean
}

/** Something beside the conversation: over it where there is no room. */
export function Panel({
  title,
  close,
  onClose,
  head,
  children,
  about,
  foot,
  ...props
}: PanelProps) {
  const { wide, first, isRestored = false } = props
  const pane = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  usePaneFocus(pane, first ?? content, !isRestored)
  return (
    <aside
      ref={pane}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onClose()
      }}
      className={`fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-canvas shadow-xl xl:static xl:z-auto xl:shadow-none ${wide ? "max-w-2xl xl:w-[34rem] 2xl:w-[42rem]" : "max-w-md xl:w-96 2xl:w-md"}`}
    >
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{title}</h2>
        {head}
        <IconButton label={close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </header>
      <div
        ref={content}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3 focus-visible:-outline-offset-2"
        tabIndex={0}
        role="region"
        aria-label={about}
      >
        {children}
      </div>
      {foot}
    </aside>
  )
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

export function Quiet({ children }: { children: ReactNode }) {
  return <p className="text-sm text-muted">{children}</p>
}

export function Totals({ children }: { children: ReactNode }) {
  return <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted">{children}</p>
}
