import { useCallback, useEffect, useState } from "react"
import { useApp } from "./context.ts"

export interface Asking<Answer> {
  /** Undefined until it is there; the last one while another is on its way. */
  readonly answer: Answer | undefined
  readonly again: () => void
}

/** Asks the server something when it is shown, when the question is another, and when told to. What
 *  went wrong is said, and the last answer stays. The question must be the same function while it
 *  asks the same. */
export function useAsking<Answer>(ask: () => Promise<Answer>): Asking<Answer> {
  const { actions } = useApp()
  const [times, setTimes] = useState(0)
  const [answered, setAnswered] = useState<{ answer: Answer }>()
  useEffect(() => {
    let isWanted = true
    void actions.try(ask).then((answer) => {
      if (isWanted && answer !== undefined) setAnswered({ answer })
    })
    return () => {
      isWanted = false
    }
  }, [actions, ask, times])
  const again = useCallback(() => setTimes((before) => before + 1), [])
  return { answer: answered?.answer, again }
}
