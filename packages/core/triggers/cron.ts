/** When a clock on the wall shows a time that fits five fields: minute, hour, day of the month, month,
 *  day of the week. */
export interface Cron {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Both days are named: one of them is enough, as cron has it. */
  readonly eitherDay: boolean
}

export type ReadCron =
  | { readonly type: "cron"; readonly cron: Cron }
  | { readonly type: "fault"; readonly message: string }

const MAX_EXPRESSION_CHARACTERS = 200

export function parseCron(expression: string): ReadCron {
  if (expression.length > MAX_EXPRESSION_CHARACTERS)
    return fault(`it is longer than ${MAX_EXPRESSION_CHARACTERS} characters`)
  const named = NAMED[expression.trim().toLowerCase()]
  const words = (named ?? expression).trim().split(/\s+/)
  if (words.length !== FIELDS.length)
    return fault(`it has ${words.length} fields and not 5: minute hour day month weekday`)
  const values: number[][] = []
  for (const [index, field] of FIELDS.entries()) {
    const read = readField(words[index] ?? "", field)
    if (typeof read === "string") return fault(read)
    values.push(read)
  }
  return { type: "cron", cron: cronOf(values, words) }
}

function fault(message: string): ReadCron {
  return { type: "fault", message }
}

const NAMED: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
}

interface Field {
  readonly name: string
  readonly first: number
  readonly last: number
  readonly words: readonly string[]
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const FIELDS: readonly Field[] = [
  { name: "minute", first: 0, last: 59, words: [] },
  { name: "hour", first: 0, last: 23, words: [] },
  { name: "day", first: 1, last: 31, words: [] },
  { name: "month", first: 1, last: 12, words: MONTHS },
  // 7 is Sunday too.
  { name: "weekday", first: 0, last: 7, words: WEEKDAYS },
]

const TERM = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/

/** The values of one field, or what is wrong with it. */
function readField(text: string, field: Field): number[] | string {
  const values = new Set<number>()
  for (const term of text.split(",")) {
    const match = TERM.exec(term)
    if (!match) return `"${term}" is no ${field.name}`
    const [, from, to, step] = match
    const start = from === undefined ? field.first : valueOf(from, field)
    const end = to === undefined ? endOf(start, { from, step, field }) : valueOf(to, field)
    if (Number.isNaN(start) || Number.isNaN(end))
      return `"${term}" is no ${field.name}: it goes from ${field.first} to ${field.last}`
    if (end < start) return `"${term}" ends before it begins`
    if (step === "0" || Number(step) === 0) return `"${term}" takes no steps`
    for (let value = start; value <= end; value += Number(step ?? 1)) values.add(value)
  }
  return [...values].sort((left, right) => left - right)
}

function endOf(
  start: number,
  term: { from?: string | undefined; step?: string | undefined; field: Field },
) {
  return term.from === undefined || term.step !== undefined ? term.field.last : start
}

function valueOf(text: string, { words, first, last }: Field): number {
  const word = words.indexOf(text.toLowerCase())
  if (word >= 0) return word + first
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= first && value <= last ? value : Number.NaN
}

function cronOf(values: readonly number[][], words: readonly string[]): Cron {
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = values
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays.map((day) => day % 7)),
    eitherDay: !words[2]?.startsWith("*") && !words[4]?.startsWith("*"),
  }
}

const DAY_MS = 86_400_000
/** A 29th of February is at most eight years away. */
const MAX_DAYS = 8 * 366 + 1

/** The first moment after `after` at which the zone's clock shows a time that fits. A time that a
 *  change to summer time skips comes when the clock has jumped; one that occurs twice comes once. */
export function nextCron(cron: Cron, after: number, zone: string): number | undefined {
  const wall = after + offsetAt(after, zone)
  const midnight = wall - mod(wall, DAY_MS)
  for (let day = 0; day < MAX_DAYS; day++) {
    const date = midnight + day * DAY_MS
    if (!fits(cron, new Date(date))) continue
    const found = firstOnDay(cron, { date, after, zone })
    if (found !== undefined) return found
  }
  return undefined
}

function fits(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false
  const day = cron.days.has(date.getUTCDate())
  const weekday = cron.weekdays.has(date.getUTCDay())
  return cron.eitherDay ? day || weekday : day && weekday
}

function firstOnDay(
  { hours, minutes }: Cron,
  { date, after, zone }: { date: number; after: number; zone: string },
): number | undefined {
  for (const hour of hours)
    for (const minute of minutes) {
      const moment = momentOf(date + (hour * 60 + minute) * 60_000, zone)
      if (moment > after) return moment
    }
  return undefined
}

/** When the zone's clock shows a time: the first of two such moments, and the end of the gap for a
 *  time that the clock jumps over. */
function momentOf(wall: number, zone: string): number {
  const before = offsetAt(wall - DAY_MS, zone)
  const later = offsetAt(wall + DAY_MS, zone)
  const early = wall - Math.max(before, later)
  if (early + offsetAt(early, zone) === wall) return early
  const late = wall - Math.min(before, later)
  if (late + offsetAt(late, zone) === wall) return late
  return gapEnd(early, late, zone)
}

function gapEnd(from: number, to: number, zone: string): number {
  const old = offsetAt(from, zone)
  let [low, high] = [from, to]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === old) low = middle
    else high = middle
  }
  return high - mod(high, 1000)
}

const clocks = new Map<string, Intl.DateTimeFormat>()
const MAX_CLOCKS = 64

/** How far the zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(moment: number, zone: string): number {
  const whole = moment - mod(moment, 1000)
  const shown = Object.fromEntries(
    clockOf(zone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  if (clocks.size >= MAX_CLOCKS) clocks.clear()
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  })
  clocks.set(zone, clock)
  return clock
}

export function isZone(zone: string): boolean {
  try {
    clockOf(zone)
    return true
  } catch {
    return false
  }
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}
