import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react"
import type { StoredMessage } from "../message/row.ts"
import { Composer } from "./composer.tsx"
import { useApp, useMedia, useStore } from "./context.ts"
import { IconButton } from "./controls.tsx"
import { Dialog } from "./dialog.tsx"
import { DropTarget } from "./drop.tsx"
import { Empty } from "./empty.tsx"
import { Gate } from "./gate.tsx"
import { Header } from "./header.tsx"
import { CloseIcon } from "./icons.tsx"
import { Log } from "./log.tsx"
import { Net } from "./net.tsx"
import { QueueTray } from "./queue-tray.tsx"
import { SessionList } from "./session-list.tsx"
import { strings } from "./strings.ts"
import { useShortcuts } from "./shortcuts.ts"
import { Toasts } from "./toasts.tsx"
import type { ComposerHandle } from "./use-editor.ts"

const Help = lazy(() => import("./help.tsx"))
const Xray = lazy(() => import("./xray.tsx"))

export function Page() {
  const gate = useStore((state) => state.gate)
  return (
    <>
      <Net>{gate === "open" ? <Rooms /> : <Gate reason={gate} />}</Net>
      <Toasts />
    </>
  )
}

const XRAY_KEY = "compositor.xray"

function Rooms() {
  const { store } = useApp()
  const wide = useMedia("(min-width: 56rem)")
  const [help, setHelp] = useState(false)
  const [list, setList] = useState(false)
  const [xray, setXray] = useState(() => localStorage.getItem(XRAY_KEY) === "open")
  const [examined, setExamined] = useState<{ session: string; message: StoredMessage }>()
  const composer = useRef<ComposerHandle>(null)
  const current = useStore((state) => state.current)

  const showXray = useCallback((open: boolean) => {
    localStorage.setItem(XRAY_KEY, open ? "open" : "closed")
    setXray(open)
    setExamined(undefined)
  }, [])
  const examine = useCallback(
    (message: StoredMessage) => {
      setXray(true)
      if (current) setExamined({ session: current, message })
    },
    [current],
  )
  useShortcuts({
    help: () => setHelp(true),
    xray: () => showXray(!xray),
    focus: () => composer.current?.focus(),
    store,
  })

  return (
    <div className="flex h-dvh">
      {wide ? (
        <aside className="flex w-68 shrink-0 flex-col border-r border-line bg-sunken">
          <Brand />
          <SessionList />
          <Place />
        </aside>
      ) : (
        list && <ListDrawer onClose={() => setList(false)} />
      )}
      <main className="flex min-w-0 flex-1 flex-col">
        <Header
          xray={xray}
          onXray={() => showXray(!xray)}
          onHelp={() => setHelp(true)}
          onSessions={wide ? undefined : () => setList(true)}
        />
        <div className="relative flex min-h-0 flex-1 flex-col">
          <Connection />
          <Conversation onXray={examine} onFilled={() => composer.current?.focus()} />
        </div>
        <div className="mx-auto w-full max-w-3xl px-3 pt-1.5 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6">
          <QueueTray />
          <Composer ref={composer} />
        </div>
      </main>
      <Suspense>
        {xray && (
          <Xray
            message={examined?.session === current ? examined?.message : undefined}
            onBack={() => setExamined(undefined)}
            onClose={() => showXray(false)}
          />
        )}
      </Suspense>
      <DropTarget />
      <Suspense>{help && <Help onClose={() => setHelp(false)} />}</Suspense>
    </div>
  )
}

interface ConversationProps {
  readonly onXray: (message: StoredMessage) => void
  readonly onFilled: () => void
}

/** The only thing that is drawn again while an answer comes. */
function Conversation({ onXray, onFilled }: ConversationProps) {
  const current = useStore((state) => state.current)
  const view = useStore((state) => state.view)
  if (current === undefined) return <Empty onFilled={onFilled} />
  if (!view) return <div className="flex-1" aria-busy="true" />
  return <Log key={current} view={view} onXray={onXray} />
}

function Brand() {
  return (
    <div className="flex h-12 shrink-0 items-center gap-2 px-4 font-semibold">
      <img src="/icon.svg" alt="" className="size-5" />
      {strings.name}
    </div>
  )
}

/** Where the work happens. */
function Place() {
  const info = useStore((state) => state.info)
  return (
    <p
      className="h-9 truncate border-t border-line px-4 py-2 text-xs text-muted"
      title={info?.workspace ?? undefined}
    >
      {info?.workspace?.replace(/^\/(?:home|Users)\/[^/]+/, "~")}
    </p>
  )
}

function ListDrawer({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      label={strings.sessions.label}
      onClose={onClose}
      className="drawer m-0 flex h-dvh max-h-none w-[min(20rem,85vw)] flex-col bg-sunken text-ink shadow-xl"
    >
      <div className="flex items-center pr-2">
        <div className="flex-1">
          <Brand />
        </div>
        <IconButton label={strings.sessions.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <SessionList onChosen={onClose} />
      <Place />
    </Dialog>
  )
}

const SHOW_AFTER = 1_200

/** Says when the server cannot be heard, and not when a blink was missed. */
function Connection() {
  const linked = useStore((state) => state.linked.host && (state.linked.session || !state.current))
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-x-0 top-2 z-20 flex justify-center"
    >
      {!linked && <Unlinked />}
    </div>
  )
}

function Unlinked() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SHOW_AFTER)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return null
  return (
    <span className="rounded-full border border-line-strong bg-warn-soft px-3.5 py-1 text-sm text-warn shadow-sm">
      {navigator.onLine ? strings.connection.reconnecting : strings.connection.offline}
    </span>
  )
}
