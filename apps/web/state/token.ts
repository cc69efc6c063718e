const KEY = "compositor.token"

/** The token from the link (`#token=…`), taken out of the address bar and kept for this origin: a
 *  second tab, a bookmark and a copied address of a session work as the first tab does. Scripts of
 *  another origin cannot read it, and another port is another origin; a cookie would be sent to every
 *  server of this machine. A tab goes on with its own, so that two people's links can be open. */
export function takeToken(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const token = fragment.get("token")
  if (!token) return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined
  keepToken(token)
  const session = fragment.get("session")
  history.replaceState(null, "", location.pathname + (session ? sessionHash(session) : ""))
  return token
}

/** Take what a person wrote at the gate, a link or a token, and open the page with it. The address of
 *  a session stays. */
export function enter(written: string) {
  const link = linkIn(written)
  if (link && link.origin !== location.origin) return location.assign(link)
  const fragment = new URLSearchParams(link?.hash.slice(1))
  keepToken(link ? (fragment.get("token") ?? "") : written)
  location.reload()
}

function keepToken(token: string) {
  sessionStorage.setItem(KEY, token)
  localStorage.setItem(KEY, token)
}

/** The link that was written, if it is one that can be opened. */
function linkIn(written: string): URL | undefined {
  const url = URL.parse(written)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** A page whose token was refused, or that has none, begins again with the one that another tab was
 *  given, as soon as there is one. */
export function awaitToken(): () => void {
  const look = () => {
    const kept = localStorage.getItem(KEY)
    if (!kept || kept === sessionStorage.getItem(KEY)) return
    sessionStorage.setItem(KEY, kept)
    location.reload()
  }
  look()
  addEventListener("storage", look)
  return () => removeEventListener("storage", look)
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

export function sessionHash(session: string): string {
  return `#/${session}`
}
