import type { NewCapture } from "./store.ts"

interface Captured {
  readonly part_id: string
  readonly content_id: string | null
  readonly size: number
  readonly mime: string
}

/** What a file reference sent, as it is kept: named by its part, its bytes by their content id. */
export function newCapture(capture: Captured): NewCapture {
  const { part_id, content_id, size, mime } = capture
  const blob = content_id === null ? null : { content_id, size, mime, stored: true }
  return { part_id, blob, data_json: JSON.stringify(capture) }
}
