/** What a source offers. */
export interface Offer {
  /** What is named: a symbol, a resource's address, an argument's value. */
  readonly value: string
  readonly description?: string | undefined
}

/** Somebody who knows names that we do not: a host its symbols, a server its resources, either the
 *  values of a command's argument. It may answer late or never; it is not waited for past the signal. */
export interface CompletionSource {
  /** `symbol` for `@symbol:…`, a server's name for `@docs:…`, `/model` for what stands behind it. */
  readonly prefix: string
  readonly kind: "symbol" | "resource" | "argument"
  complete(
    query: string,
    limit: number,
    signal: AbortSignal,
    at?: ArgumentPosition,
  ): Promise<readonly Offer[]>
}

/** Which argument of a command is asked for, and what stands before it. */
export interface ArgumentPosition {
  readonly argument: string | undefined
  readonly typed: string
}

const MAX_WAIT_MS = 250
const MAX_VALUE_CHARACTERS = 4096
const MAX_DESCRIPTION_CHARACTERS = 256

/** What the source says within its time; nothing when it fails. */
export async function offersOf(
  source: CompletionSource,
  query: string,
  limit: number,
  at?: ArgumentPosition,
): Promise<Offer[]> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  const late = new Promise<readonly Offer[]>((resolve) => {
    signal.addEventListener("abort", () => resolve([]), { once: true })
  })
  try {
    const offers = await Promise.race([source.complete(query, limit, signal, at), late])
    return offers.slice(0, limit).filter(isShort).map(shown)
  } catch {
    return [] // A palette shows what there is.
  }
}

function isShort({ value }: Offer): boolean {
  return value !== "" && value.length <= MAX_VALUE_CHARACTERS
}

function shown({ value, description }: Offer): Offer {
  if (description === undefined) return { value }
  return { value, description: description.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed() }
}
