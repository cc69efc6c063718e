import { useEffect, useState } from "react"
import type { AnyPart, LowerAnswer } from "compositor-client/client"
import type { ModelChoice } from "compositor-core/message/message"
import { draftKeyOf } from "../state/actions.ts"
import { useApp, useStore } from "../state/context.ts"
import { partsIn } from "../composer/draft.ts"
import { failureText } from "../state/safe-actions.ts"

const LOOK_AFTER = 250

export interface DraftPreview {
  readonly state: "empty" | "waiting" | "seen" | "failed"
  readonly parts: readonly AnyPart[]
  /** What was typed, and how many parts went along. */
  readonly source: string
  readonly attached: number
  readonly answer?: LowerAnswer
  readonly error?: string
}

interface PreviewRun {
  readonly model: ModelChoice | undefined
  readonly withBody: boolean
  /** What the message may cost; none where it is undefined. */
  readonly budget: number | undefined
  /** Whether the draft as it is needs looking at; it does where nothing is said. */
  readonly isWorth?: () => boolean
}

/** The dry run of what lies in the composer, a moment after it last changed. */
export function useDryRun({ model, withBody, budget, isWorth }: PreviewRun): DraftPreview {
  const { store, desk } = useApp()
  const key = useStore(draftKeyOf)
  const session = useStore((state) => state.current)
  const [look, setLook] = useState<DraftPreview>(EMPTY)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let asking = new AbortController()
    const ask = async () => {
      asking.abort()
      asking = new AbortController()
      const { signal } = asking
      if (desk.isBlank(key) || !model || isWorth?.() === false) return setLook(EMPTY)
      setLook((seen) => (seen.state === "empty" ? WAITING : seen))
      const parts = partsIn(desk.attachments(key))
      const about = { source: desk.text(key), attached: parts.length }
      try {
        const answer = await store.client.lower(
          {
            message: desk.body(key),
            with_body: withBody,
            model,
            ...(session ? { session_id: session } : {}),
            ...(budget === undefined ? {} : { policy: { budget_tokens: budget } }),
          },
          signal,
        )
        if (!signal.aborted) setLook({ state: "seen", ...about, parts: answer.parts, answer })
      } catch (error) {
        if (!signal.aborted && !store.noticed(error))
          setLook({ state: "failed", ...about, parts, error: failureText(error) })
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
  }, [store, desk, key, session, model, withBody, budget, isWorth])
  return look
}

const EMPTY: DraftPreview = { state: "empty", parts: [], source: "", attached: 0 }
const WAITING: DraftPreview = { ...EMPTY, state: "waiting" }
