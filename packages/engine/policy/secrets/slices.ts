/** Work that stops now and then. Whoever runs it decides whether something else comes in between. */
export type Steps<Result> = Generator<void, Result>

/** Run it to its end at once: for a text that is known to be short, and for a thread of its own. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** So long the event loop is held at most; one step is much shorter (BEY-04). */
const SLICE_MS = 8

/** Run it to its end without holding the event loop: after each slice everybody else has a turn. */
export async function finishInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let end = performance.now() + SLICE_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < end) continue
    await turn()
    end = performance.now() + SLICE_MS
  }
}

const waiting: (() => void)[] = []

// One slice in each round of the loop, however many texts are looked through at once.
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGo)
  })
}

function letOneGo() {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letOneGo)
}
