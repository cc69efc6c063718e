/** What did not come through a translation, and where it stood. */
export interface Loss {
  /** A JSON pointer into what was given. */
  readonly path: string
  /** One sentence for a person. */
  readonly message: string
}

/** What every codec gives back: a translation always succeeds, and says what it could not carry. */
export interface Translated<Value> {
  readonly value: Value
  readonly losses: readonly Loss[]
}

export function loss(path: string, message: string): Loss {
  return { path, message }
}
