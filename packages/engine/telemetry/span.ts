import { AsyncLocalStorage } from "node:async_hooks"

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A span that is over. Times are in nanoseconds since 1970. */
export interface Span {
  readonly name: string
  readonly kind: "internal" | "server" | "client"
  readonly context: SpanContext
  readonly parent_id: string | null
  readonly began: bigint
  readonly ended: bigint
  readonly attributes: SpanAttributes
  readonly failed: string | null
}

/** Takes spans that are over; it must neither throw nor wait. */
export interface SpanSink {
  take(span: Span): void
  /** Whether a trace that begins here is told of. */
  samples(): boolean
}

interface SpanOptions {
  readonly kind?: Span["kind"]
  /** Undefined is whatever runs now; null is nothing: a trace begins here. */
  readonly parent?: SpanContext | null | undefined
  /** When it began before now, in milliseconds since 1970. */
  readonly began_at?: number
}

interface OpenSpan {
  readonly context: SpanContext | undefined
  set(attributes: SpanAttributes): void
}

const current = new AsyncLocalStorage<SpanContext>()
const NONE: OpenSpan = { context: undefined, set: () => undefined }
let sink: SpanSink | undefined

/** One process tells of its spans at one place. Undefined: nowhere, and spans cost nothing. */
export function tellSpansTo(next: SpanSink | undefined) {
  sink = next
}

/** Run something as a span of the work that is under way. Names and attributes say what was done, never
 *  what was said. */
export async function runInSpan<Result>(
  name: string,
  attributes: SpanAttributes,
  run: (span: OpenSpan) => Promise<Result>,
  options: SpanOptions = {},
): Promise<Result> {
  if (!sink) return run(NONE)
  const parent = options.parent === undefined ? current.getStore() : (options.parent ?? undefined)
  const context = childOf(parent, parent ? undefined : sink.samples())
  if (!context.sampled) return current.run(context, run, { context, set: () => undefined })
  const open = new Open({ name, kind: options.kind ?? "internal", context, parent }, attributes)
  if (options.began_at !== undefined) open.began = BigInt(options.began_at) * 1_000_000n
  try {
    const result = await current.run(context, run, open)
    open.end(null)
    return result
  } catch (error) {
    open.end(error instanceof Error ? error.name : "failed")
    throw error
  }
}

/** A span of something that is over already: from then until now. */
export function pastSpan(name: string, attributes: SpanAttributes, began_at: number) {
  const parent = current.getStore()
  if (!sink || !parent?.sampled) return
  const open = new Open({ name, kind: "internal", context: childOf(parent), parent }, attributes)
  open.began = BigInt(began_at) * 1_000_000n
  open.end(null)
}

/** What runs now, for a request that leaves the house; nothing when nobody is told. */
export function traceHeaders(): Record<string, string> {
  const context = sink && current.getStore()
  return context ? { traceparent: printTraceparent(context) } : {}
}

export function currentSpan(): SpanContext | undefined {
  return sink && current.getStore()
}

interface Begun {
  readonly name: string
  readonly kind: Span["kind"]
  readonly context: SpanContext
  readonly parent: SpanContext | undefined
}

class Open implements OpenSpan {
  readonly #begun: Begun
  #attributes: SpanAttributes
  began = nanoseconds()

  constructor(begun: Begun, attributes: SpanAttributes) {
    this.#begun = begun
    this.#attributes = attributes
  }

  get context() {
    return this.#begun.context
  }

  set(attributes: SpanAttributes) {
    this.#attributes = { ...this.#attributes, ...attributes }
  }

  end(failed: string | null) {
    const { name, kind, context, parent } = this.#begun
    sink?.take({
      name,
      kind,
      context,
      parent_id: parent?.span_id ?? null,
      began: this.began,
      ended: later(this.began, nanoseconds()),
      attributes: this.#attributes,
      failed,
    })
  }
}

// What began by the wall clock may seem to end before, by a clock that went apart from it.
function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

// The wall clock once, and from there the clock that never jumps.
const START = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()

function nanoseconds(): bigint {
  return START + process.hrtime.bigint()
}

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

/** Which span a piece of work belongs to, as the W3C's `traceparent` says it. */
interface SpanContext {
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

function printTraceparent({ trace_id, span_id, sampled }: SpanContext): string {
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
