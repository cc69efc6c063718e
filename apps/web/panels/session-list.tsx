import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react"
import type { SessionSummary } from "compositor-client/client"
import { isBusy } from "compositor-client/view"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { Dialog } from "../controls/dialog.tsx"
import { showAgo, showMoment } from "../state/format.ts"
import { MoreIcon, PlusIcon } from "../controls/icons.tsx"
import { Menu } from "../controls/menu.tsx"
import { strings } from "../state/strings.ts"
import { goTo, sessionHash } from "../state/token.ts"

const words = strings.sessions

/** The sessions, newest first. With `onChosen` it is in a drawer of its own. */
export function SessionList({ onChosen }: { onChosen?: () => void }) {
  const { store } = useApp()
  const sessions = useStore((state) => state.sessions)
  const current = useStore((state) => state.current)
  const read = useStore((state) => state.sessionsRead)
  const more = useStore((state) => state.moreSessions)
  const archived = useStore((state) => state.archived)
  const [renaming, setRenaming] = useState<string>()
  const [renamed, setRenamed] = useState<string>()
  const [deleting, setDeleting] = useState<SessionSummary>()
  const now = useNow()
  const open = (id: string | undefined) => {
    goTo(id)
    onChosen?.()
  }

  return (
    <nav aria-label={words.label} className="flex min-h-0 flex-1 flex-col">
      <div className="px-3 pt-1 pb-2">
        <Button
          look="outline"
          className="h-9 w-full justify-start bg-surface"
          onClick={() => open(undefined)}
        >
          <PlusIcon className="size-4" />
          {words.new}
        </Button>
      </div>
      <ul className="min-h-0 flex-1 space-y-0.5 overflow-y-auto px-2 pb-2">
        {sessions.map((session) => (
          <li key={session.id}>
            {renaming === session.id ? (
              <Rename
                session={session}
                onDone={() => {
                  setRenamed(session.id)
                  setRenaming(undefined)
                }}
              />
            ) : (
              <Row
                session={session}
                now={now}
                isCurrent={session.id === current}
                isRenamed={session.id === renamed}
                onOpen={() => open(session.id)}
                onRename={() => {
                  setRenamed(undefined)
                  setRenaming(session.id)
                }}
                onDelete={() => setDeleting(session)}
              />
            )}
          </li>
        ))}
        {read && sessions.length === 0 && (
          <li className="px-3 py-2 text-sm text-muted">
            {archived ? words.noneArchived : words.none}
          </li>
        )}
        {more && (
          <li>
            <Button className="w-full" onClick={() => void store.readMoreSessions()}>
              {words.more}
            </Button>
          </li>
        )}
      </ul>
      <div className="px-3 py-2">
        <Button
          className="w-full justify-start"
          aria-pressed={archived}
          onClick={() => store.showArchived(!archived)}
        >
          {archived ? words.showCurrent : words.showArchived}
        </Button>
      </div>
      {deleting && <ConfirmDelete session={deleting} onDone={() => setDeleting(undefined)} />}
    </nav>
  )
}

export function titleOf(session: { title: string | null } | undefined): string {
  return session?.title || words.untitled
}

interface RowProps {
  readonly session: SessionSummary
  readonly now: number
  readonly isCurrent: boolean
  /** Its title was just written: the focus, which was there, comes back. */
  readonly isRenamed: boolean
  readonly onOpen: () => void
  readonly onRename: () => void
  readonly onDelete: () => void
}

function Row({ session, now, isCurrent, isRenamed, onOpen, onRename, onDelete }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useLayoutEffect(() => {
    if (isRenamed && document.activeElement === document.body) link.current?.focus()
  }, [isRenamed])
  const title = titleOf(session)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "F2") onRename()
    if (event.key === "Delete") onDelete()
  }
  return (
    <div
      className={`group relative flex items-center rounded-lg ${isCurrent ? "bg-hover" : "hover:bg-hover"}`}
    >
      <a
        ref={link}
        href={sessionHash(session.id)}
        aria-current={isCurrent ? "page" : undefined}
        onClick={(event) => {
          // With a modifier the browser opens it, in another tab or window.
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          onOpen()
        }}
        onKeyDown={onKeyDown}
        className="flex min-w-0 flex-1 flex-col rounded-lg py-1.5 pr-9 pl-3"
      >
        <span className={`truncate text-sm ${isCurrent ? "font-medium" : ""}`}>{title}</span>
        <span className="flex items-center gap-1.5 text-xs text-muted">
          <StatusDot session={session} />
          <time
            title={showMoment(session.updated_at)}
            dateTime={new Date(session.updated_at).toISOString()}
          >
            {showAgo(session.updated_at, now)}
          </time>
          {session.queued > 0 && <span>{`· ${words.queued(session.queued)}`}</span>}
        </span>
      </a>
      <RowMenu session={session} title={title} onRename={onRename} onDelete={onDelete} />
    </div>
  )
}

function StatusDot({ session: { status } }: { session: SessionSummary }) {
  if (status.state === "idle") return null
  const colour = status.state === "error" ? "bg-danger" : "bg-accent"
  return (
    <>
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${colour} ${isBusy(status) ? "pulse" : ""}`}
      />
      <span className="sr-only">{strings.status[status.state]}</span>
    </>
  )
}

type RowMenuProps = Omit<RowProps, "now" | "isCurrent" | "isRenamed" | "onOpen"> & { title: string }

function RowMenu({ session, title, onRename, onDelete }: RowMenuProps) {
  const { actions } = useApp()
  const archived = session.archived_at !== null
  return (
    <Menu
      label={words.actions(title)}
      className="absolute right-1 size-7 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
      items={[
        { label: words.rename, run: onRename },
        {
          label: archived ? words.unarchive : words.archive,
          run: () => void actions.archive(session.id, !archived),
        },
        { label: words.delete, run: onDelete, danger: true },
      ]}
    >
      <MoreIcon className="size-4" />
    </Menu>
  )
}

function Rename({ session, onDone }: { session: SessionSummary; onDone: () => void }) {
  const { actions } = useApp()
  const finish = (title: string) => {
    onDone()
    if (title.trim() && title !== session.title) void actions.rename(session.id, title.trim())
  }
  return (
    <input
      aria-label={words.renameLabel}
      defaultValue={session.title ?? ""}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === "Enter") event.currentTarget.blur()
        if (event.key === "Escape") {
          event.stopPropagation()
          onDone()
        }
      }}
      className="h-12 w-full rounded-lg border border-accent bg-surface px-3 text-sm focus-visible:-outline-offset-2"
    />
  )
}

function ConfirmDelete({ session, onDone }: { session: SessionSummary; onDone: () => void }) {
  const { actions } = useApp()
  return (
    <Dialog alert label={words.deleteTitle} onClose={onDone}>
      <h2 className="text-lg font-semibold">{words.deleteTitle}</h2>
      <p className="mt-2 text-sm text-muted [overflow-wrap:anywhere]">
        {words.deleteText(titleOf(session))}
      </p>
      <div className="mt-5 flex justify-end gap-2">
        <Button look="outline" className="h-9" onClick={onDone}>
          {words.cancel}
        </Button>
        <Button
          look="danger"
          onClick={() => {
            void actions.remove(session.id)
            onDone()
          }}
        >
          {words.deleteConfirm}
        </Button>
      </div>
    </Dialog>
  )
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
