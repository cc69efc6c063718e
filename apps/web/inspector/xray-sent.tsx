import { useEffect, useState } from "react"
import type { StoredReceipt } from "compositor-client/client"
import { turnOf } from "compositor-client/view"
import type { StoredMessage, Turn } from "compositor-core/message/row"
import { useApp, useStore } from "../state/context.ts"
import { formatBytes, showCount, showModel, showSeconds } from "../state/format.ts"
import { partOf } from "../thread/message-parts.ts"
import { Quiet, Section, Totals } from "../panels/panel.tsx"
import { Receipts } from "./receipts.tsx"
import { xrayStrings as words } from "../state/strings/xray.ts"

/** What was recorded of a message that was sent. */
export function SentXray({ message }: { message: StoredMessage }) {
  const recorded = useReceipts(message)
  if (!recorded) return <Quiet>{words.waiting}</Quiet>
  const { turn, receipts } = recorded
  const own = receipts.filter((receipt) => receipt.message_id === message.id)
  if (!turn || own.length === 0) return <Quiet>{words.noReceipts}</Quiet>
  const tokens = own.reduce((sum, receipt) => sum + receipt.tokens, 0)
  const bytes = own.reduce((sum, receipt) => sum + receipt.bytes, 0)
  const parts = new Map(message.parts.map((part) => [part.id, partOf(part)]))
  return (
    <div className="space-y-5">
      <Totals>
        <span className="font-medium text-ink">{showModel(turn.model)}</span>
        <span>{words.tokens(showCount(tokens))}</span>
        <span>{formatBytes(bytes)}</span>
        {turn.ended_at && <span>{showSeconds(turn.ended_at - turn.started_at)}</span>}
        {turn.attempt > 1 && <span>{words.turn(turn.attempt)}</span>}
      </Totals>
      {turn.notices.map((notice) => (
        <p key={notice} className="rounded-xl bg-warn-soft px-3 py-2 text-sm text-warn">
          {notice}
        </p>
      ))}
      <Section title={words.sent}>
        <Receipts receipts={own} partFor={(receipt) => parts.get(receipt.part)} />
      </Section>
    </div>
  )
}

interface Recorded {
  readonly turn: Turn | undefined
  readonly receipts: readonly StoredReceipt[]
}

function useReceipts(message: StoredMessage): Recorded | undefined {
  const { store, actions } = useApp()
  const told = useStore(({ view }) => view && turnOf(view, message.id))
  const [recorded, setRecorded] = useState<Recorded>()
  const { id, session_id: session } = message
  useEffect(() => {
    let wanted = true
    void actions.try(async () => {
      const turn = told ?? lastOf((await store.client.turns(session, { message: id })).turns)
      const receipts = turn ? (await store.client.receipts(session, turn.id)).receipts : []
      if (wanted) setRecorded({ turn, receipts })
    })
    return () => {
      wanted = false
    }
  }, [store, actions, session, id, told])
  return recorded
}

function lastOf(turns: readonly Turn[]): Turn | undefined {
  return turns.toSorted((a, b) => b.fence - a.fence || b.attempt - a.attempt)[0]
}
