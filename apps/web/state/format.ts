import type { ModelChoice } from "compositor-core/message/message"

const LOCALE: string | undefined = undefined

const whole = new Intl.NumberFormat(LOCALE)
const short = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" })
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" })
const ago = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto", style: "narrow" })

export function showCount(count: number): string {
  return count < 10_000 ? whole.format(count) : short.format(count)
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"]
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

const dollars = new Intl.NumberFormat(LOCALE, {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
})

export function showDollars(amount: number): string {
  return dollars.format(amount)
}

export function showTime(at: number): string {
  return clock.format(at)
}

export function showMoment(at: number): string {
  return full.format(at)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function showAgo(at: number, now: number): string {
  const passed = Math.max(0, now - at)
  if (passed < MINUTE) return ago.format(0, "second")
  if (passed < HOUR) return ago.format(-Math.floor(passed / MINUTE), "minute")
  if (passed < DAY) return ago.format(-Math.floor(passed / HOUR), "hour")
  if (passed < 7 * DAY) return ago.format(-Math.floor(passed / DAY), "day")
  return day.format(at)
}

export function showSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`
}

export function showModel({ provider_id, model_id }: ModelChoice): string {
  return provider_id === model_id ? provider_id : `${provider_id}/${model_id}`
}

/** The first words of a text, for a title or a preview. */
export function firstWords(text: string, length = 60): string {
  const line = text.trim().replaceAll(/\s+/g, " ")
  if (line.length <= length) return line
  const cut = line.slice(0, length)
  const space = cut.lastIndexOf(" ")
  return `${cut.slice(0, space > length / 2 ? space : length).trimEnd()}…`
}
