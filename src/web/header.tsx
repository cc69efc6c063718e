import { useEffect, useState } from "react"
import { isBusy } from "../client/view.ts"
import type { SessionStatus } from "../message/row.ts"
import { useStore } from "./context.ts"
import { IconButton, looks } from "./controls.tsx"
import { HelpIcon, MenuIcon, MoonIcon, SunIcon, SystemIcon, XrayIcon } from "./icons.tsx"
import { titleOf } from "./session-list.tsx"
import { strings } from "./strings.ts"
import { nextTheme, readTheme, wearTheme } from "./theme.ts"

interface HeaderProps {
  readonly xray: boolean
  readonly onXray: () => void
  readonly onHelp: () => void
  /** Set where the list is hidden. */
  readonly onSessions: (() => void) | undefined
}

export function Header({ xray, onXray, onHelp, onSessions }: HeaderProps) {
  const session = useStore((state) => state.view?.session)
  const current = useStore((state) => state.current)
  const title = current ? session && titleOf(session) : strings.sessions.new
  useEffect(() => {
    document.title = title ? `${title} · ${strings.name}` : strings.name
  }, [title])
  return (
    <header className="flex h-12 shrink-0 items-center gap-1.5 border-b border-line px-2 sm:px-3">
      {onSessions && (
        <IconButton label={strings.sessions.open} onClick={onSessions}>
          <MenuIcon />
        </IconButton>
      )}
      <h1 className="min-w-0 truncate pl-1 font-semibold">{title}</h1>
      <Status />
      <span className="flex-1" />
      <button
        type="button"
        aria-pressed={xray}
        onClick={onXray}
        aria-label={strings.header.xray}
        title={strings.header.xrayTip}
        className={looks("plain", "aria-pressed:bg-accent-soft aria-pressed:text-accent")}
      >
        <XrayIcon />
        <span className="max-sm:hidden">{strings.header.xray}</span>
      </button>
      <ThemeButton />
      <IconButton label={strings.header.help} onClick={onHelp} className="size-8 max-sm:hidden">
        <HelpIcon />
      </IconButton>
    </header>
  )
}

/** The state of the session, to see and to hear. */
function Status() {
  const status = useStore((state) => state.view?.status)
  const state = status?.state
  const [heard, setHeard] = useState({ state, said: "" })
  if (heard.state !== state) setHeard({ state, said: announcement(heard.state, state) })
  const colour =
    !status || status.state === "idle"
      ? "bg-good"
      : status.state === "error"
        ? "bg-danger"
        : "bg-accent"
  return (
    <>
      {status && (
        <span className="flex shrink-0 items-center gap-1.5 rounded-full px-2 text-xs text-muted">
          <span
            aria-hidden="true"
            className={`size-2 rounded-full ${colour} ${isBusy(status) ? "pulse" : ""}`}
          />
          {strings.status[status.state]}
        </span>
      )}
      <span role="status" className="sr-only">
        {heard.said}
      </span>
    </>
  )
}

type State = SessionStatus["state"] | undefined

function announcement(before: State, now: State): string {
  if (now === undefined) return ""
  if (now === "idle") return before === "busy" ? strings.finished : ""
  return strings.status[now]
}

const ICONS = { system: SystemIcon, light: SunIcon, dark: MoonIcon }

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const Icon = ICONS[theme]
  return (
    <IconButton
      label={strings.header.theme[theme]}
      onClick={() => {
        const next = nextTheme(theme)
        wearTheme(next)
        setTheme(next)
      }}
    >
      <Icon />
    </IconButton>
  )
}
