import { WebSocket } from "ws"
import { z } from "zod"
import type { EditorEndpoint } from "./find.ts"
import { HELLO, MAX_MESSAGE_BYTES, notification, readMessage, request, toolAnswer } from "./rpc.ts"
import { type IdeSelection, type IdeState, SelectionChanged, selectionOf } from "./state.ts"

const OpenEditors = z.object({
  tabs: z
    .array(z.object({ uri: z.string().optional(), filePath: z.string().optional() }))
    .max(1000),
})

const CONNECT_MS = 3000
const INITIALIZE = 1
/** What is asked as soon as the editor listens, and what its answer tells. */
const QUESTIONS: readonly Question[] = [
  { id: 2, tool: "getCurrentSelection", told: (result) => selected(result) },
  { id: 3, tool: "getOpenEditors", told: (result) => ({ open: openFiles(result) }) },
  { id: 4, tool: "getDiagnostics", told: (result) => ({ diagnostics: listed(result) }) },
]

interface Question {
  readonly id: number
  readonly tool: string
  readonly told: (result: unknown) => Partial<IdeState>
}

export interface EditorLink {
  close(): void
}

/** Listen to an editor that speaks over a WebSocket whose port and token stand in its lock file. */
export function linkClaude(
  door: EditorEndpoint,
  hear: (state: IdeState) => void,
  lost: (reason: string) => void,
): EditorLink {
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}`, ["mcp"], {
    headers: { "x-claude-code-ide-authorization": door.token },
    handshakeTimeout: CONNECT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  let state: IdeState = { editor: door.name, open: [], diagnostics: [], complete: false }
  const unanswered = new Set(QUESTIONS.map(({ id }) => id))
  const change = (news: Partial<IdeState>) => {
    state = { ...state, ...news }
    hear(state)
  }
  socket.on("open", () => socket.send(request(INITIALIZE, "initialize", HELLO)))
  socket.on("message", (data) => {
    const message = readMessage(Buffer.isBuffer(data) ? data.toString() : "")
    if (!message) return
    if (message.method === "selection_changed") {
      const changed = SelectionChanged.safeParse(message.params).data
      if (changed) change({ selection: selectionOf(changed) })
    }
    if (message.id === INITIALIZE) ask(socket)
    const asked = QUESTIONS.find(({ id }) => id === message.id)
    if (!asked) return
    unanswered.delete(asked.id)
    change({ ...asked.told(message.result), complete: unanswered.size === 0 })
  })
  socket.on("error", (error) => lost(`${door.name} cannot be reached: ${error.message}`))
  socket.on("close", () => lost(`${door.name} hung up`))
  return { close: () => socket.terminate() }
}

function ask(socket: WebSocket) {
  socket.send(notification("notifications/initialized"))
  for (const { id, tool: name } of QUESTIONS)
    socket.send(request(id, "tools/call", { name, arguments: {} }))
}

// It says `success: false` where no editor has anything selected.
function selected(result: unknown): { selection?: IdeSelection } {
  const read = SelectionChanged.safeParse(toolAnswer(result)).data
  return read ? { selection: selectionOf(read) } : {}
}

function openFiles(result: unknown): string[] {
  const tabs = OpenEditors.safeParse(toolAnswer(result)).data?.tabs ?? []
  return tabs.flatMap(({ uri, filePath }) => filePath ?? uri?.replace(/^file:\/\//, "") ?? [])
}

function listed(result: unknown): unknown[] {
  const value = toolAnswer(result)
  return Array.isArray(value) ? value : []
}
