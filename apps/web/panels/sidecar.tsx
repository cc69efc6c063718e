import {
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react"
import type { SessionSummary } from "compositor-client/client"
import { isBusy, type SessionView } from "compositor-client/view"
import { newId } from "compositor-core/message/id"
import type { StoredMessage } from "compositor-core/message/row"
import { ComposerInput, type ComposerInputHandle } from "compositor-client/react/composer-input"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { showMoment } from "../state/format.ts"
import { QuoteIcon } from "../controls/icons.tsx"
import { AnswerView, SystemNote, ThinkingNote, UserMessageView } from "../thread/message.tsx"
import { OutgoingMessageView } from "../thread/outgoing-message.tsx"
import { textIn } from "../thread/message-parts.ts"
import { NoteNet } from "../controls/error-boundary.tsx"
import { Panel, Quiet } from "./panel.tsx"
import { type OpenedSidecar, usePanel } from "./panels.ts"
import {
  bringQuoteBack,
  discard,
  keep,
  promote,
  questionBeside,
  sidecarKey,
} from "./sidecar-actions.ts"
import type { PageStore } from "../state/store.ts"
import { sidecarStrings as words } from "../state/strings/sidecar.ts"
import { Thread } from "../thread/thread.ts"

/** Talk beside the conversation: what is said here is not said there, unless it is brought back. */
export default function Sidecars({ opened }: { opened: OpenedSidecar | undefined }) {
  const show = usePanel()
  const close = () => show(undefined)
  return opened === undefined ? (
    <SidecarList onClose={close} />
  ) : (
    <Sidecar key={opened.key} opened={opened} onClose={close} />
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
              onClick={() =>
                show({ type: "sidecars", opened: { key: sidecar.id, id: sidecar.id } })
              }
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

function Sidecar({ opened, onClose }: { opened: OpenedSidecar; onClose: () => void }) {
  const { store, actions } = useApp()
  const id = useOpened(opened, onClose)
  const view = useThread(id)
  const show = usePanel()
  const vocabulary = useStore((state) => state.vocabulary)
  const input = useRef<ComposerInputHandle>(null)
  const { send, keep: keepDraft, draft } = useSidecarDraft(opened, id, input)
  const { client } = store
  const complete = useCallback(
    (source: string, cursor: number, signal: AbortSignal) =>
      client.commands.complete({ source, cursor, ...(id ? { session: id } : {}) }, signal),
    [client, id],
  )
  const own = view?.messages.filter(({ session_id }) => session_id === id) ?? []
  const { question } = opened
  const isAsked = question !== undefined && !own.some((message) => message.id === question.id)
  const isSilent = !isAsked && own.every(({ role }) => role === "system")
  return (
    <Panel
      title={words.title}
      close={words.close}
      onClose={onClose}
      about={words.about}
      first={input}
      head={<Button onClick={() => show({ type: "sidecars" })}>{words.all}</Button>}
      foot={
        <div className="space-y-2 border-t border-line p-3">
          <div className="rounded-xl border border-line-strong bg-surface focus-within:border-accent">
            <ComposerInput
              ref={input}
              initial={draft}
              label={words.input}
              placeholder={words.placeholder}
              vocabulary={vocabulary}
              complete={complete}
              onSubmit={({ source }) => send(source)}
              onChange={keepDraft}
              onEscape={() => {
                onClose()
                return true
              }}
            />
          </div>
          <div className="flex flex-wrap gap-2">
            <Button look="outline" disabled={!id} onClick={() => void (id && promote(actions, id))}>
              {words.promote}
            </Button>
            <Button disabled={!id} onClick={() => void (id && keep(actions, id).then(onClose))}>
              {words.keep}
            </Button>
            <Button
              className="text-danger!"
              disabled={!id}
              onClick={() => {
                if (id) void discard(actions, id)
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
          <NoteNet key={message.id} of={message}>
            <Said message={message} view={view} />
          </NoteNet>
        ))}
        {isAsked && <OutgoingMessageView message={question} />}
        {view && isBusy(view.status) && own.at(-1)?.role === "user" && <ThinkingNote />}
      </div>
    </Panel>
  )
}

function Said({ message, view }: { message: StoredMessage; view: SessionView | undefined }) {
  const { actions, drafts } = useApp()
  if (message.role === "system") return <SystemNote message={message} />
  if (message.role === "user") return <UserMessageView message={message} isBeside />
  const live = view !== undefined && isBusy(view.status) && message === view.messages.at(-1)
  const text = message.parts.map(textIn).join("\n\n").trim()
  const { session_id, id: message_id } = message
  return (
    <div>
      <AnswerView message={message} live={live} question={undefined} isBeside />
      {!live && text !== "" && (
        <Button
          look="outline"
          className="mt-2"
          onClick={() => void bringQuoteBack({ actions, drafts }, session_id, message_id)}
        >
          <QuoteIcon className="size-4" />
          {words.bringBack}
        </Button>
      )}
    </div>
  )
}

/** The id of a sidecar as soon as it has one; one that could not be made is closed. */
function useOpened({ id }: OpenedSidecar, onClose: () => void): string | undefined {
  const [known, setKnown] = useState(typeof id === "string" ? id : undefined)
  const close = useRef(onClose)
  useEffect(() => {
    let wanted = true
    void Promise.resolve(id).then((found) => {
      if (!wanted) return
      if (found === undefined) close.current()
      else setKnown(found)
    })
    return () => {
      wanted = false
    }
  }, [id])
  return known
}

/** What is written here is kept until it is sent, and comes back when it could not be. */
function useSidecarDraft(
  opened: OpenedSidecar,
  id: string | undefined,
  input: RefObject<ComposerInputHandle | null>,
) {
  const { store, actions, desk } = useApp()
  const [draft] = useState(id === undefined ? "" : desk.text(sidecarKey(id)))
  const keep = (typed: () => { source: string }) => {
    const text = () => typed().source
    if (id) desk.edited(sidecarKey(id), { text, nodes: () => undefined }, text() === "")
  }
  const deliver = async (source: string) => {
    const session = await opened.id
    if (session === undefined) return desk.write(actions.draftKey, source)
    try {
      await store.client.send(session, { id: newId("msg"), source, mode: "immediate" })
    } catch (error) {
      actions.report(error, words.restored)
      if (input.current) input.current.insert(source)
      else desk.write(sidecarKey(session), source)
    }
  }
  const send = (typed: string): boolean => {
    // Whoever asks beside from here is beside already.
    const source = questionBeside(typed) ?? typed
    if (source.trim() === "") return false
    if (id) desk.write(sidecarKey(id), "")
    void deliver(source)
    return true
  }
  useEffect(() => () => (id ? desk.release(sidecarKey(id)) : undefined), [desk, id])
  return { draft, keep, send }
}

/** A session beside the open one, for as long as it is shown. */
function useThread(id: string | undefined): SessionView | undefined {
  const { store } = useApp()
  const following = useMemo(() => id && followThread(store, id), [store, id])
  return useSyncExternalStore(
    following ? following.subscribe : neverChanges,
    () => (following && following.thread.view) || undefined,
  )
}

const neverChanges = () => () => undefined

function followThread(store: PageStore, id: string) {
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
}
