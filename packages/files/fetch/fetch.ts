import type { FileKind } from "compositor-core/file/loaded-file"
import type { IncomingMessage } from "node:http"
import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { decodeText, SNIFF_BYTES, sniff } from "../kinds/sniff.ts"
import { readFetchedBody } from "./body.ts"
import { requestFrom } from "./request.ts"
import { findTarget, type NotFetched, resolveByName, type FetchTarget } from "./target.ts"

export interface FetchOptions {
  readonly signal?: AbortSignal
  /** For everything: names, redirects and the body. */
  readonly deadline_ms?: number
  /** Of the body once it is unpacked. */
  readonly max_bytes?: number
  readonly max_redirects?: number
  /** Go where one is sent on only on the same host: who allowed one host did not allow another. */
  readonly same_host?: boolean
  /** `host:port` that may be reached though they are not public: for tests, and where a host says so. */
  readonly allow?: readonly string[]
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Makes a page's text of its HTML. */
  readonly read_html?: (html: string) => string | Promise<string>
}

type Fetched =
  | {
      readonly type: "fetched"
      /** Where it came from in the end. */
      readonly url: string
      readonly status: number
      readonly mime: string
      readonly kind: FileKind
      readonly bytes: Uint8Array
      /** What it says; null where it is no text. */
      readonly text: string | null
      readonly truncated: boolean
      readonly redirects: readonly string[]
    }
  | NotFetched

const DEADLINE_MS = 30_000
const MAX_BYTES = 5 * 1024 * 1024
const MAX_REDIRECTS = 5

/** Get what lies at a public address, or say in a sentence why not. Each address on the way is checked
 *  in the same way, whoever named it; nothing but http and https is spoken, and nothing waits for ever.
 *  It never throws. */
export async function fetchUrl(address: string, options: FetchOptions = {}): Promise<Fetched> {
  const { deadline_ms = DEADLINE_MS, signal } = options
  const deadline = AbortSignal.timeout(deadline_ms)
  const stop = signal ? AbortSignal.any([signal, deadline]) : deadline
  const stopped = Promise.withResolvers<Fetched>()
  const halt = () =>
    stopped.resolve(refuse(deadline.aborted ? `took longer than ${deadline_ms} ms` : "was stopped"))
  if (stop.aborted) halt()
  else stop.addEventListener("abort", halt, { once: true })
  try {
    return await Promise.race([follow(address, options, stop), stopped.promise])
  } finally {
    stop.removeEventListener("abort", halt)
  }
}

async function follow(
  address: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const { max_redirects = MAX_REDIRECTS, allow = [], resolve = resolveByName } = options
  const redirects: string[] = []
  for (let next = address; ; ) {
    const target = await findTarget(next, { allow, resolve })
    if (target.type === "refused") return target
    const step = await ask(target, options, signal)
    if (step.type !== "redirect") return step.type === "fetched" ? { ...step, redirects } : step
    if (redirects.length >= max_redirects)
      return refuse(`${address} was sent on more than ${max_redirects} times`)
    if (options.same_host && !isSameHost(target.url, new URL(step.to)))
      return refuse(`${target.url.href} sends on to ${step.to}, on another host: ask for that one`)
    redirects.push(step.to)
    next = step.to
  }
}

/** The same place, or the same one behind TLS. */
function isSameHost(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:"
  return from.origin === to.origin || (isUpgrade && from.host === to.host && to.port === "")
}

type Step = Fetched | { readonly type: "redirect"; readonly to: string }

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

async function ask(target: FetchTarget, options: FetchOptions, signal: AbortSignal): Promise<Step> {
  const { url } = target
  try {
    const response = await requestFrom(target, signal)
    const { statusCode: status = 0, headers } = response
    if (!REDIRECTS.has(status) || headers.location === undefined)
      return await take(response, url, options)
    response.destroy()
    const to = URL.parse(headers.location, url.href)
    if (!to) return refuse(`${url.href} sends on to what is not an address`)
    return { type: "redirect", to: to.href }
  } catch (error) {
    const [code, message] = [errorCode(error), errorMessage(error)]
    return refuse(`${url.href} could not be fetched: ${code ?? message}`)
  }
}

async function take(response: IncomingMessage, url: URL, options: FetchOptions): Promise<Step> {
  const { max_bytes = MAX_BYTES, read_html } = options
  const body = await readFetchedBody(response, max_bytes)
  if (typeof body === "string") return refuse(`${url.href} ${body}`)
  const { bytes, truncated } = body
  const said = response.headers["content-type"] ?? ""
  const { mime, kind } = await whatIsIt(bytes, { url, said, truncated })
  const text = kind === "text" ? textOf(bytes, said, truncated) : null
  const shown = text !== null && mime === "text/html" && read_html ? await read_html(text) : text
  const about = { url: url.href, status: response.statusCode ?? 0, mime, kind, truncated }
  return { type: "fetched", ...about, bytes, text: shown, redirects: [] }
}

interface Clues {
  readonly url: URL
  readonly said: string
  readonly truncated: boolean
}

/** The bytes decide what it is; which text it is they do not say, and then the server is believed. */
async function whatIsIt(bytes: Uint8Array, { url, said, truncated }: Clues) {
  const complete = !truncated && bytes.length <= SNIFF_BYTES
  const found = await sniff(bytes.subarray(0, SNIFF_BYTES), url.pathname, complete)
  if (found.kind !== "text") return found
  const mime = said.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return /^(text\/[\w.+-]+|application\/(json|xml|xhtml\+xml|[\w.-]+\+(json|xml)))$/.test(mime)
    ? { ...found, mime: mime === "application/xhtml+xml" ? "text/html" : mime }
    : found
}

function textOf(bytes: Uint8Array, said: string, truncated: boolean): string | null {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(said)?.[1]
  return decodeText(bytes, !truncated, charset) ?? null
}

function refuse(reason: string): NotFetched {
  return { type: "refused", reason }
}
