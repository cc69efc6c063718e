import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { SpanAttributes, Span, SpanSink } from "./span.ts"

const MAX_WAITING = 4096
const MAX_BATCH = 512
const EVERY_MS = 2000
const TIMEOUT_MS = 10_000
const KINDS = { internal: 1, server: 2, client: 3 } as const
const FAILED = 2

interface OtlpSettings {
  /** Where traces are sent: `…/v1/traces`. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly resource: SpanAttributes
  /** From 0, no trace, to 1, all that begin here. */
  readonly ratio: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** What the environment says of where spans go (OpenTelemetry's own names); undefined when nowhere. */
export function readOtlpSettings(
  environment: Environment,
  version: string,
): OtlpSettings | undefined {
  const {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact,
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_HEADERS: headers = "",
    OTEL_RESOURCE_ATTRIBUTES: resource = "",
    OTEL_SERVICE_NAME: name = "compositor",
    OTEL_TRACES_SAMPLER_ARG: ratio = "1",
    OTEL_SDK_DISABLED: disabled,
  } = environment
  const text = exact ?? (base && `${base.replace(/\/+$/, "")}/v1/traces`)
  if (!text || disabled === "true") return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT ${text}: spans are sent to an http or https address`,
    )
  const share = Number(ratio)
  return {
    url,
    headers: pairs(headers),
    resource: { ...pairs(resource), "service.name": name, "service.version": version },
    ratio: share >= 0 && share <= 1 ? share : 1,
  }
}

function pairs(text: string): Record<string, string> {
  const entries = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    const name = pair.slice(0, at).trim()
    return at > 0 && name !== "" ? [[name, decoded(pair.slice(at + 1).trim())]] : []
  })
  return Object.fromEntries(entries)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Sends spans as OTLP/HTTP JSON, some at a time, in the background. It never holds up what it tells of:
 *  when the other side is slow or gone, what is too much is dropped, and counted. */
export class OtlpSink implements SpanSink {
  readonly #settings: OtlpSettings
  #waiting: Span[] = []
  #sending: Promise<void> | undefined
  readonly #timer: NodeJS.Timeout
  sent = 0
  dropped = 0

  constructor(settings: OtlpSettings) {
    this.#settings = settings
    this.#timer = setInterval(() => void this.#send(), EVERY_MS).unref()
  }

  take(span: Span) {
    if (this.#waiting.length >= MAX_WAITING) {
      this.dropped++
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= MAX_BATCH) void this.#send()
  }

  samples(): boolean {
    return this.#settings.ratio === 1 || Math.random() < this.#settings.ratio
  }

  /** Send what waits, and stop. */
  async close() {
    clearInterval(this.#timer)
    await this.#sending
    while (this.#waiting.length > 0) await this.#send()
  }

  #send(): Promise<void> {
    if (this.#sending) return this.#sending
    const batch = this.#waiting.splice(0, MAX_BATCH)
    if (batch.length === 0) return Promise.resolve()
    this.#sending = post(this.#settings, batch).then((arrived) => {
      if (arrived) this.sent += batch.length
      else this.dropped += batch.length
      this.#sending = undefined
      if (arrived && this.#waiting.length >= MAX_BATCH) void this.#send()
    })
    return this.#sending
  }
}

function post({ url, headers, resource }: OtlpSettings, spans: readonly Span[]): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(bodyOf(resource, spans)))
  const open = url.protocol === "https:" ? requestHttps : requestHttp
  return new Promise((resolve) => {
    const sent = open(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-length": body.length },
      timeout: TIMEOUT_MS,
    })
    sent.on("response", (answer) => {
      answer.resume()
      answer.on("error", () => undefined)
      resolve((answer.statusCode ?? 500) < 300)
    })
    sent.on("timeout", () => sent.destroy())
    sent.on("error", () => resolve(false))
    sent.on("close", () => resolve(false))
    sent.end(body)
  })
}

function bodyOf(resource: SpanAttributes, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "compositor" }, spans: spans.map(wireSpan) }],
      },
    ],
  }
}

function wireSpan(span: Span): object {
  const { context, parent_id, name, kind, began, ended, attributes, failed } = span
  return {
    traceId: context.trace_id,
    spanId: context.span_id,
    ...(parent_id === null ? {} : { parentSpanId: parent_id }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: String(began),
    endTimeUnixNano: String(ended),
    attributes: attributesOf(attributes),
    status: failed === null ? {} : { code: FAILED, message: failed },
  }
}

function attributesOf(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
