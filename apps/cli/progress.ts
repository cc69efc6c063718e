import { endProgress, isWatched, tellProgress } from "./print.ts"

interface ProgressBar {
  readonly doing: string
  readonly total: number
}

const WIDTH = 24
const PAUSE_MS = 100
/** What is done sooner needs no bar. */
const PATIENCE_MS = 300

/** A bar on standard error, where a person looks at it and the work takes a while. */
export class Bar {
  readonly #progress: ProgressBar
  readonly #began = performance.now()
  #drawn = 0

  constructor(progress: ProgressBar) {
    this.#progress = progress
  }

  at(done: number) {
    const now = performance.now()
    if (!isWatched() || now - this.#began < PATIENCE_MS) return
    if (now - this.#drawn < PAUSE_MS) return
    this.#drawn = now
    tellProgress(barOf(this.#progress, done))
  }

  end() {
    if (this.#drawn > 0) endProgress()
  }
}

export function barOf({ doing, total }: ProgressBar, done: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 0
  const full = Math.round(share * WIDTH)
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full)
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} % ${doing}`
}

/** The same chunks, with a bar beside them. */
export async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  progress: ProgressBar,
): AsyncGenerator<Uint8Array, void, void> {
  const bar = new Bar(progress)
  let done = 0
  try {
    for await (const chunk of chunks) {
      yield chunk
      done += chunk.length
      bar.at(done)
    }
  } finally {
    bar.end()
  }
}
