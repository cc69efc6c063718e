import type { MessageState, Session, SessionStatus, StoredMessage, Turn } from "../message/row.ts"
import type { ModelChoice, Mode } from "../message/message.ts"
import type { FileAttachmentPart, Part, UnknownPart } from "../message/part.ts"
import type { Prompt } from "../model/prompt.ts"
import type { Receipt } from "../model/receipt.ts"

/** The network's `fetch`, or the app's own: `(url, init) => app.request(url, init)` (in process). */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>

export interface ClientOptions {
  readonly url: string
  readonly token: string
  readonly fetch?: Fetch
}

export type AnyPart = Part | UnknownPart
export type ModelName = ModelChoice | string
export type Metadata = Readonly<Record<string, unknown>>
export type Body = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>

export interface Fault {
  readonly path: string
  readonly message: string
}
export interface SessionSummary extends Session {
  readonly status: SessionStatus
  readonly queued: number
}
export interface SessionAnswer {
  readonly session: Session
  readonly status: SessionStatus
  readonly queued: number
}
export interface MessagePage {
  /** In reading order. */
  readonly messages: readonly StoredMessage[]
  /** Cursor of the page before this one. */
  readonly next: string | null
  readonly stream_next_offset: number
}
export interface QueueAnswer {
  readonly queue: readonly StoredMessage[]
  readonly drain: Session["drain"]
}
export interface SendBody {
  /** Made by the caller: the same id twice is the same message, so that a retry is safe. */
  readonly id?: string
  readonly parts: readonly AnyPart[]
  readonly mode?: Mode
  readonly model?: ModelName
  readonly position?: string
  readonly metadata?: Metadata
}
export interface SendAnswer {
  readonly message: StoredMessage
  readonly turn: Turn | null
  readonly warnings: readonly Fault[]
  readonly txid: string
  readonly replayed: boolean
}
export interface QueueChange {
  readonly parts?: readonly AnyPart[]
  readonly metadata?: Metadata
  readonly position?: string
  readonly state?: Extract<MessageState, "queued" | "paused" | "editing">
  /** Put it behind this message; null is the head. */
  readonly after?: string | null
}
export interface Upload {
  readonly content_id: string
  readonly size: number
  readonly mime: string
  readonly name: string
  /** What to put into a message. */
  readonly part: FileAttachmentPart
}
export interface LowerBody {
  readonly message: { readonly parts: readonly AnyPart[] }
  readonly model?: ModelName
  readonly api?: string
  readonly session_id?: string
  readonly workspace_root?: string | null
  readonly policy?: { readonly file_refs: "auto" | "inline" | "descriptor" }
  /** The request as it would go out; media make it large. */
  readonly with_body?: boolean
}
export interface LowerAnswer {
  readonly api: string
  readonly model: string
  readonly body: unknown
  readonly prompt: Pick<Prompt, "messages">
  readonly receipts: readonly Receipt[]
  readonly tokens: number
  readonly bytes: number
  readonly capabilities_revision: string
}
export interface StoredReceipt extends Receipt {
  readonly message_id: string
  readonly turn_id: string
}
export interface ModelInfo {
  readonly provider_id: string
  readonly model_id: string
  readonly api: string
  readonly name: string
  readonly context_tokens: number
  readonly output_tokens: number
  readonly input: readonly string[]
  readonly available: boolean
}
export interface ModelsAnswer {
  readonly models: readonly ModelInfo[]
  readonly default: ModelChoice
}
export interface Info {
  readonly version: string
  readonly data: string
  readonly workspace: string | null
  readonly pid: number
  readonly default_model: ModelChoice
  readonly limits: { readonly inline_attachment_bytes: number; readonly max_upload_bytes: number }
}

