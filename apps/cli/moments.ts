import { UsageError } from "./complain.ts"

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30s`, `15m`, `2h` or `90d` as milliseconds. */
function durationOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 1)
}

/** A time, or how far it lies from now in one direction. */
export function momentOf(option: string, text: string, direction: 1 | -1): number {
  const duration = durationOf(text)
  if (duration !== undefined) return Date.now() + direction * duration
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new UsageError(`${option} ${text}: such as 15m, 2h, 90d or 2027-01-31T09:00:00+01:00`)
}
