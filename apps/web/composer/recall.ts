import type { StoredMessage } from "compositor-core/message/row"
import { typedSource } from "../thread/message-parts.ts"

/** What was said before, to be said again: the arrow up goes back through it. */
export class Recall {
  readonly #messages: () => readonly StoredMessage[]
  #at = -1

  constructor(messages: () => readonly StoredMessage[]) {
    this.#messages = messages
  }

  reset() {
    this.#at = -1
  }

  /** The text to show instead of this one; undefined leaves it alone, so that nothing that was
   *  written by hand is lost. */
  step(step: -1 | 1, shown: string): string | undefined {
    const said = this.#said()
    const isOurs = this.#at >= 0 && said[this.#at] === shown
    if (shown !== "" && !isOurs) return undefined
    if (shown === "") this.#at = -1
    const next = this.#at - step
    if (next < -1 || next >= said.length || (this.#at === -1 && step > 0)) return undefined
    this.#at = next
    return said[next] ?? ""
  }

  /** The newest first, each once. */
  #said(): string[] {
    const texts = this.#messages()
      .filter(({ role }) => role === "user")
      .flatMap((message) => typedSource(message) ?? [])
    return [...new Set(texts.toReversed())]
  }
}
