import { type ReactNode, useLayoutEffect, useRef } from "react"
import { IconButton } from "./controls.tsx"
import { CloseIcon } from "./icons.tsx"
import { strings } from "../state/strings.ts"

interface DialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** An alert is answered, not clicked away. */
  readonly alert?: boolean
  readonly className?: string
}

/** Where something is to be filled in, that is what the focus is for. */
const FIELD = "input:enabled, select:enabled, textarea:enabled"

/** The browser's own dialog: it keeps the focus inside, closes on Esc and gives the focus back. */
export function Dialog({ label, onClose, children, alert = false, className }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    shown?.querySelector<HTMLElement>(FIELD)?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      role={alert ? "alertdialog" : undefined}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onKeyDown={(event) => {
        // Esc is for this dialog, and not for a pane around it.
        if (event.key === "Escape") event.stopPropagation()
      }}
      onClick={(event) => {
        if (!alert && event.target === dialog.current) onClose()
      }}
      className={`dialog ${className ?? "m-auto max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] rounded-2xl border border-line bg-surface p-5 text-ink shadow-xl"}`}
    >
      {children}
    </dialog>
  )
}

export function DialogHead({ title, onClose }: { title: string; onClose: () => void }) {
  return (
    <div className="mb-3 flex items-center justify-between">
      <h2 className="text-lg font-semibold">{title}</h2>
      <IconButton label={strings.close} onClick={onClose}>
        <CloseIcon />
      </IconButton>
    </div>
  )
}
