const KEY = "compositor.token"

/** The token from the link (`#token=…`), kept for this tab and taken out of the address bar. */
export function takeToken(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const token = fragment.get("token")
  if (!token) return sessionStorage.getItem(KEY) ?? undefined
  sessionStorage.setItem(KEY, token)
  const session = fragment.get("session")
  history.replaceState(null, "", location.pathname + (session ? sessionHash(session) : ""))
  return token
}

/** Which session the address names. */
export function sessionInAddress(): string | undefined {
  return /^#\/(ses_\w+)$/.exec(location.hash)?.[1]
}

export function goTo(session: string | undefined) {
  const hash = session ? sessionHash(session) : ""
  if (location.hash === hash) return
  history.pushState(null, "", location.pathname + hash)
  dispatchEvent(new PopStateEvent("popstate"))
}

function sessionHash(session: string): string {
  return `#/${session}`
}
