import { WebSocket } from "ws"
import { z } from "zod"
import type { IdeDoor } from "./find.ts"
import { HELLO, MAX_MESSAGE_BYTES, notification, readMessage, request, toolAnswer } from "./rpc.ts"
import { type IdeState, SelectionChanged, selectionOf } from "./state.ts"

const OpenEditors = z.object({
  tabs: z
    .array(z.object({ uri: z.string().optional(), filePath: z.string().optional() }))
    .max(1000),
})

const CONNECT_MS = 3000
const [INITIALIZE, OPEN_EDITORS, DIAGNOSTICS] = [1, 2, 3]

export interface Link {
  close(): void
}

/** Listen to an editor that speaks over a WebSocket whose port and token stand in its lock file. */
export function linkClaude(
  door: IdeDoor,
  hear: (state: IdeState) => void,
  lost: (reason: string) => void,
): Link {
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}`, ["mcp"], {
    headers: { "x-claude-code-ide-authorization": door.token },
    handshakeTimeout: CONNECT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  let state: IdeState = { editor: door.name, open: [], diagnostics: [] }
  const change = (news: Partial<IdeState>) => {
    state = { ...state, ...news }
    hear(state)
  }
  socket.on("open", () => socket.send(request(INITIALIZE ?? 1, "initialize", HELLO)))
  socket.on("message", (data) => {
    const message = readMessage((data as Buffer).toString())
    if (!message) return
    if (message.method === "selection_changed") {
      const changed = SelectionChanged.safeParse(message.params).data
      if (changed) change({ selection: selectionOf(changed) })
    }
    if (message.id === INITIALIZE) ask(socket)
    if (message.id === OPEN_EDITORS) change({ open: openFiles(message.result) })
    if (message.id === DIAGNOSTICS) change({ diagnostics: listed(toolAnswer(message.result)) })
  })
  socket.on("error", (error) => lost(`${door.name} cannot be reached: ${error.message}`))
  socket.on("close", () => lost(`${door.name} hung up`))
  return { close: () => socket.terminate() }
}

function ask(socket: WebSocket) {
  socket.send(notification("notifications/initialized"))
  for (const [id, name] of [
    [OPEN_EDITORS, "getOpenEditors"],
    [DIAGNOSTICS, "getDiagnostics"],
  ] as const)
    socket.send(request(id ?? 0, "tools/call", { name, arguments: {} }))
}

function openFiles(result: unknown): string[] {
  const tabs = OpenEditors.safeParse(toolAnswer(result)).data?.tabs ?? []
  return tabs.flatMap(({ uri, filePath }) => filePath ?? uri?.replace(/^file:\/\//, "") ?? [])
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
