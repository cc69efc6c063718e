import { useEffect, useRef, useState } from "react"
import { iconLooks } from "../controls/controls.tsx"
import { MicIcon } from "../controls/icons.tsx"
import { strings } from "../state/strings.ts"

const words = strings.composer

/** The little of the browser's speech recognition that is used; TypeScript does not know it. */
interface Recogniser extends EventTarget {
  continuous: boolean
  interimResults: boolean
  lang: string
  start(): void
  stop(): void
}
interface Heard extends Event {
  readonly resultIndex: number
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { isFinal: boolean }>
}

function recogniserClass(): (new () => Recogniser) | undefined {
  const known = globalThis as { SpeechRecognition?: unknown; webkitSpeechRecognition?: unknown }
  const found = known.SpeechRecognition ?? known.webkitSpeechRecognition
  return found as (new () => Recogniser) | undefined
}

export function canDictate(): boolean {
  return recogniserClass() !== undefined
}

/** Speak, and it is written at the cursor. */
export function Dictation({ onText }: { onText: (text: string) => void }) {
  const [listening, setListening] = useState(false)
  const recogniser = useRef<Recogniser>(undefined)
  useEffect(() => () => recogniser.current?.stop(), [])
  const listen = () => {
    const Known = recogniserClass()
    if (!Known) return
    const made = new Known()
    made.continuous = true
    made.interimResults = false
    made.lang = navigator.language
    made.addEventListener("result", (event) => {
      const { results, resultIndex } = event as Heard
      for (let at = resultIndex; at < results.length; at++) {
        const said = results[at]?.[0]?.transcript.trim()
        if (results[at]?.isFinal && said) onText(`${said} `)
      }
    })
    for (const name of ["end", "error"]) made.addEventListener(name, () => setListening(false))
    made.start()
    recogniser.current = made
    setListening(true)
  }
  return (
    <button
      type="button"
      aria-label={words.dictate}
      title={words.dictate}
      aria-pressed={listening}
      onClick={() => (listening ? recogniser.current?.stop() : listen())}
      className={`${iconLooks} size-8 ${listening ? "pulse" : ""}`}
    >
      <MicIcon />
    </button>
  )
}