/** What the server said no with. `status` 0 is a server that could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number
  readonly code: string
  readonly details: readonly Fault[]

  constructor(status: number, code: string, message: string, details: readonly Fault[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

export type Client = ReturnType<typeof createClient>

/** Every route of the server as a function. It keeps nothing but the address and the token. */
export function createClient(options: ClientOptions) {
  const call = caller(options)
  const json = async <T>(method: string, path: string, request: CallRequest = {}): Promise<T> =>
    (await (await call(method, path, request)).json()) as T

  return {
    url: options.url,
    info: () => json<Info>("GET", "/v1/info"),
    models: () => json<ModelsAnswer>("GET", "/v1/models"),
    vacuum: () => json<{ ok: true }>("POST", "/v1/vacuum"),
    /** The folder, or one session, as JSON lines. */
    export: async (query: { session?: string; blobs?: boolean } = {}, signal?: AbortSignal) =>
      bodyOf(await call("GET", "/v1/export", { query, signal })),
    import: (lines: Body, signal?: AbortSignal) =>
      json<{ rows: number; blobs: number }>("POST", "/v1/import", { bytes: lines, signal }),

    sessions: {
      list: (
        query: { limit?: number; before?: string; archived?: boolean; ephemeral?: boolean } = {},
      ) =>
        json<{ sessions: readonly SessionSummary[]; next: string | null }>("GET", "/v1/sessions", {
          query,
        }),
      create: (
        body: {
          id?: string
          title?: string
          agent?: string
          model?: ModelName
          workspace_root?: string | null
          metadata?: Metadata
        } = {},
      ) => json<{ session: Session; txid: string }>("POST", "/v1/sessions", { body }),
      get: (id: string) => json<SessionAnswer>("GET", session(id)),
      update: (
        id: string,
        body: { title?: string | null; archived?: boolean; model?: ModelName; metadata?: Metadata },
      ) => json<{ session: Session; txid: string }>("PATCH", session(id), { body }),
      remove: (id: string, query: { cascade?: boolean } = {}) =>
        json<{ deleted: string[]; branches: string[] }>("DELETE", session(id), { query }),
      branch: (
        id: string,
        body: { from_message_id?: string; metadata?: Metadata; title?: string } = {},
      ) => json<{ session: Session; txid: string }>("POST", session(id, "branch"), { body }),
    },

    send: (id: string, body: SendBody, signal?: AbortSignal) =>
      json<SendAnswer>("POST", session(id, "messages"), { body, signal }),
    messages: (id: string, query: { limit?: number; before?: string } = {}) =>
      json<MessagePage>("GET", session(id, "messages"), { query }),
    purge: (id: string, message: string) =>
      json<{ txid: string }>("DELETE", session(id, "messages", message)),

    queue: {
      list: (id: string) => json<QueueAnswer>("GET", session(id, "queue")),
      update: (id: string, message: string, body: QueueChange) =>
        json<{ message: StoredMessage; txid: string }>("PATCH", session(id, "queue", message), {
          body,
        }),
      cancel: (id: string, message: string) =>
        json<{ message: StoredMessage; txid: string }>("DELETE", session(id, "queue", message)),
    },

    abort: (id: string, body: { clear?: boolean } = {}) =>
      json<{ aborted: Turn | null; cancelled: string[] }>("POST", session(id, "abort"), { body }),
    status: (id: string) => json<SessionStatus>("GET", session(id, "status")),
    turns: (id: string, query: { message?: string } = {}) =>
      json<{ turns: readonly Turn[] }>("GET", session(id, "turns"), { query }),
    turn: (id: string, turn: string) => json<{ turn: Turn }>("GET", session(id, "turns", turn)),
    receipts: (id: string, turn: string) =>
      json<{ receipts: readonly StoredReceipt[] }>("GET", session(id, "turns", turn, "receipts")),
    inspect: (id: string, query: { message?: string } = {}) =>
      json<Readonly<Record<string, unknown>>>("GET", session(id, "inspect"), { query }),
    lower: (body: LowerBody, signal?: AbortSignal) =>
      json<LowerAnswer>("POST", "/v1/lower", { body, signal }),

    upload: (bytes: Body, query: { name: string; inline?: boolean }, signal?: AbortSignal) =>
      json<Upload>("POST", "/v1/blobs", { bytes, query, signal }),
    /** For a transport that shows progress, which `fetch` does not. */
    uploadRequest: (name: string) => ({
      url: address(options.url, "/v1/blobs", { name }),
      headers: { authorization: `Bearer ${options.token}` },
    }),
    /** The bytes of an attachment, as a response: read it whole, or as it comes. */
    blob: (id: string, contentId: string, signal?: AbortSignal) =>
      call("GET", session(id, "blobs", contentId), { signal }),

    /** The raw stream; `follow` reads it and keeps it open. */
    events: (id: string, from: StreamStart) => call("GET", session(id, "events"), stream(from)),
    hostEvents: (from: StreamStart) => call("GET", "/v1/events", stream(from)),
  }
}

export interface StreamStart {
  readonly after?: number
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

interface CallRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: object
  readonly bytes?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

function caller({ url, token, fetch = (at, init) => globalThis.fetch(at, init) }: ClientOptions) {
  return async (method: string, path: string, request: CallRequest): Promise<Response> => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      ...request.headers,
      ...(request.body ? { "content-type": "application/json" } : {}),
    }
    const content = request.body ? JSON.stringify(request.body) : request.bytes
    const init: RequestInit & { duplex?: "half" } = {
      method,
      headers,
      ...(content === undefined ? {} : { body: content }),
      ...(content instanceof ReadableStream ? { duplex: "half" } : {}),
      ...(request.signal ? { signal: request.signal } : {}),
    }
    const response = await reach(() => fetch(address(url, path, request.query), init), url)
    if (!response.ok) throw await refusal(response)
    return response
  }
}

function bodyOf(response: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (!response.body) throw new Error(`The answer of ${response.url} has no body.`)
  return response.body
}

async function reach(ask: () => Response | Promise<Response>, url: string): Promise<Response> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error
    const unreachable = new ApiError(0, "unreachable", `the server at ${url} does not answer`)
    unreachable.cause = error
    throw unreachable
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "")
  const error = errorIn(text)
  return new ApiError(
    response.status,
    error.code ?? "unexpected",
    error.message ?? `the server answered ${response.status} ${response.statusText}`.trim(),
    error.details,
  )
}

function errorIn(text: string): { code?: string; message?: string; details?: Fault[] } {
  try {
    return (JSON.parse(text) as { error?: object }).error ?? {}
  } catch {
    return {} // A proxy's own page, say.
  }
}

function session(...steps: string[]): string {
  return `/v1/sessions/${steps.map(encodeURIComponent).join("/")}`.replaceAll("%3A", ":")
}

function address(url: string, path: string, query: CallRequest["query"] = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return `${url.replace(/\/$/, "")}${path}${text ? `?${text}` : ""}`
}

function stream({ after, lastEventId, signal }: StreamStart): CallRequest {
  return {
    signal,
    ...(after === undefined ? {} : { query: { after } }),
    headers: {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
  }
}
