import { recordOf } from "./untyped.ts"

/** What a JSON column of a row holds. One that something broke says nothing: it must not break the
 *  session that it is in. */
export function openJson(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json)
    return recordOf(value)
  } catch {
    return {}
  }
}

/** JSON from outside may nest this deep. What walks it later is recursive, `JSON.stringify` above
 *  all, and must not run out of stack. */
export const MAX_JSON_DEPTH = 100

export function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= MAX_JSON_DEPTH; depth++) {
    level = level.flatMap(membersOf)
    if (level.length === 0) return false
  }
  return true
}

function membersOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : []
}
