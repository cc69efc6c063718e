const INTERVAL_MS = 20_000
const EPOCH = Date.UTC(2024, 9, 9)
const MAX_JITTER_INTERVALS = 180

/** The cursor of a live answer: the number of the interval that the clock is in, and always beyond the
 *  one that the reader has, so that no cache can hold it in a circle. */
export function nextCursor(theirs: string | undefined, now: number, random = Math.random): string {
  const current = Math.floor((now - EPOCH) / INTERVAL_MS)
  const known = /^\d{1,15}$/.test(theirs ?? "") ? Number(theirs) : -1
  if (known < current) return String(current)
  return String(known + 1 + Math.floor(random() * MAX_JITTER_INTERVALS))
}
