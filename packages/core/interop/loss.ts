/** What did not come through a translation, and where it stood. */
export interface TranslationLoss {
  /** A JSON pointer into what was given. */
  readonly path: string
  /** One sentence for a person. */
  readonly message: string
}

/** What every codec gives back: a translation always succeeds, and says what it could not carry. */
export interface Translated<Value> {
  readonly value: Value
  readonly losses: readonly TranslationLoss[]
}

export function loss(path: string, message: string): TranslationLoss {
  return { path, message }
}
