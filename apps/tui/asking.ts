import type { Desk } from "./desk.ts"
import { type Question, questionOf } from "./questions.ts"
import type { Screen } from "./screen.ts"

export interface AskingOptions {
  readonly screen: Screen
  readonly desk: () => Desk | undefined
  /** Do it, and say what went wrong. */
  readonly attempt: (act: () => Promise<void>) => unknown
}

/** Asks what a turn waits for, each once; what is left open stays open until it is asked for again. */
export class Asking {
  readonly #options: AskingOptions
  #asked: string | undefined

  constructor(options: AskingOptions) {
    this.#options = options
  }

  /** Something changed: there may be another question, or none any more. */
  look() {
    const question = questionOf(this.#options.desk()?.view)
    if (question?.key === this.#asked) return
    this.#asked = question?.key
    if (question && question.choices.length > 0) this.#ask(question)
    else this.#options.screen.stopChoosing()
  }

  again() {
    const question = questionOf(this.#options.desk()?.view)
    if (question && question.choices.length > 0) this.#ask(question)
  }

  #ask(question: Question) {
    const { screen, desk, attempt } = this.#options
    const { title, about, choices } = question
    attempt(async () => {
      const value = await screen.choose({ title, about, choices, filter: false })
      const client = desk()?.client
      if (value !== null && client) await question.answer(client, value)
    })
  }
}
