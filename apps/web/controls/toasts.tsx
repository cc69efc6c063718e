import { useEffect, useState, useSyncExternalStore } from "react"
import { Button, IconButton } from "./controls.tsx"
import { CloseIcon } from "./icons.tsx"
import { strings } from "../state/strings.ts"

export interface ToastAction {
  readonly label: string
  readonly run: () => void
}
interface Toast {
  readonly text: string
  readonly action?: ToastAction
}

const MOST = 4
const SHOWN_FOR = 8_000
const SHOWN_WITH_ACTION_FOR = 12_000

let toasts: readonly Toast[] = []
const listeners = new Set<() => void>()

/** A notice that goes away by itself. The same words twice are one. */
export function say(text: string, action?: ToastAction) {
  const others = toasts.filter((toast) => toast.text !== text)
  show([...others, { text, ...(action ? { action } : {}) }].slice(-MOST))
}

function dismiss(text: string) {
  show(toasts.filter((toast) => toast.text !== text))
}

function show(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section
      aria-label={strings.toast.region}
      aria-live="polite"
      className="pointer-events-none fixed top-14 right-4 left-4 z-50 flex max-h-[calc(100dvh-5rem)] flex-col items-end gap-2 overflow-y-auto sm:left-auto sm:w-96"
    >
      {shown.map((toast) => (
        <ToastCard key={toast.text} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast: { text, action } }: { toast: Toast }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return undefined
    const timer = setTimeout(() => dismiss(text), action ? SHOWN_WITH_ACTION_FOR : SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [held, text, action])
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full shrink-0 items-start gap-2 rounded-xl border border-line-strong bg-surface py-2 pr-2 pl-4 text-sm text-ink shadow-lg"
    >
      <p className="max-h-60 min-w-0 flex-1 overflow-y-auto py-1.5 break-words whitespace-pre-line">
        {text}
      </p>
      {action && (
        <Button
          look="outline"
          onClick={() => {
            dismiss(text)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label={strings.toast.close} onClick={() => dismiss(text)}>
        <CloseIcon className="size-4" />
      </IconButton>
    </div>
  )
}
