import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createClient } from "compositor-client/client"
import { Actions, NEW } from "./state/actions.ts"
import { Page } from "./app.tsx"
import { AppContext } from "./state/context.ts"
import { DraftKeeper } from "./composer/draft-desk.ts"
import { Drafts } from "./composer/drafts.ts"
import { Looks } from "./composer/fates.ts"
import { keepFocus } from "./controls/focus.ts"
import { Gate } from "./gate.tsx"
import { PageStore } from "./state/store.ts"
import "./style.css"
import { strings } from "./state/strings.ts"
import { readTheme, wearTheme } from "./state/theme.ts"
import { say } from "./controls/toasts.tsx"
import { sessionInAddress, takeToken } from "./state/token.ts"
import { failureText } from "./state/safe-actions.ts"

/** A tab out of sight for so long lets go of its connections: a browser has six for all its tabs. */
const REST_AFTER = 5_000

function start() {
  wearTheme(readTheme())
  const root = createRoot(document.getElementById("root") as HTMLElement)
  const token = takeToken()
  if (!token) return root.render(<Gate reason="missing" />)

  const client = createClient({ url: location.origin, token })
  const store = new PageStore(client, (error) => say(failureText(error)))
  const desk = new DraftKeeper(localStorage)
  const drafts = new Drafts(client, desk, { outrun: () => say(strings.stash.outrun) })
  const actions = new Actions(store, desk, drafts, say)
  keepDrafts(store, desk, drafts)
  keepAddress(store)
  store.wake()
  restWhileHidden(store)
  keepFocus()
  root.render(
    <StrictMode>
      <AppContext value={{ store, desk, drafts, actions, looks: new Looks() }}>
        <Page />
      </AppContext>
    </StrictMode>,
  )
}

function keepAddress(store: PageStore) {
  const follow = () => store.open(sessionInAddress())
  addEventListener("popstate", follow)
  addEventListener("hashchange", follow)
  follow()
}

function keepDrafts(store: PageStore, desk: DraftKeeper, drafts: Drafts) {
  desk.settle(NEW, () => false)
  let shown: string | undefined
  store.subscribe(() => {
    const { view, current } = store.read()
    if (!view || !current) return
    desk.settle(current, (id) => store.has(id))
    if (shown !== current) void drafts.open(current)
    shown = current
  })
  store.heard = (session, { type, value }) => {
    if (type === "draft" && value)
      drafts.heard(session, value as unknown as Parameters<Drafts["heard"]>[1])
  }
  addEventListener("pagehide", () => desk.save())
}

function restWhileHidden(store: PageStore) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === "visible") store.wake()
    else timer = setTimeout(() => store.rest(), REST_AFTER)
  }
  document.addEventListener("visibilitychange", look)
  // A tab that is opened behind others tells of no change.
  look()
  // A catalog's files may have changed while the person was elsewhere.
  addEventListener("focus", () => void store.readCommands())
}

start()
