import type { ClientOptions, Fetch } from "./client.ts"
import { ApiError } from "./client.ts"
import { FrameReader } from "./sse.ts"

/** One change of a row, as the State Protocol has it. */
export interface RowEvent {
  readonly type: string
  readonly key: string
  readonly value?: Readonly<Record<string, unknown>>
  readonly headers: {
    readonly operation: "insert" | "update" | "delete"
    readonly txid?: string
    readonly offset?: string
  }
}

/** Something about the stream itself: `reset` means to forget all rows. */
interface ControlEvent {
  readonly headers: { readonly control: string; readonly offset?: string }
}

/** What arrived together, and where its reader stands behind it. */
export interface StreamBatch {
  readonly items: readonly unknown[]
  readonly offset: string
  readonly upToDate: boolean
  readonly closed: boolean
}

interface StreamOptions extends ClientOptions {
  /** `/v1/stream/…`, or what an entity calls its main stream. */
  readonly path: string
  /** From where on; from the start unless said. */
  readonly offset?: string
  /** Only what is there, or also what comes. */
  readonly live?: boolean
  readonly signal?: AbortSignal
  readonly pause_ms?: number
}

const START = "-1"
const PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000

/** Any JSON stream of the server, batch by batch. Live, it goes on over lost connections from where it
 *  stood, until the stream is closed or the signal says so. */
export async function* readStream(options: StreamOptions): AsyncGenerator<StreamBatch> {
  let offset = options.offset ?? START
  const isLive = options.live ?? true
  for (;;) {
    const batch = await catchUp(options, offset)
    offset = batch.offset
    if (batch.items.length > 0 || batch.upToDate) yield batch
    if (batch.closed || (batch.upToDate && !isLive)) return
    if (batch.upToDate) break
  }
  yield* follow(options, offset)
}

async function catchUp(options: StreamOptions, offset: string): Promise<StreamBatch> {
  const response = await ask(options, { offset })
  return {
    items: (await response.json()) as unknown[],
    offset: response.headers.get("stream-next-offset") ?? offset,
    upToDate: response.headers.get("stream-up-to-date") === "true",
    closed: response.headers.get("stream-closed") === "true",
  }
}

async function* follow(options: StreamOptions, from: string): AsyncGenerator<StreamBatch> {
  const { signal, pause_ms = PAUSE_MS } = options
  let offset = from
  let pause = pause_ms
  for (;;) {
    if (signal?.aborted) return
    try {
      for await (const batch of connection(options, offset)) {
        offset = batch.offset
        pause = pause_ms
        if (batch.items.length > 0 || batch.closed) yield batch
        if (batch.closed) return
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error
      await wait(pause, signal)
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    }
  }
}

interface Control {
  readonly streamNextOffset: string
  readonly upToDate?: boolean
  readonly streamClosed?: boolean
}

/** One connection: each `data` is told with the `control` that follows it. */
async function* connection(options: StreamOptions, offset: string): AsyncGenerator<StreamBatch> {
  const response = await ask(options, { offset, live: "sse" })
  const reader = response.body?.getReader()
  if (!reader) return
  const frames = new FrameReader()
  let items: unknown[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      for (const { event, data } of frames.push(value)) {
        if (event === "data") items.push(...(JSON.parse(data) as unknown[]))
        if (event !== "control") continue
        const { streamNextOffset, upToDate, streamClosed } = JSON.parse(data) as Control
        const told = { offset: streamNextOffset, upToDate: upToDate === true }
        yield { items, ...told, closed: streamClosed === true }
        items = []
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function ask(
  { url, token, path, fetch = globalFetch, signal }: StreamOptions,
  query: Readonly<Record<string, string>>,
): Promise<Response> {
  const address = `${url.replace(/\/$/, "")}${path}?${new URLSearchParams(query).toString()}`
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}` },
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return response
  const text = await response.text().catch(() => "")
  throw new ApiError(response.status, "stream", text || `${path} answered ${response.status}`)
}

const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init)

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done, { once: true })
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
  })
}

/** Rows by type and key, made of the events of a stream. */
export class StreamRows {
  readonly #types = new Map<string, Map<string, Readonly<Record<string, unknown>>>>()

  apply(items: readonly unknown[]) {
    for (const item of items as readonly (RowEvent | ControlEvent)[]) this.#applyOne(item)
  }

  get(type: string, key: string): Readonly<Record<string, unknown>> | undefined {
    return this.#types.get(type)?.get(key)
  }

  rows(type: string): Readonly<Record<string, unknown>>[] {
    return [...(this.#types.get(type)?.values() ?? [])]
  }

  #applyOne(item: RowEvent | ControlEvent) {
    if (!("type" in item)) {
      if (item.headers.control === "reset") this.#types.clear()
      return
    }
    const rows = this.#types.get(item.type) ?? new Map()
    this.#types.set(item.type, rows)
    if (item.headers.operation === "delete") rows.delete(item.key)
    else rows.set(item.key, item.value ?? {})
  }
}
