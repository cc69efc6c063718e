import type { SessionScreen } from "./desk.ts"
import { type TurnQuestion, questionOf } from "./questions.ts"
import type { Screen } from "./screen.ts"

interface WaitPrompterOptions {
  readonly screen: Screen
  readonly desk: () => SessionScreen | undefined
  /** Do it, and say what went wrong. */
  readonly attempt: (act: () => Promise<void>) => unknown
}

/** Asks what a turn waits for, each once; what is left open stays open until it is asked for again. */
export class WaitPrompter {
  readonly #options: WaitPrompterOptions
  #asked: string | undefined

  constructor(options: WaitPrompterOptions) {
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

  #ask(question: TurnQuestion) {
    const { screen, desk, attempt } = this.#options
    const { title, about, choices } = question
    attempt(async () => {
      const value = await screen.choose({ title, about, choices, filter: false })
      const client = desk()?.client
      if (value !== null && client) await question.answer(client, value)
    })
  }
}
