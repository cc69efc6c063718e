import type { EditorTheme, SelectListTheme } from "@earendil-works/pi-tui"

export type Paint = (text: string) => string

export interface TerminalTheme {
  readonly strong: Paint
  readonly quiet: Paint
  readonly accent: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly list: SelectListTheme
  readonly editor: EditorTheme
}

/** Colours help and are never needed: without them every word is still there (NO_COLOR). */
export function themeOf(environment: Readonly<Record<string, string | undefined>>): TerminalTheme {
  const coloured = !environment.NO_COLOR && environment.TERM !== "dumb"
  const paint = (open: number, close: number): Paint =>
    coloured ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text
  const quiet = paint(2, 22)
  const accent = paint(36, 39)
  const list: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: accent,
    description: quiet,
    scrollInfo: quiet,
    noMatch: quiet,
  }
  return {
    strong: paint(1, 22),
    quiet,
    accent,
    good: paint(32, 39),
    bad: paint(31, 39),
    list,
    editor: { borderColor: quiet, selectList: list },
  }
}
