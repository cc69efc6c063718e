import { memo, useContext, useEffect, useLayoutEffect, useRef, useState } from "react"
import type { StoredMessage } from "compositor-core/message/row"
import { type MessageChunk, isSameChunk } from "./chunks.ts"
import { AnswerView, SystemNote, UserMessageView } from "./message.tsx"
import { NearnessContext } from "./nearness.ts"
import { NoteNet } from "../controls/error-boundary.tsx"

interface StretchProps {
  readonly chunk: MessageChunk
  /** The message that is being written. */
  readonly live: string | undefined
  /** Draw it at once; others are drawn when there is time. */
  readonly isLast: boolean
}

/** Before a stretch was drawn, nobody knows how high it is. */
const GUESSED_HEIGHT = 150

/** Some messages in a row: drawn while they are near the screen, and as high as they were drawn
 *  while they are not. */
export const Stretch = memo(
  function Stretch({ chunk, live, isLast }: StretchProps) {
    const box = useRef<HTMLDivElement>(null)
    const nearness = useContext(NearnessContext)
    const [near, setNear] = useState(isLast)
    const [height, setHeight] = useState(chunk.messages.length * GUESSED_HEIGHT)
    const known = useRef(height)
    const drawn = near || live !== undefined

    useEffect(() => {
      if (!box.current) return undefined
      return nearness.watch(box.current, (isNear, height) => {
        if (!isNear) setHeight(height)
        setNear(isNear)
      })
    }, [nearness])

    // What was guessed wrong above the reader must not move what is read.
    useLayoutEffect(() => {
      const element = box.current
      const root = element?.closest("[role=log]")
      if (!element || !root || !drawn) return
      const { offsetHeight } = element
      const grown = offsetHeight - known.current
      if (grown !== 0 && element.offsetTop < root.scrollTop) root.scrollTop += grown
      known.current = offsetHeight
    }, [drawn])

    return (
      <div
        ref={box}
        className="space-y-6 pt-6 [contain:layout_style]"
        style={drawn ? undefined : { height }}
      >
        {drawn && <Messages chunk={chunk} live={live} />}
      </div>
    )
  },
  (before, after) => before.live === after.live && isSameChunk(before.chunk, after.chunk),
)

function Messages({ chunk, live }: Pick<StretchProps, "chunk" | "live">) {
  return chunk.messages.map((message, at) => (
    <NoteNet key={message.id} of={message}>
      <Message message={message} live={message.id === live} question={chunk.questions[at]} />
    </NoteNet>
  ))
}

interface MessageProps {
  readonly message: StoredMessage
  readonly live: boolean
  readonly question: StoredMessage | undefined
}

function Message({ message, live, question }: MessageProps) {
  switch (message.role) {
    case "assistant":
      return <AnswerView message={message} live={live} question={question} />
    case "user":
      return <UserMessageView message={message} />
    case "system":
      return <SystemNote message={message} />
  }
}
