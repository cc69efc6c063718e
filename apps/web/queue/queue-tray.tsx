import { type DragEvent, type KeyboardEvent, useState } from "react"
import { isBusy } from "compositor-client/view"
import type { StoredMessage } from "compositor-core/message/row"
import { useApp, useStore } from "../state/context.ts"
import { Button, IconButton } from "../controls/controls.tsx"
import { firstWords } from "../state/format.ts"
import {
  AlertIcon,
  ClipIcon,
  CloseIcon,
  DownIcon,
  GripIcon,
  PauseIcon,
  PencilIcon,
  PlayIcon,
  SteerIcon,
  UpIcon,
} from "../controls/icons.tsx"
import { partOf, typedSource } from "../thread/message-parts.ts"
import { cardOf, partLabel } from "../thread/part-view.tsx"
import { strings } from "../state/strings.ts"

const words = strings.queue
const NONE: readonly StoredMessage[] = []

/** What waits its turn. The server holds it; this only shows it. */
export function QueueTray() {
  const queue = useStore((state) => state.view?.queue ?? NONE)
  const stopped = useStore((state) => state.view?.session.drain === "stopped")
  const [dragged, setDragged] = useState<string>()
  if (queue.length === 0) return null
  return (
    <section aria-label={words.label} className="mb-2 rounded-2xl border border-line bg-sunken">
      <h2 className="px-4 pt-2 text-xs font-medium text-muted">{words.title(queue.length)}</h2>
      {stopped && <Stopped head={queue[0]} />}
      <ol className="max-h-[26dvh] overflow-y-auto p-1.5">
        {queue.map((message, at) => (
          <Waiting
            key={message.id}
            message={message}
            at={at}
            queue={queue}
            dragged={dragged}
            onDrag={setDragged}
          />
        ))}
      </ol>
    </section>
  )
}

function Stopped({ head }: { head: StoredMessage | undefined }) {
  const { actions } = useApp()
  return (
    <div className="mx-2 mt-1.5 flex flex-wrap items-center gap-2 rounded-xl bg-warn-soft py-1 pr-1.5 pl-3 text-sm text-warn">
      <AlertIcon className="size-4" />
      <span className="min-w-0 flex-1 basis-52">{words.stopped}</span>
      {head?.state === "queued" && (
        <Button look="outline" onClick={() => void actions.queue.release(head)}>
          {words.continue}
        </Button>
      )}
    </div>
  )
}

interface WaitingProps {
  readonly message: StoredMessage
  readonly at: number
  readonly queue: readonly StoredMessage[]
  readonly dragged: string | undefined
  readonly onDrag: (id: string | undefined) => void
}

function Waiting({ message, at, queue, dragged, onDrag }: WaitingProps) {
  const { actions } = useApp()
  const [over, setOver] = useState(false)
  const { text, files } = summaryOf(message)
  const { state } = message
  const move = (to: number) => {
    if (to < 0 || to >= queue.length || to === at) return
    const others = queue.filter((other) => other.id !== message.id)
    void actions.queue.placeAfter(message, others[to - 1]?.id ?? null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    move(at + step)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const moved = queue.find((other) => other.id === dragged)
    if (!moved || moved === message) return
    const others = queue.filter((other) => other !== moved)
    const from = queue.indexOf(moved)
    const place = others.indexOf(message) + (from < at ? 1 : 0)
    void actions.queue.placeAfter(moved, others[place - 1]?.id ?? null)
  }
  return (
    <li
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        if (dragged === undefined) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`flex items-center gap-1 rounded-xl py-1 pr-1 pl-1 hover:bg-hover ${over ? "outline-2 outline-accent" : ""} ${dragged === message.id ? "opacity-50" : ""}`}
    >
      <span
        draggable
        aria-hidden="true"
        title={words.drag}
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = "move"
          event.dataTransfer.setData("text/plain", text)
          onDrag(message.id)
        }}
        onDragEnd={() => onDrag(undefined)}
        className="cursor-grab px-0.5 text-muted"
      >
        <GripIcon className="size-4" />
      </span>
      <span className="min-w-0 flex-1">
        <span className={`block truncate text-sm ${state === "queued" ? "" : "text-muted"}`}>
          {text}
        </span>
        {(state !== "queued" || files > 0) && (
          <span className="flex items-center gap-1.5 text-xs text-muted">
            {files > 0 && (
              <>
                <ClipIcon className="size-3" />
                {words.attachments(files)}
              </>
            )}
            {state === "paused" && <span>{words.paused}</span>}
            {state === "editing" && <span>{words.editing}</span>}
          </span>
        )}
      </span>
      <Controls message={message} text={text} at={at} length={queue.length} move={move} />
    </li>
  )
}

interface ControlsProps {
  readonly message: StoredMessage
  readonly text: string
  readonly at: number
  readonly length: number
  readonly move: (to: number) => void
}

function Controls({ message, text, at, length, move }: ControlsProps) {
  const { actions } = useApp()
  const busy = useStore((state) => state.view !== undefined && isBusy(state.view.status))
  const { queue } = actions
  const name = firstWords(text, 40)
  const small = "size-7"
  return (
    <>
      <IconButton
        className={small}
        label={words.up(name)}
        disabled={at === 0}
        onClick={() => move(at - 1)}
      >
        <UpIcon className="size-4" />
      </IconButton>
      <IconButton
        className={small}
        label={words.down(name)}
        disabled={at === length - 1}
        onClick={() => move(at + 1)}
      >
        <DownIcon className="size-4" />
      </IconButton>
      {busy && (
        <IconButton
          className={small}
          label={words.steer(name)}
          onClick={() => void queue.steer(message)}
        >
          <SteerIcon className="size-4" />
        </IconButton>
      )}
      <IconButton
        className={small}
        label={words.edit(name)}
        onClick={() => void queue.edit(message)}
      >
        <PencilIcon className="size-4" />
      </IconButton>
      {message.state === "queued" ? (
        <IconButton
          className={small}
          label={words.pause(name)}
          onClick={() => void queue.hold(message, "paused")}
        >
          <PauseIcon className="size-4" />
        </IconButton>
      ) : (
        <IconButton
          className={small}
          label={words.release(name)}
          onClick={() => void queue.release(message)}
        >
          <PlayIcon className="size-4" />
        </IconButton>
      )}
      <IconButton
        className={small}
        label={words.cancel(name)}
        onClick={() => void queue.cancel(message)}
      >
        <CloseIcon className="size-4" />
      </IconButton>
    </>
  )
}

function summaryOf(message: StoredMessage): { text: string; files: number } {
  const parts = message.parts.map(partOf).filter((part) => part.derived_from === undefined)
  const said = parts.filter((part) => cardOf(part) === undefined)
  const typed = typedSource(message) ?? said.map(partLabel).join(" ")
  return { text: firstWords(typed, 140) || words.empty, files: parts.length - said.length }
}
