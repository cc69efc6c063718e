import { currentSpan } from "./span.ts"
import type { SpanContext } from "./traceparent.ts"

const MAX_REMEMBERED = 10_000

const remembered = new Map<string, SpanContext>()

/** Keep which span something came with, for whoever goes on with it later in this process. */
export function rememberSpan(id: string) {
  const context = currentSpan()
  if (!context) return
  remembered.set(id, context)
  if (remembered.size <= MAX_REMEMBERED) return
  const [oldest] = remembered.keys()
  if (oldest !== undefined) remembered.delete(oldest)
}

/** The span that it came with, once; null when it came another way. */
export function recallSpan(id: string): SpanContext | null {
  const context = remembered.get(id) ?? null
  remembered.delete(id)
  return context
}
