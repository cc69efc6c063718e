import { useEffect, useState } from "react"
import { isBusy } from "compositor-client/view"
import type { SessionStatus } from "compositor-core/message/row"
import { UNREWIND } from "./state/actions.ts"
import { useApp, useStore } from "./state/context.ts"
import { IconButton, looks } from "./controls/controls.tsx"
import { showCount, showDollars } from "./state/format.ts"
import { MenuIcon, MoonIcon, MoreIcon, SunIcon, SystemIcon, XrayIcon } from "./controls/icons.tsx"
import { Menu } from "./controls/menu.tsx"
import type { Shown } from "./panels/panels.ts"
import { titleOf } from "./panels/session-list.tsx"
import { strings } from "./state/strings.ts"
import { nextTheme, readTheme, wearTheme } from "./state/theme.ts"

const words = strings.header

interface HeaderProps {
  /** The panel that is open. */
  readonly shown: Shown["type"] | undefined
  readonly onToggle: (panel: Shown["type"]) => void
  readonly onHelp: () => void
  /** Set where the list is hidden. */
  readonly onSessions: (() => void) | undefined
}

export function Header({ shown, onToggle, onHelp, onSessions }: HeaderProps) {
  const { actions } = useApp()
  const session = useStore((state) => state.view?.session)
  const current = useStore((state) => state.current)
  const restores = useStore((state) => state.routes.has(UNREWIND))
  const title = current ? session && titleOf(session) : strings.sessions.new
  useEffect(() => {
    document.title = title ? `${title} · ${strings.name}` : strings.name
  }, [title])
  const more = [
    ...(current
      ? [
          { label: words.sidecars, run: () => onToggle("sidecars") },
          { label: words.inspector, run: () => onToggle("inspector") },
        ]
      : []),
    ...(current && restores ? [{ label: words.unrewind, run: () => void actions.unrewind() }] : []),
    { label: words.shelf, run: () => onToggle("shelf") },
    { label: words.help, run: onHelp },
  ]
  return (
    <header className="flex h-12 shrink-0 items-center gap-1.5 border-b border-line px-2 sm:px-3">
      {onSessions && (
        <IconButton label={strings.sessions.open} onClick={onSessions}>
          <MenuIcon />
        </IconButton>
      )}
      <h1 className="min-w-0 truncate pl-1 font-semibold">{title}</h1>
      <Status />
      <Figures />
      <span className="flex-1" />
      <button
        type="button"
        aria-pressed={shown === "xray"}
        onClick={() => onToggle("xray")}
        aria-label={words.xray}
        title={words.xrayTip}
        className={looks("plain", "aria-pressed:bg-accent-soft aria-pressed:text-accent")}
      >
        <XrayIcon />
        <span className="max-sm:hidden">{words.xray}</span>
      </button>
      <ThemeButton />
      <Menu label={words.more} items={more}>
        <MoreIcon />
      </Menu>
    </header>
  )
}

/** What the session has cost so far. */
function Figures() {
  const tokens = useStore((state) => state.view?.session.total_tokens ?? 0)
  const cost = useStore((state) => state.view?.session.cost_usd ?? 0)
  if (tokens === 0) return null
  return (
    <span className="truncate text-xs text-muted max-md:hidden">
      {words.figures(showCount(tokens), cost > 0 ? showDollars(cost) : undefined)}
    </span>
  )
}

const STATUS_COLOURS: Readonly<Record<SessionStatus["state"], string>> = {
  idle: "bg-good",
  busy: "bg-accent",
  retrying: "bg-warn",
  waiting_on_approval: "bg-violet",
  waiting_on_user_input: "bg-violet",
  error: "bg-danger",
}

/** The state of the session, to see and to hear. */
function Status() {
  const status = useStore((state) => state.view?.status)
  const state = status?.state
  const [heard, setHeard] = useState({ state, said: "" })
  if (heard.state !== state) setHeard({ state, said: announcement(heard.state, state) })
  const colour = STATUS_COLOURS[status?.state ?? "idle"]
  return (
    <>
      {status && (
        <span
          title={status.message}
          className="flex shrink-0 items-center gap-1.5 rounded-full px-2 text-xs text-muted"
        >
          <span
            aria-hidden="true"
            className={`size-2 rounded-full ${colour} ${isBusy(status) ? "pulse" : ""}`}
          />
          {strings.status[status.state]}
          {status.state === "retrying" && status.attempt !== undefined && ` (${status.attempt})`}
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
