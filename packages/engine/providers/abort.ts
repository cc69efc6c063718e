import type { ModelEvent } from "compositor-core/model/prompt"

/** The last event of a call that was called off. */
export const ABORTED = {
  type: "error",
  code: "aborted",
  message: "the request was aborted",
  retryable: false,
} as const satisfies ModelEvent

/** Wait; true when the time has passed, false as soon as the signal says stop. */
export function pauseUntil(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop)
      resolve(true)
    }, milliseconds)
    signal.addEventListener("abort", stop, { once: true })
  })
}
