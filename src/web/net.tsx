import { Component, type ReactNode } from "react"
import { Button } from "./controls.tsx"
import { strings } from "./strings.ts"
import { messageOf } from "./trying.ts"

/** Catches what breaks while drawing: a page that says so, and not a blank one. */
export class Net extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <main className="mx-auto flex h-full max-w-lg flex-col items-start justify-center gap-4 px-6">
        <h1 className="text-2xl font-semibold">{strings.broken.title}</h1>
        <p className="text-muted">{strings.broken.text}</p>
        <pre className="max-w-full overflow-auto rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm">
          {messageOf(error)}
        </pre>
        <Button look="solid" onClick={() => location.reload()}>
          {strings.broken.reload}
        </Button>
      </main>
    )
  }
}
