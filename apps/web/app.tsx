import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react"
import { NEW } from "./state/actions.ts"
import { Composer } from "./composer/composer.tsx"
import { useApp, useDraftKeeper, useMedia, useStore } from "./state/context.ts"
import { IconButton } from "./controls/controls.tsx"
import { Dialog } from "./controls/dialog.tsx"
import type { OutgoingSend } from "./composer/draft.ts"
import { DropTarget } from "./composer/drop.tsx"
import { Empty } from "./thread/empty.tsx"
import { Gate } from "./gate.tsx"
import { Header } from "./header.tsx"
import { CloseIcon } from "./controls/icons.tsx"
import { OutgoingMessageView } from "./thread/outgoing-message.tsx"
import { NoteNet, PageBoundary, PaneNet } from "./controls/error-boundary.tsx"
import { PanelContext, type Shown } from "./panels/panels.ts"
import { QueueTray } from "./queue/queue-tray.tsx"
import { TrustCard } from "./thread/trust-card.tsx"
import { SessionList } from "./panels/session-list.tsx"
import { useShortcuts } from "./state/shortcuts.ts"
import { strings } from "./state/strings.ts"
import { Toasts } from "./controls/toasts.tsx"
import type { ComposerHandle } from "./composer/use-editor.ts"

/** Whoever has nothing to read yet does not wait for what reads and draws it. */
const loadLog = () => import("./thread/log.tsx")
const Log = lazy(loadLog)
const Help = lazy(() => import("./panels/help.tsx"))
const Xray = lazy(() => import("./inspector/xray.tsx"))
const Sidecars = lazy(() => import("./panels/sidecar.tsx"))
const Inspector = lazy(() => import("./inspector/inspector.tsx"))
const Shelf = lazy(() => import("./panels/catalog-panel.tsx"))

export function Page() {
  const gate = useStore((state) => state.gate)
  return (
    <>
      <PageBoundary>{gate === "open" ? <Rooms /> : <Gate reason={gate} />}</PageBoundary>
      <Toasts />
    </>
  )
}

const XRAY_KEY = "compositor.xray"

function Rooms() {
  const { store, actions } = useApp()
  const wide = useMedia("(min-width: 56rem)")
  const [help, setHelp] = useState(false)
  const [list, setList] = useState(false)
  const { shown, show, toggle } = usePanels()
  const composer = useRef<ComposerHandle>(null)
  useEffect(
    () => actions.whenBeside((opened) => show({ type: "sidecars", opened })),
    [actions, show],
  )
  useShortcuts({
    help: () => setHelp(true),
    xray: () => toggle("xray"),
    focus: () => composer.current?.focus(),
    stash: () => actions.stash(),
    store,
  })

  return (
    <PanelContext value={show}>
      <div className="flex h-dvh">
        {wide ? (
          <aside
            aria-label={strings.sessions.label}
            className="flex w-68 shrink-0 flex-col border-r border-line bg-sunken"
          >
            <Brand />
            <SessionList />
            <Place />
          </aside>
        ) : (
          list && <ListDrawer onClose={() => setList(false)} />
        )}
        <main className="flex min-w-0 flex-1 flex-col">
          <Header
            shown={shown?.type}
            onToggle={toggle}
            onHelp={() => setHelp(true)}
            onSessions={wide ? undefined : () => setList(true)}
          />
          <div className="relative flex min-h-0 flex-1 flex-col">
            <Connection />
            <Conversation onFilled={() => composer.current?.focus()} />
          </div>
          <div className="mx-auto w-full max-w-3xl px-3 pt-1.5 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6">
            <TrustCard />
            <QueueTray />
            <Composer ref={composer} />
          </div>
        </main>
        {shown && <Beside key={shown.type} shown={shown} show={show} />}
        <DropTarget />
        {help && (
          <PaneNet title={strings.header.help} onClose={() => setHelp(false)}>
            <Suspense>
              <Help onClose={() => setHelp(false)} />
            </Suspense>
          </PaneNet>
        )}
      </div>
    </PanelContext>
  )
}

/** Which panel is open. The X-ray is a habit: it is there again after a reload. */
function usePanels() {
  const [shown, setShown] = useState<Shown | undefined>(() =>
    localStorage.getItem(XRAY_KEY) === "open" ? { type: "xray", isRestored: true } : undefined,
  )
  const current = useStore((state) => state.current)
  const [of, setOf] = useState(current)
  if (of !== current) {
    setOf(current)
    // What was said of one session is not said of the next.
    if (shown?.type === "xray" && shown.message) setShown({ type: "xray" })
    else if (shown?.type === "sidecars" || shown?.type === "inspector") setShown(undefined)
  }
  const show = useCallback((next: Shown | undefined) => {
    localStorage.setItem(XRAY_KEY, next?.type === "xray" ? "open" : "closed")
    setShown(next)
  }, [])
  const toggle = (type: Shown["type"]) => show(shown?.type === type ? undefined : { type })
  return { shown, show, toggle }
}

interface BesideProps {
  readonly shown: Shown
  readonly show: (shown: Shown | undefined) => void
}

/** A panel that breaks is closed, and so it is not there again after a reload. */
function Beside({ shown, show }: BesideProps) {
  return (
    <PaneNet title={strings.panes[shown.type]} onClose={() => show(undefined)}>
      <Suspense>
        <Pane shown={shown} show={show} />
      </Suspense>
    </PaneNet>
  )
}

function Pane({ shown, show }: BesideProps) {
  const close = () => show(undefined)
  switch (shown.type) {
    case "xray":
      return (
        <Xray
          message={shown.message}
          isRestored={shown.isRestored === true}
          onBack={() => show({ type: "xray" })}
          onClose={close}
        />
      )
    case "sidecars":
      return <Sidecars opened={shown.opened} />
    case "inspector":
      return <Inspector message={shown.message} onClose={close} />
    case "shelf":
      return <Shelf onClose={close} />
  }
}

/** The only thing that is drawn again while an answer comes. */
function Conversation({ onFilled }: { onFilled: () => void }) {
  const current = useStore((state) => state.current)
  const view = useStore((state) => state.view)
  const outgoing = useDraftKeeper((desk) => desk.outgoing(current ?? NEW))
  if (current === undefined && outgoing.length === 0) return <Empty onFilled={onFilled} />
  const beginning = <Beginning outgoing={outgoing} />
  if (current === undefined || !view) return beginning
  return (
    <NoteNet of={current}>
      <Suspense fallback={beginning}>
        <Log key={current} view={view} outgoing={outgoing} />
      </Suspense>
    </NoteNet>
  )
}

/** A session that is not there yet, and what was sent to it. */
function Beginning({ outgoing }: { outgoing: readonly OutgoingSend[] }) {
  useEffect(() => void loadLog().catch(() => undefined), [])
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" aria-busy="true">
      <div className="mx-auto max-w-3xl space-y-6 px-4 pt-16 pb-8 sm:px-6">
        {outgoing.map((message) => (
          <OutgoingMessageView key={message.id} message={message} />
        ))}
      </div>
    </div>
  )
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
