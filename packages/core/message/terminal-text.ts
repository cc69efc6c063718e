/** Text that a model, a file or a stranger wrote, fit for a terminal: no character of it moves the
 *  cursor, colours the screen or talks to the terminal. Each piece is fit by itself, so text that comes
 *  in pieces is fit as well, wherever it was cut. */
export function cleanForTerminal(text: string): string {
  return escapeForTerminal(text.replace(ESCAPES, "").replace(/\r\n?/g, "\n"))
}

/** The same for what somebody says yes to: nothing is left out, and what cannot be seen is written as
 *  its escape. */
export function escapeForTerminal(text: string): string {
  return text.replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.?)/g
// Controls but the tab and the newline, and the marks that turn the direction of what follows.
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
