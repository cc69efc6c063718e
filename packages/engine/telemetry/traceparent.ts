/** Which span a piece of work belongs to, as the W3C's `traceparent` says it. */
export interface SpanContext {
  readonly trace_id: string
  readonly span_id: string
  readonly sampled: boolean
}

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Undefined when there is none, or what is there is not one. */
export function readTraceparent(header: string | undefined): SpanContext | undefined {
  if (header === undefined || header.length > 256) return undefined
  const [, version, trace_id = "", span_id = "", flags = ""] = HEADER.exec(header) ?? []
  if (version === undefined || version === "ff" || (version === "00" && header.length !== 55))
    return undefined
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return undefined
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function printTraceparent({ trace_id, span_id, sampled }: SpanContext): string {
  return `00-${trace_id}-${span_id}-${sampled ? "01" : "00"}`
}

/** A span below another, or the first of a trace. */
export function childOf(parent: SpanContext | undefined, sampled = true): SpanContext {
  const span_id = randomHex(8)
  if (parent) return { trace_id: parent.trace_id, span_id, sampled: parent.sampled }
  return { trace_id: randomHex(16), span_id, sampled }
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex")
}
