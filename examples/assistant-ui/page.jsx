import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useLocalRuntime,
} from "@assistant-ui/react"
import { useState } from "react"
import { createRoot } from "react-dom/client"
import { createClient } from "../../packages/client/client.ts"
import { compositorAdapter } from "./adapter.ts"

// The token is behind the #, which no server is sent.
const { token, session: given } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const client = createClient({ url: location.origin, token })
const session = given ?? (await client.sessions.create({ title: "assistant-ui" })).session.id

function Chat() {
  const [adapter] = useState(() => compositorAdapter(client, session))
  const runtime = useLocalRuntime(adapter)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

function UserMessage() {
  return (
    <MessagePrimitive.Root data-role="user">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  )
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root data-role="assistant">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  )
}

createRoot(document.getElementById("root")).render(<Chat />)
