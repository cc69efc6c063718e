import { useEffect, useState } from "react"
import type { ReceiptChange, SwitchAnswer } from "compositor-client/client"
import type { Outcome } from "compositor-core/model/receipt"
import { useApp, useStore } from "../state/context.ts"
import { showCount } from "../state/format.ts"
import { Quiet, Section } from "../panels/panel.tsx"
import { Badge } from "./outcome-badge.tsx"
import { xrayStrings as words } from "../state/strings/xray.ts"

/** What changes in the history when the session goes on with another model (BEY-02). */
export function SwitchReportView({ model }: { model: string }) {
  const { store, actions } = useApp()
  const session = useStore((state) => state.current)
  const [report, setReport] = useState<SwitchAnswer>()
  useEffect(() => {
    let wanted = true
    if (!session) return undefined
    void actions
      .try(() => store.client.switchReport(session, model))
      .then((answer) => {
        if (wanted) setReport(answer)
      })
    return () => {
      wanted = false
    }
  }, [store, actions, session, model])
  if (!session) return null
  if (!report) return <Quiet>{words.waiting}</Quiet>
  const { to, changes } = report
  return (
    <Section title={words.switch}>
      <p className={`text-sm ${to.fits ? "text-muted" : "text-danger"}`}>
        {to.fits
          ? words.fits(showCount(to.tokens), showCount(to.context_tokens))
          : words.fitsNot(showCount(to.tokens), showCount(to.context_tokens))}
      </p>
      {changes.length === 0 && <Quiet>{words.noChanges}</Quiet>}
      <ul className="mt-2 space-y-2">
        {changes.map((change) => (
          <Change key={`${change.message_id} ${change.part}`} change={change} />
        ))}
      </ul>
    </Section>
  )
}

function Change({ change: { type, before, after } }: { change: ReceiptChange }) {
  return (
    <li className="rounded-xl border border-line bg-surface px-3 py-2 text-sm">
      <span className="flex flex-wrap items-center gap-1.5">
        <span className="font-medium">{type}</span>
        <Fate outcome={before?.outcome} />
        <span aria-label={words.becomes}>→</span>
        <Fate outcome={after?.outcome} />
      </span>
      {after && <p className="mt-1 text-muted">{after.reason}</p>}
    </li>
  )
}

function Fate({ outcome }: { outcome: Outcome | undefined }) {
  return outcome ? <Badge outcome={outcome} /> : <span className="text-muted">{words.absent}</span>
}
