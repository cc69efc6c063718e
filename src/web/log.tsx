import {
  memo,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import { isBusy, type SessionView, turnOf } from "../client/view.ts"
import { useApp, useStore } from "./context.ts"
import { Button } from "./controls.tsx"
import { DownIcon } from "./icons.tsx"
import { Answer, Failure, SystemNote, Thinking, UserMessage } from "./message.tsx"
import { type Chunk, chunksOf, isSameChunk } from "./chunks.ts"
import { strings } from "./strings.ts"
import { useWaits, WaitsContext } from "./waits.ts"

/** The history of a session. It keeps to its end while the reader is there, and stays put when the
 *  reader is not. What is far from the screen is only as high as it was. */
export function Log({ view }: { view: SessionView }) {
  const { store } = useApp()
  const readingOlder = useStore((state) => state.readingOlder)
  const { frame, content, atEnd, toEnd } = useEndKeeping(view)
  const { messages, status } = view
  const running = isBusy(status)
  const last = messages.at(-1)
  const answering = running && last?.role === "assistant" && !last.metadata.finish
  const top = useRef<HTMLDivElement>(null)
  const chunks = useMemo(() => chunksOf(messages), [messages])
  const waits = useWaits(view)

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
          <div className="mt-6 space-y-6">
            {running && !answering && waits.size === 0 && <Thinking />}
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
const DRAWN_AT_ONCE = 3

interface StretchProps {
  readonly chunk: Chunk
  /** The message that is being written. */
  readonly live: string | undefined
  /** Draw it at once; others are drawn when there is time. */
  readonly isLast: boolean
}

/** Before a stretch was drawn, nobody knows how high it is. */
const GUESSED_HEIGHT = 150

/** Some messages in a row: drawn while they are near the screen, and as high as they were drawn
 *  while they are not. */
const Stretch = memo(
  function Stretch({ chunk, live, isLast }: StretchProps) {
    const box = useRef<HTMLDivElement>(null)
    const [near, setNear] = useState(isLast)
    const [height, setHeight] = useState(chunk.messages.length * GUESSED_HEIGHT)
    const known = useRef(height)
    const drawn = near || live !== undefined

    useEffect(() => {
      const element = box.current
      const root = element?.closest("[role=log]")
      if (!element || !root) return undefined
      const watcher = new IntersectionObserver(
        (entries) => {
          const { isIntersecting = true } = entries.at(-1) ?? {}
          const { offsetHeight } = element
          startTransition(() => {
            if (!isIntersecting) setHeight(offsetHeight)
            setNear(isIntersecting)
          })
        },
        { root, rootMargin: "1800px 0px" },
      )
      watcher.observe(element)
      return () => watcher.disconnect()
    }, [])

    // What was guessed wrong above the reader must not move what is read.
    useLayoutEffect(() => {
      const element = box.current
      const root = element?.closest("[role=log]")
      if (!element || !root || !drawn) return
      const grown = element.offsetHeight - known.current
      if (grown !== 0 && element.offsetTop < root.scrollTop) root.scrollTop += grown
      known.current = element.offsetHeight
    }, [drawn])

    return (
      <div
        ref={box}
        className="space-y-6 pt-6 [contain:layout_style]"
        style={drawn ? undefined : { height }}
      >
        {drawn &&
          chunk.messages.map((message, at) =>
            message.role === "assistant" ? (
              <Answer
                key={message.id}
                message={message}
                live={message.id === live}
                question={chunk.questions[at]}
              />
            ) : message.role === "user" ? (
              <UserMessage key={message.id} message={message} />
            ) : (
              <SystemNote key={message.id} message={message} />
            ),
          )}
      </div>
    )
  },
  (before, after) => before.live === after.live && isSameChunk(before.chunk, after.chunk),
)

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

function useEndKeeping(view: SessionView) {
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

  useOwnMessage(toEnd)
  return { frame, content, atEnd, toEnd }
}

/** Whoever sends a message wants to see it. */
function useOwnMessage(toEnd: () => void) {
  const sends = useStore((state) => state.sends)
  const known = useRef(sends)
  useLayoutEffect(() => {
    if (known.current !== sends) toEnd()
    known.current = sends
  }, [sends, toEnd])
}
