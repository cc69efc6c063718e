import { monitorEventLoopDelay } from "node:perf_hooks"
import type { Store } from "compositor-engine/store/store"
import { Metrics } from "compositor-engine/telemetry/metrics"

/** All figures that a server tells of itself (docs/operations.md lists them). */
export class ServerMetrics {
  readonly all = new Metrics()
  readonly requests = this.all.counter(
    "compositor_http_requests_total",
    "Requests by route pattern, method and status.",
    ["route", "method", "status"],
  )
  readonly latency = this.all.histogram(
    "compositor_http_request_seconds",
    "Time until an answer began, by route pattern.",
    ["route"],
  )
  readonly streams = this.all.gauge("compositor_open_streams", "Event streams that are open.")
  readonly limited = this.all.counter(
    "compositor_rate_limited_total",
    "Requests refused by a rate limit.",
    ["limit"],
  )
  readonly writes = this.all.histogram(
    "compositor_store_write_seconds",
    "Time until a write of the store was durable, by operation.",
    ["operation"],
  )
  readonly failures = this.all.counter(
    "compositor_store_failures_total",
    "Writes that the store refused or could not do, by operation.",
    ["operation"],
  )
  readonly turns = this.all.counter(
    "compositor_turns_total",
    "Turns that ended here, by how they ended.",
    ["state"],
  )
  readonly tokens = this.all.counter(
    "compositor_tokens_total",
    "Tokens that providers counted, by kind.",
    ["kind"],
  )
  readonly blobs = this.all.counter(
    "compositor_blob_bytes_total",
    "Bytes of blobs that were put and read.",
    ["direction"],
  )

  /** What is only known when it is looked at. */
  watch(store: Pick<Store, "liveTurns" | "claimable">) {
    const live = this.all.gauge("compositor_turns_live", "Turns under way, by state.", ["state"])
    const waiting = this.all.gauge(
      "compositor_queue_sessions",
      "Sessions with a message to fire and no turn that runs.",
    )
    this.all.look(async () => {
      const turns = await store.liveTurns()
      live.clear()
      for (const { turn } of turns) live.add(1, turn.state)
      waiting.set((await store.claimable()).length)
    })
    this.#watchProcess()
  }

  /** Spans that reached their place, and those that did not. */
  watchSpans(sink: { readonly sent: number; readonly dropped: number }) {
    const spans = this.all.gauge("compositor_spans", "Spans since the start.", ["outcome"])
    this.all.look(() => {
      spans.set(sink.sent, "sent")
      spans.set(sink.dropped, "dropped")
    })
  }

  #watchProcess() {
    const delay = monitorEventLoopDelay({ resolution: 20 })
    delay.enable()
    const lag = this.all.gauge(
      "compositor_event_loop_delay_seconds",
      "How late the event loop was since the last look.",
      ["quantile"],
    )
    const memory = this.all.gauge("compositor_memory_bytes", "Memory of the process.", ["kind"])
    const started = this.all.gauge("process_start_time_seconds", "When the process began.")
    started.set(Math.floor(Date.now() / 1000 - process.uptime()))
    this.all.look(() => {
      for (const quantile of [50, 99])
        lag.set(delay.percentile(quantile) / 1e9, `${quantile / 100}`)
      lag.set(delay.max / 1e9, "1")
      delay.reset()
      const { rss, heapUsed, external } = process.memoryUsage()
      memory.set(rss, "rss")
      memory.set(heapUsed, "heap")
      memory.set(external, "external")
    })
  }
}
