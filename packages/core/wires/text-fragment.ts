import { type WireFragment, utf8 } from "./body.ts"

/** Closed wire messages that are text so far. A long history is thousands of them, and a buffer for
 *  each would cost more than its bytes: they are made of many at once (see `folded`), or of one when
 *  somebody asks for it. */
export class TextFragment implements WireFragment {
  readonly roles: readonly string[]
  declare readonly tools?: readonly string[]
  #text: string
  #pieces: readonly Uint8Array[] | undefined

  constructor(text: string, roles: readonly string[] = [], tools: readonly string[] = []) {
    this.#text = text
    this.roles = roles
    if (tools.length > 0) this.tools = tools
  }

  /** Undefined once it is bytes. */
  get text(): string | undefined {
    return this.#pieces ? undefined : this.#text
  }

  get pieces(): readonly Uint8Array[] {
    if (!this.#pieces) {
      this.#pieces = [utf8(this.#text)]
      this.#text = ""
    }
    return this.#pieces
  }

  get size(): number {
    return this.pieces[0]?.length ?? 0
  }
}
