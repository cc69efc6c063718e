import { recordOf } from "compositor-core/message/untyped"
import type { Effect, Store } from "../store/store.ts"
import type { Claim } from "../store/store.ts"

/** What one run of a handler does, numbered in order: what an earlier run of it did for the same wake
 *  keeps its number and is not done again (EA-035). */
export class EffectLog {
  readonly session_id: string
  readonly wake: string
  readonly #claim: Claim
  readonly #store: Pick<Store, "recordEffect">
  readonly #known: ReadonlyMap<number, { readonly kind: string; readonly answer: unknown }>
  #next = 0

  static async begin(
    store: Pick<Store, "recordEffect" | "effects">,
    claim: Claim,
  ): Promise<EffectLog> {
    const { session_id, message_id } = claim.turn
    const known = claim.turn.attempt > 1 || claim.answer_id !== null
    return new EffectLog(store, claim, known ? await store.effects(session_id, message_id) : [])
  }

  private constructor(
    store: Pick<Store, "recordEffect">,
    claim: Claim,
    known: readonly { ordinal: number; kind: string; answer: unknown }[],
  ) {
    this.#store = store
    this.#claim = claim
    this.session_id = claim.turn.session_id
    this.wake = claim.turn.message_id
    this.#known = new Map(known.map(({ ordinal, ...rest }) => [ordinal, rest]))
  }

  /** The next deed, whether or not it comes to be written. */
  next(kind: string): Effect {
    const { id: turn_id, fence } = this.#claim.turn
    return { turn_id, fence, wake: this.wake, ordinal: this.#next++, kind }
  }

  /** Do something elsewhere, and remember what came of it. */
  async once<Answer>(kind: string, perform: (effect: Effect) => Promise<Answer>): Promise<Answer> {
    const effect = this.next(kind)
    const known = this.recall<Answer>(effect)
    if (known) return known.answer
    const answer = await perform(effect)
    await this.#store.recordEffect({ session_id: this.session_id, effect, answer })
    return answer
  }

  /** What an earlier run did at this place. */
  recall<Answer>({ ordinal, kind }: Effect): { readonly answer: Answer } | undefined {
    const known = this.#known.get(ordinal)
    if (!known) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same kind of effect was asked for
    if (known.kind === kind) return { answer: known.answer as Answer }
    throw new Error(
      `the handler did ${known.kind} as number ${ordinal} of this wake, and now does ${kind}`,
    )
  }

  /** The last answer that a conversation of this wake was settled with. */
  lastAnswer(): string | undefined {
    const answers = [...this.#known.values()].filter(({ kind }) => kind === "agent")
    const { message_id } = recordOf(answers.at(-1)?.answer)
    return typeof message_id === "string" ? message_id : undefined
  }
}
