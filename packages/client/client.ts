import type { DirectoryRefPart } from "compositor-core/parts/directory-ref"
import type { Session, SessionStatus, StoredMessage, Turn } from "compositor-core/message/row"
import type {
  Body,
  CallAnswer,
  CallPlace,
  CommandFinding,
  CompletionAnswer,
  DiffLoweringAnswer,
  DraftAnswer,
  Fault,
  ImportAnswer,
  Info,
  ListedCommand,
  LowerAnswer,
  LowerBody,
  MessagePage,
  Metadata,
  ModelName,
  ModelsAnswer,
  ParseAnswer,
  PromptOptions,
  QueueAnswer,
  QueueChange,
  RefreshAnswer,
  SendAnswer,
  SendBody,
  SessionAnswer,
  SessionChanges,
  SessionSummary,
  StoredReceipt,
  SwitchAnswer,
  Upload,
  Where,
} from "./answers.ts"
import { fileCalls } from "./file-calls.ts"
import { houseCalls } from "./house-calls.ts"
import { sidecarCalls } from "./sidecar-calls.ts"
import type { InstructionsAnswer, TrustAnswer, TrustBody } from "./trust.ts"

export type * from "./answers.ts"
export type { InstructionFile } from "./trust.ts"

/** The network's `fetch`, or the app's own: `(url, init) => app.request(url, init)` (in process). */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>

