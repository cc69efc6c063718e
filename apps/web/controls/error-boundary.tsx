import { Component, type ComponentType, type ReactNode } from "react"
import { Button } from "./controls.tsx"
import { AlertIcon } from "./icons.tsx"
import { strings } from "../state/strings.ts"
import { say } from "./toasts.tsx"
import { failureText } from "../state/safe-actions.ts"

interface NetProps {
  readonly children: ReactNode
  /** What stands in the place of what broke. */
  readonly fallback: ComponentType<{ error: unknown }>
  readonly onBroken?: (error: unknown) => void
  /** What is drawn: when it is another one, drawing is tried again. */
  readonly of?: unknown
}

interface NetState {
  readonly of: unknown
  readonly broken: { readonly error: unknown } | undefined
}

/** Catches what breaks while drawing, so that what is around it goes on. */
class Net extends Component<NetProps, NetState> {
  override state: NetState = { of: this.props.of, broken: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { broken: { error } }
  }

  static getDerivedStateFromProps({ of }: NetProps, state: NetState): NetState | null {
    return of === state.of ? null : { of, broken: undefined }
  }

  override componentDidCatch(error: unknown) {
    this.props.onBroken?.(error)
  }

  override render() {
    const { broken } = this.state
    const { fallback: Fallback, children } = this.props
    return broken ? <Fallback error={broken.error} /> : children
  }
}

/** The whole page: it says that it broke, and is not blank. */
export function PageBoundary({ children }: { children: ReactNode }) {
  return <Net fallback={BrokenPage}>{children}</Net>
}

interface PaneNetProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Something that can be closed: when it breaks it is, and a notice says so. */
export function PaneNet({ title, onClose, children }: PaneNetProps) {
  const close = (error: unknown) => {
    onClose()
    say(strings.broken.pane(title, failureText(error)))
  }
  return (
    <Net fallback={Nothing} onBroken={close}>
      {children}
    </Net>
  )
}

/** Something among others, such as a message: a note stands in its place. */
export function NoteNet({ of, children }: { of: unknown; children: ReactNode }) {
  return (
    <Net of={of} fallback={BrokenNote}>
      {children}
    </Net>
  )
}

function Nothing() {
  return null
}

function BrokenNote({ error }: { error: unknown }) {
  return (
    <p
      role="note"
      className="flex items-center gap-2 rounded-xl bg-danger-soft px-4 py-2.5 text-sm text-danger"
    >
      <AlertIcon className="size-4 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {strings.broken.note(failureText(error))}
      </span>
    </p>
  )
}

function BrokenPage({ error }: { error: unknown }) {
  return (
    <main className="mx-auto flex h-full max-w-lg flex-col items-start justify-center gap-4 px-6">
      <h1 className="text-2xl font-semibold">{strings.broken.title}</h1>
      <p className="text-muted">{strings.broken.text}</p>
      <pre className="max-w-full overflow-auto rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm">
        {failureText(error)}
      </pre>
      <Button look="solid" onClick={() => location.reload()}>
        {strings.broken.reload}
      </Button>
    </main>
  )
}
