import { type ReactNode, useEffect, useState } from "react"
import type { AnyPart, LowerAnswer, StoredReceipt } from "../client/client.ts"
import { turnOf } from "../client/view.ts"
import type { StoredMessage, Turn } from "../message/row.ts"
import type { Block } from "../model/prompt.ts"
import { draftKeyOf, messageOf, partOf } from "./actions.ts"
import { useApp, useStore } from "./context.ts"
import { Button, IconButton } from "./controls.tsx"
import { showBytes, showCount, showModel, showSeconds } from "./format.ts"
import { AlertIcon, CloseIcon, FileIcon } from "./icons.tsx"
import { partsIn } from "./desk.ts"
import { Fence } from "./markdown-view.tsx"
import { chosenModel } from "./model-picker.tsx"
import { Receipts } from "./receipts.tsx"
import { strings } from "./strings.ts"

const words = strings.xray
const LOOK_AFTER = 250

/** What the model will see of the draft, or saw of a message. */
export default function Xray({
  message,
  onBack,
  onClose,
}: {
  message: StoredMessage | undefined
  onBack: () => void
  onClose: () => void
}) {
  return (
    <aside
      aria-label={words.title}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose()
      }}
      className="fixed inset-y-0 right-0 z-30 flex w-full max-w-md flex-col border-l border-line bg-canvas shadow-xl xl:static xl:z-auto xl:w-96 xl:shadow-none 2xl:w-md"
    >
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{words.title}</h2>
        {message && <Button onClick={onBack}>{words.back}</Button>}
        <IconButton label={words.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </header>
      <div
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3"
        tabIndex={0}
        role="region"
        aria-label={message ? words.sent : words.draft}
      >
        {message ? <Sent message={message} /> : <Draft />}
      </div>
    </aside>
  )
}

interface Look {
  readonly parts: readonly AnyPart[]
  readonly answer?: LowerAnswer
  readonly error?: string
}

function Draft() {
  const [wire, setWire] = useState(false)
  const look = useDryRun(wire)
  if (look.error)
    return (
      <Notice>
        <AlertIcon className="size-4" />
        {look.error}
      </Notice>
    )
  if (look.parts.length === 0) return <p className="text-sm text-muted">{words.empty}</p>
  if (!look.answer) return <p className="text-sm text-muted">{words.waiting}</p>
  const { answer, parts } = look
  const blocks = answer.prompt.messages.at(-1)?.blocks ?? []
  const earlier = answer.prompt.messages.length - 1
  return (
    <div className="space-y-5">
      <Totals>
        <span className="font-medium text-ink">{answer.model}</span>
        <span>{words.tokens(showCount(answer.tokens))}</span>
        <span>{words.bytes(showBytes(answer.bytes))}</span>
        {earlier > 0 && <span>{words.history(earlier)}</span>}
      </Totals>
      <Part title={words.parts}>
        <Receipts receipts={answer.receipts} partFor={(receipt) => parts[Number(receipt.part)]} />
      </Part>
      <Part title={words.blocks}>
        <ol className="space-y-2">
          {blocks.map((block, at) => (
            <li key={at}>
              <BlockCard block={block} />
            </li>
          ))}
        </ol>
      </Part>
      <details open={wire} onToggle={(event) => setWire(event.currentTarget.open)}>
        <summary className="cursor-pointer rounded text-sm font-semibold">{words.wire}</summary>
        {answer.body !== null && (
          <div className="mt-2">
            <Fence language={answer.api} text={JSON.stringify(answer.body, shortened, 2)} />
          </div>
        )}
      </details>
    </div>
  )
}

/** The dry run of what lies in the composer, a moment after it last changed. */
function useDryRun(withBody: boolean): Look {
  const { store, desk } = useApp()
  const key = useStore(draftKeyOf)
  const session = useStore((state) => state.current)
  const model = useStore(chosenModel)
  const [look, setLook] = useState<Look>({ parts: [] })

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let asking = new AbortController()
    const ask = async () => {
      asking.abort()
      asking = new AbortController()
      const { signal } = asking
      const parts = desk.parts(key)
      if (parts.length === 0) return setLook({ parts })
      try {
        const answer = await store.client.lower(
          {
            message: { source: desk.text(key), parts: partsIn(desk.attachments(key)) },
            with_body: withBody,
            ...(model ? { model } : {}),
            ...(session ? { session_id: session } : {}),
          },
          signal,
        )
        if (!signal.aborted) setLook({ parts: answer.parts, answer })
      } catch (error) {
        if (!signal.aborted && !store.noticed(error)) setLook({ parts, error: messageOf(error) })
      }
    }
    const soon = () => {
      clearTimeout(timer)
      timer = setTimeout(() => void ask(), LOOK_AFTER)
    }
    void ask()
    const leave = desk.subscribe(soon)
    return () => {
      clearTimeout(timer)
      asking.abort()
      leave()
    }
  }, [store, desk, key, session, model, withBody])
  return look
}

// A picture is half a megabyte of letters that nobody reads.
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= 600) return value
  return `${value.slice(0, 500)}… (${showCount(value.length)} characters)`
}

function BlockCard({ block }: { block: Block }) {
  if (block.type === "text")
    return (
      <pre
        className="max-h-72 overflow-auto rounded-xl border border-line bg-sunken px-3 py-2 font-mono text-xs leading-normal whitespace-pre-wrap [overflow-wrap:anywhere]"
        tabIndex={0}
      >
        {block.text}
      </pre>
    )
  const size = block.type === "image" ? `${block.width} × ${block.height}, ` : ""
  return (
    <div className="flex items-center gap-2 rounded-xl border border-line bg-sunken px-3 py-2 text-sm">
      <FileIcon className="text-muted" />
      <span className="min-w-0 flex-1 truncate">{block.media.name}</span>
      <span className="text-xs text-muted">{`${block.media.mime}, ${size}${showBytes(block.media.size)}`}</span>
    </div>
  )
}

function Sent({ message }: { message: StoredMessage }) {
  const recorded = useReceipts(message)
  if (!recorded) return <p className="text-sm text-muted">{words.waiting}</p>
  const { turn, receipts } = recorded
  const own = receipts.filter((receipt) => receipt.message_id === message.id)
  if (!turn || own.length === 0) return <p className="text-sm text-muted">{words.noReceipts}</p>
  const tokens = own.reduce((sum, receipt) => sum + receipt.tokens, 0)
  const bytes = own.reduce((sum, receipt) => sum + receipt.bytes, 0)
  const parts = new Map(message.parts.map((part) => [part.id, partOf(part)]))
  return (
    <div className="space-y-5">
      <Totals>
        <span className="font-medium text-ink">{showModel(turn.model)}</span>
        <span>{words.tokens(showCount(tokens))}</span>
        <span>{showBytes(bytes)}</span>
        {turn.ended_at && <span>{showSeconds(turn.ended_at - turn.started_at)}</span>}
        {turn.attempt > 1 && <span>{words.turn(turn.attempt)}</span>}
      </Totals>
      <Part title={words.sent}>
        <Receipts receipts={own} partFor={(receipt) => parts.get(receipt.part)} />
      </Part>
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

function Totals({ children }: { children: ReactNode }) {
  return <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted">{children}</p>
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 rounded-xl bg-danger-soft px-3 py-2 text-sm text-danger">
      {children}
    </p>
  )
}
