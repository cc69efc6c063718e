const WORDS = 'the quick brown fox jumps over the lazy dog and says "hello" to it; '
const KILOBYTE = WORDS.repeat(Math.ceil(1024 / WORDS.length))

let serial = 0

/** About 1 KB of prose with something to escape in it, never the same twice. */
export function kilobyteOfText(): string {
  const head = `${++serial} `
  return head + KILOBYTE.slice(0, 1024 - head.length)
}
