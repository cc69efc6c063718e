import { ApiError } from "compositor-client/client"
import type { PageStore } from "./store.ts"
import { strings } from "./strings.ts"
import type { ToastAction } from "../controls/toasts.tsx"

export type Say = (text: string, action?: ToastAction) => void

/** What can be tried and may fail: it says what went wrong, and does not throw. */
export class Trying {
  readonly store: PageStore
  readonly say: Say

  constructor(store: PageStore, say: Say) {
    this.store = store
    this.say = say
  }

  async try<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      this.report(error)
      return undefined
    }
  }

  report(error: unknown, before = "") {
    if (this.store.noticed(error)) return
    this.say([before, failureText(error)].filter(Boolean).join(" "))
  }
}

/** The server's own words where it has some, as a sentence. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return strings.unknownError
  const details =
    error instanceof ApiError ? error.details.map(({ path, message }) => `${path} ${message}`) : []
  const text = [error.message, ...details].join("; ")
  return /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
