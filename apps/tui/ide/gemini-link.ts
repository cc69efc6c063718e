import { FrameReader } from "compositor-client/sse"
import type { EditorLink } from "./claude-link.ts"
import type { EditorEndpoint } from "./find.ts"
import { HELLO, notification, readMessage, request } from "./rpc.ts"
import { ContextUpdate, type IdeState, updatedState } from "./state.ts"

/** Listen to an editor's companion: a tool server over HTTP that tells its context in notifications. */
export function linkGemini(
  door: EditorEndpoint,
  hear: (state: IdeState) => void,
  lost: (reason: string) => void,
): EditorLink {
  const stop = new AbortController()
  listen(door, hear, stop.signal).then(
    () => lost(`${door.name} hung up`),
    (error: unknown) => {
      if (!stop.signal.aborted) lost(`${door.name} cannot be reached: ${String(error)}`)
    },
  )
  return { close: () => stop.abort() }
}

async function listen(door: EditorEndpoint, hear: (state: IdeState) => void, signal: AbortSignal) {
  const url = `http://127.0.0.1:${door.port}/mcp`
  const headers: Record<string, string> = {
    authorization: `Bearer ${door.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  }
  // What answers at this port may be no editor: it leads nowhere else.
  const about = { signal, redirect: "error" } as const
  const post = (body: string) => fetch(url, { ...about, method: "POST", headers, body })
  const opened = await post(request(1, "initialize", HELLO))
  if (!opened.ok) throw new Error(`it answered ${opened.status}`)
  const session = opened.headers.get("mcp-session-id")
  if (session) headers["mcp-session-id"] = session
  await opened.body?.cancel()
  await (await post(notification("notifications/initialized"))).body?.cancel()
  const stream = await fetch(url, {
    ...about,
    headers: { ...headers, accept: "text/event-stream" },
  })
  if (!stream.ok || !stream.body) throw new Error(`it answered ${stream.status}`)
  const frames = new FrameReader()
  for await (const chunk of stream.body)
    for (const { data } of frames.push(chunk)) {
      const message = readMessage(data)
      if (message?.method !== "ide/contextUpdate") continue
      const update = ContextUpdate.safeParse(message.params).data
      if (update) hear(updatedState(door.name, update))
    }
}
