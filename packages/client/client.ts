import type { Fault, CommandsQuery } from "compositor-core/contract/fields"
import type { PromptOptions, QueueChange, SendBody } from "compositor-core/contract/messages"
import type { CallPath } from "compositor-core/contract/turns"
import type { Ask, AskRaw, UploadBody, BodyOf, CallRequest, QueryOf } from "./ask.ts"
import { fileCalls } from "./file-calls.ts"
import { settingsCalls } from "./house-calls.ts"

export type * from "./answers.ts"
export type { UploadBody } from "./ask.ts"

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
  const json: Ask = async (address, ...[parameters, request]) =>
    (await call(address, parameters ?? [], request)).json() as Promise<never>

  return {
    url: options.url,
    ...settingsCalls(json),
    ...fileCalls(json, call),
    info: () => json("GET /v1/info"),
    /** What this server can do, each as `post /v1/sessions/{id}/branch`. */
    routes: async (): Promise<ReadonlySet<string>> => {
      const response = await call("GET /openapi.json", [])
      const { paths } = (await response.json()) as { paths: Record<string, object> }
      const all = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      )
      return new Set(all)
    },
    models: () => json("GET /v1/models"),
    refreshModels: () => json("POST /v1/models/refresh"),
    /** What changes when the session goes on with another model. */
    switchReport: (id: string, model: string) =>
      json("GET /v1/sessions/:id/switch", [id], { query: { model } }),
    diffLowering: (query: { since: number; session?: string }) =>
      json("GET /v1/diff-lowering", [], { query }),
    vacuum: () => json("POST /v1/vacuum"),
    /** The folder, or one session, as JSON lines. */
    export: async (query: { session?: string; blobs?: boolean } = {}, signal?: AbortSignal) =>
      bodyOf(await call("GET /v1/export", [], { query, signal })),
    import: (lines: UploadBody, signal?: AbortSignal) =>
      json("POST /v1/import", [], { bytes: lines, signal }),

    sessions: {
      list: (query: QueryOf<"GET /v1/sessions"> = {}) => json("GET /v1/sessions", [], { query }),
      create: (body: BodyOf<"POST /v1/sessions"> = {}) => json("POST /v1/sessions", [], { body }),
      get: (id: string) => json("GET /v1/sessions/:id", [id]),
      update: (id: string, body: BodyOf<"PATCH /v1/sessions/:id">) =>
        json("PATCH /v1/sessions/:id", [id], { body }),
      remove: (id: string, query: QueryOf<"DELETE /v1/sessions/:id"> = {}) =>
        json("DELETE /v1/sessions/:id", [id], { query }),
      branch: (id: string, body: BodyOf<"POST /v1/sessions/:id/branch"> = {}) =>
        json("POST /v1/sessions/:id/branch", [id], { body }),
      /** Go back to before a message; ask `routes` whether the server does it. */
      rewind: (id: string, body: BodyOf<"POST /v1/sessions/:id/rewind">) =>
        json("POST /v1/sessions/:id/rewind", [id], { body }),
      /** Take the last rewind back. */
      unrewind: (id: string) => json("POST /v1/sessions/:id/unrewind", [id], { body: {} }),
    },
    /** What can be done with a side conversation beside talking in it. */
    sidecars: {
      close: (id: string, as: "keep" | "promote" | "delete" = "keep") =>
        json("POST /v1/sessions/:id/close", [id], { body: { as } }),
      /** What was said there, as a quote in the parent's draft. */
      bringBack: (id: string, body: BodyOf<"POST /v1/sessions/:id/bring-back">) =>
        json("POST /v1/sessions/:id/bring-back", [id], { body }),
    },

    send: (id: string, body: SendBody, signal?: AbortSignal) =>
      json("POST /v1/sessions/:id/messages", [id], { body, signal }),
    /** Say something, with files that the server reads by their paths (ATT-007). */
    prompt: (id: string, text: string, options: PromptOptions = {}, signal?: AbortSignal) => {
      const { attachments = [], ...delivery } = options
      const body = { ...delivery, message: text, attachments }
      return json("POST /v1/sessions/:id/messages", [id], { body, signal })
    },
    messages: (id: string, query: QueryOf<"GET /v1/sessions/:id/messages"> = {}) =>
      json("GET /v1/sessions/:id/messages", [id], { query }),
    purge: (id: string, message: string) =>
      json("DELETE /v1/sessions/:id/messages/:message", [id, message]),

    queue: {
      list: (id: string) => json("GET /v1/sessions/:id/queue", [id]),
      update: (id: string, message: string, body: QueueChange) =>
        json("PATCH /v1/sessions/:id/queue/:message", [id, message], { body }),
      cancel: (id: string, message: string) =>
        json("DELETE /v1/sessions/:id/queue/:message", [id, message]),
    },

    abort: (id: string, body: BodyOf<"POST /v1/sessions/:id/abort"> = {}) =>
      json("POST /v1/sessions/:id/abort", [id], { body }),
    status: (id: string) => json("GET /v1/sessions/:id/status", [id]),
    turns: (id: string, query: { message?: string } = {}) =>
      json("GET /v1/sessions/:id/turns", [id], { query }),
    turn: (id: string, turn: string) => json("GET /v1/sessions/:id/turns/:turn", [id, turn]),
    receipts: (id: string, turn: string) =>
      json("GET /v1/sessions/:id/turns/:turn/receipts", [id, turn]),
    /** What a person says to a call that a turn waits for; 409 when it waits no longer. */
    calls: {
      approve: (at: CallPath, body: BodyOf<`${CallAddress}/approve`> = {}) =>
        json("POST /v1/sessions/:id/turns/:turn/calls/:call/approve", steps(at), { body }),
      deny: (at: CallPath, body: BodyOf<`${CallAddress}/deny`> = {}) =>
        json("POST /v1/sessions/:id/turns/:turn/calls/:call/deny", steps(at), { body }),
      answer: (at: CallPath, body: BodyOf<`${CallAddress}/answer`>) =>
        json("POST /v1/sessions/:id/turns/:turn/calls/:call/answer", steps(at), { body }),
      retry: (at: CallPath) =>
        json("POST /v1/sessions/:id/turns/:turn/calls/:call/retry", steps(at)),
      skip: (at: CallPath) => json("POST /v1/sessions/:id/turns/:turn/calls/:call/skip", steps(at)),
    },
    inspect: (id: string, query: { message?: string } = {}) =>
      json("GET /v1/sessions/:id/inspect", [id], { query }),
    lower: (body: BodyOf<"POST /v1/lower">, signal?: AbortSignal) =>
      json("POST /v1/lower", [], { body, signal }),

    commands: {
      list: (query: CommandsQuery = {}) => json("GET /v1/commands", [], { query }),
      doctor: (query: CommandsQuery = {}) => json("GET /v1/commands/doctor", [], { query }),
      export: (query: QueryOf<"GET /v1/commands/export">) =>
        json("GET /v1/commands/export", [], { query }),
      /** The files of instructions that a workspace holds. */
      instructions: (query: CommandsQuery = {}) => json("GET /v1/trust", [], { query }),
      trust: (body: BodyOf<"POST /v1/trust">) => json("POST /v1/trust", [], { body }),
      parse: (body: BodyOf<"POST /v1/parse">) => json("POST /v1/parse", [], { body }),
      complete: (body: BodyOf<"POST /v1/complete">, signal?: AbortSignal) =>
        json("POST /v1/complete", [], { body, signal }),
      expand: (body: BodyOf<"POST /v1/expand">) => json("POST /v1/expand", [], { body }),
    },

    draft: {
      get: (id: string) => json("GET /v1/sessions/:id/draft", [id]),
      save: (id: string, body: BodyOf<"PUT /v1/sessions/:id/draft">) =>
        json("PUT /v1/sessions/:id/draft", [id], { body }),
      stash: (id: string) => json("GET /v1/sessions/:id/draft/stash", [id]),
    },

    upload: (bytes: UploadBody, query: QueryOf<"POST /v1/blobs">, signal?: AbortSignal) =>
      json("POST /v1/blobs", [], { bytes, query, signal }),
    /** Let a session read a folder of the server's machine: only where a person chose it. */
    giveFolder: (id: string, path: string, name?: string) =>
      json("POST /v1/sessions/:id/scopes", [id], { body: { path, name } }),
    /** For a transport that shows progress, which `fetch` does not. */
    uploadRequest: (name: string) => ({
      url: addressOf(options.url, "/v1/blobs", { name }),
      headers: { authorization: `Bearer ${options.token}` },
    }),
    /** The bytes of an attachment, as a response: read it whole, or as it comes. */
    blob: (id: string, contentId: string, signal?: AbortSignal) =>
      call("GET /v1/sessions/:id/blobs/:content", [id, contentId], { signal }),

    /** The raw stream; `follow` reads it and keeps it open. */
    events: (id: string, from: StreamStart) =>
      call("GET /v1/sessions/:id/events", [id], stream(from)),
    hostEvents: (from: StreamStart) => call("GET /v1/events", [], stream(from)),
  }
}

type CallAddress = "POST /v1/sessions/:id/turns/:turn/calls/:call"

export interface StreamStart {
  readonly after?: number
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

function caller({
  url,
  token,
  fetch = (at, init) => globalThis.fetch(at, init),
}: ClientOptions): AskRaw {
  return async (address, parameters, request = {}) => {
    const [method = "GET", pattern = ""] = address.split(" ")
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
    const at = addressOf(url, pathOf(pattern, parameters), request.query)
    const response = await reach(() => fetch(at, init), url)
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

/** The path with its parameters filled in. A content id keeps its colon. */
function pathOf(pattern: string, parameters: readonly string[]): string {
  let next = 0
  return pattern.replace(/:\w+/g, () =>
    encodeURIComponent(parameters[next++] ?? "").replaceAll("%3A", ":"),
  )
}

function steps({ session_id, turn_id, call_id }: CallPath) {
  return [session_id, turn_id, call_id] as const
}

function addressOf(url: string, path: string, query: object = {}): string {
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
