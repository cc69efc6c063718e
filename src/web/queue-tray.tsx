import type { StoredMessage } from "../message/row.ts"
import { useApp, useStore } from "./context.ts"
import { Button, IconButton } from "./controls.tsx"
import { firstWords } from "./format.ts"
import {
  AlertIcon,
  ClipIcon,
  CloseIcon,
  DownIcon,
  PauseIcon,
  PencilIcon,
  PlayIcon,
  UpIcon,
} from "./icons.tsx"
import { partOf } from "./message-parts.ts"
import { partLabel } from "./part-view.tsx"
import { strings } from "./strings.ts"

const words = strings.queue
const NONE: readonly StoredMessage[] = []

/** What waits its turn. The server holds it; this only shows it. */
export function QueueTray() {
  const queue = useStore((state) => state.view?.queue ?? NONE)
  const stopped = useStore((state) => state.view?.session.drain === "stopped")
  if (queue.length === 0) return null
  return (
    <section aria-label={words.label} className="mb-2 rounded-2xl border border-line bg-sunken">
      <h2 className="px-4 pt-2 text-xs font-medium text-muted">{words.title(queue.length)}</h2>
      {stopped && <Stopped head={queue[0]} />}
      <ol className="max-h-[26dvh] overflow-y-auto p-1.5">
        {queue.map((message, at) => (
          <Waiting key={message.id} message={message} at={at} queue={queue} />
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
}

function Waiting({ message, at, queue }: WaitingProps) {
  const { actions } = useApp()
  const parts = message.parts.map(partOf)
  const said = parts.filter((part) => part.type !== "file-attachment")
  const files = parts.length - said.length
  const text = firstWords(said.map(partLabel).join(" "), 140) || words.empty
  const name = firstWords(text, 40)
  const { state } = message
  return (
    <li className="flex items-center gap-1 rounded-xl py-1 pr-1 pl-2.5 hover:bg-hover">
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
      <IconButton
        className="size-7"
        label={words.up(name)}
        disabled={at === 0}
        onClick={() => void actions.queue.placeAfter(message, queue[at - 2]?.id ?? null)}
      >
        <UpIcon className="size-4" />
      </IconButton>
      <IconButton
        className="size-7"
        label={words.down(name)}
        disabled={at === queue.length - 1}
        onClick={() => void actions.queue.placeAfter(message, queue[at + 1]?.id ?? null)}
      >
        <DownIcon className="size-4" />
      </IconButton>
      <IconButton
        className="size-7"
        label={words.edit(name)}
        onClick={() => void actions.queue.edit(message)}
      >
        <PencilIcon className="size-4" />
      </IconButton>
      {state === "queued" ? (
        <IconButton
          className="size-7"
          label={words.pause(name)}
          onClick={() => void actions.queue.hold(message, "paused")}
        >
          <PauseIcon className="size-4" />
        </IconButton>
      ) : (
        <IconButton
          className="size-7"
          label={words.release(name)}
          onClick={() => void actions.queue.release(message)}
        >
          <PlayIcon className="size-4" />
        </IconButton>
      )}
      <IconButton
        className="size-7"
        label={words.cancel(name)}
        onClick={() => void actions.queue.cancel(message)}
      >
        <CloseIcon className="size-4" />
      </IconButton>
    </li>
  )
}
