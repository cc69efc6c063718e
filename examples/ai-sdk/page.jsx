import { useChat } from "@ai-sdk/react"
import { createRoot } from "react-dom/client"
import { useState } from "react"
import { createClient } from "../../packages/client/client.ts"
import { CompositorTransport } from "./transport.ts"

// The token is behind the #, which no server is sent.
const { token, session: given } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const client = createClient({ url: location.origin, token })
const session = given ?? (await client.sessions.create({ title: "AI SDK" })).session.id

function Chat() {
  const [transport] = useState(() => new CompositorTransport(client, session))
  const { messages, sendMessage, status, stop, error } = useChat({ id: session, transport })
  const [text, setText] = useState("")
  const [files, setFiles] = useState()
  const submit = (event) => {
    event.preventDefault()
    void sendMessage({ text, ...(files ? { files } : {}) })
    setText("")
    setFiles(undefined)
    event.target.reset()
  }
  return (
    <main>
      <ol>
        {messages.map((message) => (
          <li key={message.id} data-role={message.role}>
            {message.parts.map((part, at) => (
              <Part key={at} part={part} />
            ))}
          </li>
        ))}
      </ol>
      <p role="status">{error ? error.message : status}</p>
      <form onSubmit={submit}>
        <input
          aria-label="Message"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <input
          aria-label="Files"
          type="file"
          multiple
          onChange={(event) => setFiles(event.target.files)}
        />
        <button type="submit">Send</button>
        <button type="button" onClick={() => void stop()}>
          Stop
        </button>
      </form>
    </main>
  )
}

function Part({ part }) {
  if (part.type === "text") return <p>{part.text}</p>
  if (part.type === "file") return <p>[{part.filename}]</p>
  if (part.type === "dynamic-tool")
    return <pre>{`${part.toolName} ${JSON.stringify(part.output)}`}</pre>
  return null
}

createRoot(document.getElementById("root")).render(<Chat />)
