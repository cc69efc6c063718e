import { currentSpan } from "./span.ts"
import type { SpanContext } from "./traceparent.ts"

const MAX_REMEMBERED = 10_000

interface Remembered {
  readonly context: SpanContext
  readonly at: number
}

const remembered = new Map<string, Remembered>()

/** Keep which span something came with, for whoever goes on with it later in this process. */
export function rememberSpan(id: string) {
  const context = currentSpan()
  if (!context) return
  remembered.set(id, { context, at: Date.now() })
  const [oldest] = remembered.size > MAX_REMEMBERED ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
}

/** The span that it came with, and when, once; undefined when it came another way. */
export function recallSpan(id: string): Remembered | undefined {
  const found = remembered.get(id)
  remembered.delete(id)
  return found
}
