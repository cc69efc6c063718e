import { useCallback, useEffect, useState, useSyncExternalStore } from "react"
import type { SessionSummary } from "../client/client.ts"
import { isBusy, type SessionView } from "../client/view.ts"
import { newId } from "../message/id.ts"
import type { StoredMessage } from "../message/row.ts"
import { ComposerInput } from "../react/composer-input.tsx"
import { useApp, useStore } from "./context.ts"
import { Button } from "./controls.tsx"
import { showMoment } from "./format.ts"
import { QuoteIcon } from "./icons.tsx"
import { Answer, SystemNote, Thinking, UserMessage } from "./message.tsx"
import { textIn } from "./message-parts.ts"
import { Panel, Quiet } from "./panel.tsx"
import { usePanel } from "./panels.ts"
import { bringBack, discard, keep, promote } from "./sidecar-actions.ts"
import { sidecarStrings as words } from "./strings/sidecar.ts"
import { Thread } from "./thread.ts"

/** Talk beside the conversation: what is said here is not said there, unless it is brought back. */
export default function Sidecars({ session }: { session: string | undefined }) {
  const show = usePanel()
  const close = () => show(undefined)
  return session === undefined ? (
    <SidecarList onClose={close} />
  ) : (
    <Sidecar key={session} id={session} onClose={close} />
  )
}

function SidecarList({ onClose }: { onClose: () => void }) {
  const { store, actions } = useApp()
  const show = usePanel()
  const current = useStore((state) => state.current)
  const [sidecars, setSidecars] = useState<readonly SessionSummary[]>()
  useEffect(() => {
    let wanted = true
    void actions
      .try(() => store.client.sessions.list({ ephemeral: true, limit: 200 }))
      .then((page) => {
        const own = (page?.sessions ?? []).filter(
          ({ parent_id, metadata }) => parent_id === current && metadata.ephemeral === true,
        )
        if (wanted) setSidecars(own)
      })
    return () => {
      wanted = false
    }
  }, [store, actions, current])
  return (
    <Panel title={words.list} close={words.close} onClose={onClose} about={words.list}>
      {sidecars?.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul className="space-y-2">
        {sidecars?.map((sidecar) => (
          <li key={sidecar.id}>
            <button
              type="button"
              onClick={() => show({ type: "sidecars", session: sidecar.id })}
              className="flex w-full items-center gap-2 rounded-xl border border-line bg-surface px-3 py-2 text-left text-sm hover:border-accent"
            >
              <span className="min-w-0 flex-1 truncate">{sidecar.title ?? words.title}</span>
              <span className="text-xs text-muted">{showMoment(sidecar.updated_at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Sidecar({ id, onClose }: { id: string; onClose: () => void }) {
  const { store, actions } = useApp()
  const view = useThread(id)
  const show = usePanel()
  const vocabulary = useStore((state) => state.vocabulary)
  const { client } = store
  const complete = useCallback(
    (source: string, cursor: number, signal: AbortSignal) =>
      client.commands.complete({ source, cursor, session: id }, signal),
    [client, id],
  )
  const send = (source: string): boolean => {
    if (source.trim() === "") return false
    void actions.try(() => client.send(id, { id: newId("msg"), source, mode: "immediate" }))
    return true
  }
  const own = view?.messages.filter(({ session_id }) => session_id === id) ?? []
  const isSilent = own.every(({ role }) => role === "system")
  return (
    <Panel
      title={words.title}
      close={words.close}
      onClose={onClose}
      about={words.about}
      head={<Button onClick={() => show({ type: "sidecars" })}>{words.all}</Button>}
      foot={
        <div className="space-y-2 border-t border-line p-3">
          <div className="rounded-xl border border-line-strong bg-surface focus-within:border-accent">
            <ComposerInput
              label={words.input}
              placeholder={words.placeholder}
              vocabulary={vocabulary}
              complete={complete}
              onSubmit={({ source }) => send(source)}
              onEscape={() => {
                onClose()
                return true
              }}
            />
          </div>
          <div className="flex flex-wrap gap-2">
            <Button look="outline" onClick={() => void promote(actions, id)}>
              {words.promote}
            </Button>
            <Button onClick={() => void keep(actions, id).then(onClose)}>{words.keep}</Button>
            <Button
              className="text-danger!"
              onClick={() => {
                void discard(actions, id)
                onClose()
              }}
            >
              {words.delete}
            </Button>
          </div>
        </div>
      }
    >
      <div className="flex flex-col gap-5">
        {isSilent && <Quiet>{words.empty}</Quiet>}
        {own.map((message) => (
          <Said key={message.id} message={message} view={view} />
        ))}
        {view && isBusy(view.status) && own.at(-1)?.role === "user" && <Thinking />}
      </div>
    </Panel>
  )
}

function Said({ message, view }: { message: StoredMessage; view: SessionView | undefined }) {
  const { actions, drafts } = useApp()
  if (message.role === "system") return <SystemNote message={message} />
  if (message.role === "user") return <UserMessage message={message} isBeside />
  const live = view !== undefined && isBusy(view.status) && message === view.messages.at(-1)
  const text = message.parts.map(textIn).join("\n\n").trim()
  const { session_id, id: message_id } = message
  return (
    <div>
      <Answer message={message} live={live} question={undefined} isBeside />
      {!live && text !== "" && (
        <Button
          look="outline"
          className="mt-2"
          onClick={() => void bringBack({ actions, drafts }, session_id, message_id)}
        >
          <QuoteIcon className="size-4" />
          {words.bringBack}
        </Button>
      )}
    </div>
  )
}

/** A session beside the open one, for as long as it is shown. */
function useThread(id: string): SessionView | undefined {
  const { store } = useApp()
  const [following] = useState(() => {
    const listeners = new Set<() => void>()
    const tell = () => {
      for (const listener of listeners) listener()
    }
    const thread = new Thread(store.client, id, {
      changed: tell,
      linked: () => undefined,
      gone: tell,
      isFinal: (error) => store.noticed(error),
    })
    const subscribe = (listener: () => void) => {
      listeners.add(listener)
      thread.start()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) thread.stop()
      }
    }
    return { thread, subscribe }
  })
  return useSyncExternalStore(following.subscribe, () => following.thread.view)
}
