import { useCallback, useEffect, useRef, useState } from "react"
import { useApp } from "./context.ts"

interface RequestState<Answer> {
  /** Undefined until it is there; the last one while another is on its way. */
  readonly answer: Answer | undefined
  readonly again: () => void
}

/** Asks the server something when it is shown, when the question is another, and when told to. What
 *  went wrong is said, and the last answer stays. The question must be the same function while it
 *  asks the same. */
export function useAsking<Answer>(ask: () => Promise<Answer>): RequestState<Answer> {
  const { actions } = useApp()
  const [answered, setAnswered] = useState<{ answer: Answer }>()
  const shown = useRef({ isWanted: true })
  const askNow = useCallback(
    (asking: { readonly isWanted: boolean }) =>
      actions.try(ask).then((answer) => {
        if (asking.isWanted && answer !== undefined) setAnswered({ answer })
      }),
    [actions, ask],
  )
  useEffect(() => {
    const asking = { isWanted: true }
    shown.current = asking
    void askNow(asking)
    return () => {
      asking.isWanted = false
    }
  }, [askNow])
  const again = useCallback(() => void askNow(shown.current), [askNow])
  return { answer: answered?.answer, again }
}
