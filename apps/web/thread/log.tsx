import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { isBusy, type SessionView, turnOf } from "compositor-client/view"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { DownIcon } from "../controls/icons.tsx"
import type { OutgoingSend } from "../composer/draft.ts"
import { Failure, ThinkingNote } from "./message.tsx"
import { OutgoingMessageView } from "./outgoing-message.tsx"
import { chunksOf } from "./chunks.ts"
import { Nearness, NearnessContext } from "./nearness.ts"
import { Stretch } from "./message-window.tsx"
import { strings } from "../state/strings.ts"
import { useWaits, WaitsContext } from "./waits.ts"

interface LogProps {
  readonly view: SessionView
  /** What was sent and is not known to have arrived. */
  readonly outgoing: readonly OutgoingSend[]
}

/** The history of a session. It keeps to its end while the reader is there, and stays put when the
 *  reader is not. What is far from the screen is only as high as it was. */
export default function MessageLog({ view, outgoing }: LogProps) {
  const { store } = useApp()
  const readingOlder = useStore((state) => state.readingOlder)
  const { frame, content, atEnd, toEnd } = useEndKeeping(view, outgoing.length)
  const { messages, status, queue } = view
  const isSeen = (id: string) => [...messages, ...queue].some((message) => message.id === id)
  const unseen = outgoing.filter(({ id, isBeside }) => !isBeside && !isSeen(id))
  const running = isBusy(status)
  const last = messages.at(-1)
  const answering = running && last?.role === "assistant" && !last.metadata.finish
  const top = useRef<HTMLDivElement>(null)
  const chunks = useMemo(() => chunksOf(messages), [messages])
  const waits = useWaits(view)
  const [nearness] = useState(() => new Nearness())

  useEffect(() => (frame.current ? nearness.begin(frame.current) : undefined), [nearness, frame])

  useEffect(() => {
    const mark = top.current
    if (!mark || view.older === null) return undefined
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void store.readOlder()
      },
      { root: frame.current, rootMargin: "900px 0px 0px 0px" },
    )
    watcher.observe(mark)
    return () => watcher.disconnect()
  }, [store, frame, view.older])

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        role="log"
        aria-live="off"
        aria-label={strings.log.label}
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div ref={content} className="mx-auto max-w-3xl px-4 pt-6 pb-8 sm:px-6">
          <div ref={top} className="h-4 text-center text-xs text-muted">
            {view.older === null ? strings.log.beginning : readingOlder && strings.log.older}
          </div>
          <NearnessContext value={nearness}>
            <WaitsContext value={waits}>
              {chunks.map((chunk, at) => (
                <Stretch
                  key={chunk.key}
                  chunk={chunk}
                  isLast={at >= chunks.length - DRAWN_AT_ONCE}
                  live={answering && chunk.messages.at(-1) === last ? last?.id : undefined}
                />
              ))}
            </WaitsContext>
          </NearnessContext>
          <div className="mt-6 space-y-6">
            {unseen.map((message) => (
              <OutgoingMessageView key={message.id} message={message} isLate={running} />
            ))}
            {running && !answering && waits.size === 0 && <ThinkingNote />}
            <LostAnswer view={view} />
          </div>
        </div>
      </div>
      {!atEnd && (
        <Button
          look="outline"
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! bg-surface shadow-md"
        >
          <DownIcon className="size-4" />
          {strings.log.latest}
        </Button>
      )}
    </div>
  )
}

/** Enough to fill a screen. */
const DRAWN_AT_ONCE = 8

/** A turn that failed before it said a word has no answer to show its error in. */
function LostAnswer({ view: { status, messages, ...view } }: { view: SessionView }) {
  if (status.state !== "error") return null
  const told = messages.some(
    (message) =>
      message.role === "assistant" &&
      message.metadata.turn_id === status.turn_id &&
      message.metadata.finish,
  )
  const question = messages.find((message) => message.id === status.message_id)
  if (told) return null
  const turn = status.message_id
    ? turnOf({ status, messages, ...view }, status.message_id)
    : undefined
  return (
    <Failure
      title={strings.message.error}
      text={turn?.error?.message ?? status.message ?? strings.unknownError}
      action={strings.message.retry}
      question={question}
    />
  )
}

/** Near enough to the end to be meant. */
const NEAR = 48

function useEndKeeping(view: SessionView, outgoing: number) {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stuck = useRef(true)
  const [atEnd, setAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    stuck.current = true
    setAtEnd(true)
    frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [])

  useLayoutEffect(() => {
    const scroller = frame.current
    const inside = content.current
    if (!scroller || !inside) return undefined
    let height = scroller.scrollHeight
    const onScroll = () => {
      // What grew below a reader at the end is no scrolling away.
      if (scroller.scrollHeight !== height) return
      const near = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR
      stuck.current = near
      setAtEnd(near)
    }
    const keep = () => {
      height = scroller.scrollHeight
      if (stuck.current) scroller.scrollTop = height
    }
    const watcher = new ResizeObserver(keep)
    watcher.observe(inside)
    watcher.observe(scroller)
    scroller.addEventListener("scroll", onScroll, { passive: true })
    keep()
    return () => {
      watcher.disconnect()
      scroller.removeEventListener("scroll", onScroll)
    }
  }, [])

  // What is put in front moves what is read down by its height: move along.
  const before = useRef({ first: "", height: 0 })
  useLayoutEffect(() => {
    const scroller = frame.current
    if (!scroller) return
    const first = view.messages[0]?.id ?? ""
    const known = before.current
    const grewAbove =
      known.first !== first && view.messages.some((message) => message.id === known.first)
    if (grewAbove) scroller.scrollTop += scroller.scrollHeight - known.height
    before.current = { first, height: scroller.scrollHeight }
  }, [view.messages])

  useOwnMessage(toEnd, outgoing)
  return { frame, content, atEnd, toEnd }
}

/** Whoever sends a message wants to see it, on its way and when it is there. */
function useOwnMessage(toEnd: () => void, outgoing: number) {
  const sends = useStore((state) => state.sends)
  const known = useRef({ sends, outgoing })
  useLayoutEffect(() => {
    if (known.current.sends !== sends || known.current.outgoing < outgoing) toEnd()
    known.current = { sends, outgoing }
  }, [sends, outgoing, toEnd])
}