export interface ClientOptions {
  readonly url: string
  readonly token: string
  readonly fetch?: Fetch
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
    ...houseCalls(json),
    ...fileCalls(json, call),
    ...sidecarCalls(json),
    info: () => json<Info>("GET", "/v1/info"),
    /** What this server can do, each as `post /v1/sessions/{id}/branch`. */
    routes: async (): Promise<ReadonlySet<string>> => {
      const { paths } = await json<{ paths: Record<string, object> }>("GET", "/openapi.json")
      const all = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      )
      return new Set(all)
    },
    models: () => json<ModelsAnswer>("GET", "/v1/models"),
    refreshModels: () => json<RefreshAnswer>("POST", "/v1/models/refresh"),
    /** What changes when the session goes on with another model. */
    switchReport: (id: string, model: string) =>
      json<SwitchAnswer>("GET", session(id, "switch"), { query: { model } }),
    diffLowering: (query: { since: number; session?: string }) =>
      json<DiffLoweringAnswer>("GET", "/v1/diff-lowering", { query }),
    vacuum: () => json<{ ok: true }>("POST", "/v1/vacuum"),
    /** The folder, or one session, as JSON lines. */
    export: async (query: { session?: string; blobs?: boolean } = {}, signal?: AbortSignal) =>
      bodyOf(await call("GET", "/v1/export", { query, signal })),
    import: (lines: Body, signal?: AbortSignal) =>
      json<ImportAnswer>("POST", "/v1/import", { bytes: lines, signal }),

    sessions: {
      list: (
        query: {
          limit?: number
          before?: string
          archived?: boolean
          ephemeral?: boolean | "only"
        } = {},
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
      update: (id: string, body: SessionChanges) =>
        json<{ session: Session; txid: string }>("PATCH", session(id), { body }),
      remove: (id: string, query: { cascade?: boolean } = {}) =>
        json<{ deleted: string[]; branches: string[] }>("DELETE", session(id), { query }),
      branch: (
        id: string,
        body: { from_message_id?: string; metadata?: Metadata; title?: string } = {},
      ) => json<{ session: Session; txid: string }>("POST", session(id, "branch"), { body }),
      /** Go back to before a message; ask `routes` whether the server does it. */
      rewind: (id: string, body: { before_message_id: string | null }) =>
        json<{ session: Session; snapshot_ids: string[]; txid: string }>(
          "POST",
          session(id, "rewind"),
          { body },
        ),
      /** Take the last rewind back. */
      unrewind: (id: string) =>
        json<{ session: Session; txid: string }>("POST", session(id, "unrewind"), { body: {} }),
    },

    send: (id: string, body: SendBody, signal?: AbortSignal) =>
      json<SendAnswer>("POST", session(id, "messages"), { body, signal }),
    /** Say something, with files that the server reads by their paths (ATT-007). */
    prompt: (id: string, text: string, options: PromptOptions = {}, signal?: AbortSignal) => {
      const { attachments = [], ...delivery } = options
      const body = { ...delivery, message: text, attachments }
      return json<SendAnswer>("POST", session(id, "messages"), { body, signal })
    },
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
    /** What a person says to a call that a turn waits for; 409 when it waits no longer. */
    calls: {
      approve: (
        at: CallPlace,
        body: { always?: boolean; pattern?: string; part_id?: string } = {},
      ) => json<CallAnswer>("POST", callPath(at, "approve"), { body }),
      deny: (
        at: CallPlace,
        body: { always?: boolean; pattern?: string; reason?: string; part_id?: string } = {},
      ) => json<CallAnswer>("POST", callPath(at, "deny"), { body }),
      answer: (
        at: CallPlace,
        body: { answers: readonly (readonly string[])[]; part_id?: string },
      ) => json<CallAnswer>("POST", callPath(at, "answer"), { body }),
      retry: (at: CallPlace) => json<CallAnswer>("POST", callPath(at, "retry"), { body: {} }),
      skip: (at: CallPlace) => json<CallAnswer>("POST", callPath(at, "skip"), { body: {} }),
    },
    inspect: (id: string, query: { message?: string } = {}) =>
      json<Readonly<Record<string, unknown>>>("GET", session(id, "inspect"), { query }),
    lower: (body: LowerBody, signal?: AbortSignal) =>
      json<LowerAnswer>("POST", "/v1/lower", { body, signal }),

    commands: {
      list: (query: Where = {}) =>
        json<{ commands: readonly ListedCommand[] }>("GET", "/v1/commands", { query }),
      doctor: (query: Where = {}) =>
        json<{ findings: readonly CommandFinding[] }>("GET", "/v1/commands/doctor", { query }),
      export: (query: Where & { to: string }) =>
        json<{
          files: readonly { path: string; text: string }[]
          losses: readonly { command: string; message: string }[]
        }>("GET", "/v1/commands/export", { query }),
      /** The files of instructions that a workspace holds. */
      instructions: (query: Where = {}) => json<InstructionsAnswer>("GET", "/v1/trust", { query }),
      trust: (body: Where & TrustBody) => json<TrustAnswer>("POST", "/v1/trust", { body }),
      parse: (body: Where & { source: string; nodes?: readonly Metadata[] }) =>
        json<ParseAnswer>("POST", "/v1/parse", { body }),
      complete: (
        body: Where & { source: string; cursor?: number; limit?: number },
        signal?: AbortSignal,
      ) => json<CompletionAnswer>("POST", "/v1/complete", { body, signal }),
      expand: (body: Where & { source: string; approved_shell?: readonly string[] }) =>
        json<{ parts: readonly Metadata[]; warnings: readonly Fault[] }>("POST", "/v1/expand", {
          body,
        }),
    },

    draft: {
      get: (id: string) => json<DraftAnswer>("GET", session(id, "draft")),
      save: (id: string, body: { base_revision: number; draft: object; updated_by?: string }) =>
        json<{ revision: number; txid: string }>("PUT", session(id, "draft"), { body }),
      stash: (id: string) =>
        json<{ stash: readonly Metadata[] }>("GET", session(id, "draft", "stash")),
    },

    upload: (bytes: Body, query: { name: string; inline?: boolean }, signal?: AbortSignal) =>
      json<Upload>("POST", "/v1/blobs", { bytes, query, signal }),
    /** Let a session read a folder of the server's machine: only where a person chose it. */
    giveFolder: (id: string, path: string, name?: string) =>
      json<{ part: DirectoryRefPart }>("POST", session(id, "scopes"), {
        body: { path, ...(name === undefined ? {} : { name }) },
      }),
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

function callPath({ session_id, turn_id, call_id }: CallPlace, verb: string): string {
  return session(session_id, "turns", turn_id, "calls", call_id, verb)
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
