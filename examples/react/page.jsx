import { useCallback, useEffect, useRef, useState } from "react"
import { createRoot } from "react-dom/client"
import { createClient } from "../../packages/client/client.ts"
import { follow } from "../../packages/client/events.ts"
import { applyEvent, viewOfPage } from "../../packages/client/view.ts"
import { BARE_VOCABULARY } from "../../packages/core/compose/vocabulary.ts"
import { ComposerInput } from "../../packages/client/react/composer-input.tsx"

// The token is behind the #, which no server is sent.
const { token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const client = createClient({ url: location.origin, token })
const { session } = await client.sessions.create({ title: "A ticket" })

/** A help desk of somebody else's: its own ticket, its own look, and the composer inside it. */
function Ticket() {
  const composer = useRef(null)
  const [priority, setPriority] = useState("low")
  const [recognised, setRecognised] = useState("")
  const vocabulary = useVocabulary()
  const messages = useMessages()
  const complete = useCallback(
    (source, cursor, signal) =>
      client.commands.complete({ source, cursor, session: session.id }, signal),
    [],
  )
  const send = ({ source, nodes }) => {
    if (source.trim() === "") return false
    // What the host knows goes along as a context: the person need not type it.
    const ticket = {
      type: "editor-context",
      kind: "ticket",
      source: "help-desk",
      payload: { number: 4711, priority },
      emitted_at: Date.now(),
    }
    void client.send(session.id, { source, nodes, parts: [ticket] })
    return true
  }
  return (
    <main>
      <h1>Ticket 4711</h1>
      <label>
        Priority{" "}
        <select value={priority} onChange={(event) => setPriority(event.currentTarget.value)}>
          <option>low</option>
          <option>high</option>
        </select>
      </label>
      <ol aria-label="Answers">
        {messages
          .filter(({ role }) => role === "assistant")
          .map(({ id, parts }) => (
            <li key={id}>{parts.map(({ data }) => data.text ?? "").join("")}</li>
          ))}
      </ol>
      <ComposerInput
        ref={composer}
        label="Answer"
        placeholder="Answer the customer; @ for files, / for commands"
        vocabulary={vocabulary}
        complete={complete}
        onChange={(typed) => setRecognised(described(typed().nodes))}
        onSubmit={send}
      />
      <p>
        <button type="button" onClick={() => composer.current?.insert("@notes.md#L1-2 ")}>
          Refer to the notes
        </button>{" "}
        <output>{recognised}</output>
      </p>
    </main>
  )
}

function described(nodes) {
  return nodes.map(({ kind, raw }) => [kind, raw].join(" ")).join(", ")
}

/** The commands of the server, as the composer's grammar wants them. */
function useVocabulary() {
  const [vocabulary, setVocabulary] = useState(BARE_VOCABULARY)
  useEffect(() => {
    void client.commands.list({ session: session.id }).then(({ commands }) => {
      const names = new Map(commands.map(({ name, command }) => [name, command.kind]))
      setVocabulary({ ...BARE_VOCABULARY, commands: names })
    })
  }, [])
  return vocabulary
}

/** The conversation, from its page and its stream. */
function useMessages() {
  const [messages, setMessages] = useState([])
  useEffect(() => {
    const stop = new AbortController()
    const read = async () => {
      const answer = await client.sessions.get(session.id)
      const page = await client.messages(session.id)
      let view = viewOfPage(page, await client.queue.list(session.id), answer)
      const options = { after: view.next, signal: stop.signal }
      for await (const event of follow(client, session.id, options)) {
        view = applyEvent(view, event)
        setMessages(view.messages)
      }
    }
    void read()
    return () => stop.abort()
  }, [])
  return messages
}

createRoot(document.getElementById("root")).render(<Ticket />)
