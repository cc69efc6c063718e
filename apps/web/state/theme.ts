const THEMES = ["system", "light", "dark"] as const
type PageTheme = (typeof THEMES)[number]

const KEY = "compositor.theme"

export function readTheme(): PageTheme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === kept) ?? "system"
}

/** Put the theme on the page. "system" leaves the choice to the browser, also when it changes. */
export function wearTheme(theme: PageTheme) {
  if (theme === "system") {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, theme)
    document.documentElement.dataset.theme = theme
  }
}

export function nextTheme(theme: PageTheme): PageTheme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system"
}
