import type { ReactNode } from "react"

/** A line across the conversation that says what happened there; more of it can be unfolded. */
export function Divider({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className="group text-xs text-muted">
      <summary className="flex cursor-pointer list-none items-center gap-3 rounded [&::-webkit-details-marker]:hidden">
        <span aria-hidden="true" className="h-px flex-1 bg-line-strong" />
        <span className="rounded-full border border-line px-2.5 py-0.5">{label}</span>
        <span aria-hidden="true" className="h-px flex-1 bg-line-strong" />
      </summary>
      <div className="mt-3 rounded-xl border border-line bg-surface px-4 py-3 text-sm">
        {children}
      </div>
    </details>
  )
}
