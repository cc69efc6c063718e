import { Cron } from "croner"

const MAX_EXPRESSION_CHARACTERS = 200
const NICKNAME = /^@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)$/i
/** Five fields of numbers, names, lists, ranges and steps. A date, seconds and `?`, which is the
 *  moment of reading, are no schedule. */
const FIVE_FIELDS = /^[\w*,/-]+(?:\s+[\w*,/-]+){4}$/

/** What is wrong with a cron expression, if anything. */
export function cronFault(expression: string): string | undefined {
  const text = expression.trim()
  if (text.length > MAX_EXPRESSION_CHARACTERS)
    return `it is longer than ${MAX_EXPRESSION_CHARACTERS} characters`
  if (!NICKNAME.test(text) && !FIVE_FIELDS.test(text)) return SHAPE
  try {
    readCron(text, "UTC")
    return undefined
  } catch (error) {
    return `${SHAPE}: ${String(error).replace(/^\w+: CronPattern: /, "")}`
  }
}

const SHAPE = "it needs five fields: minute hour day month weekday"

/** The first moment after `after` at which the zone's clock shows a time that fits. A time that a
 *  change to summer time skips comes when the clock has jumped; one that occurs twice comes once,
 *  unless the expression names every hour. */
export function nextCron(expression: string, after: number, zone: string): number | undefined {
  return readCron(expression.trim(), zone).nextRun(new Date(after))?.getTime()
}

/** croner as cron has always been: `5/15` steps on from 5, a step may be longer than its field, and
 *  two named days are either of them, where a day that begins with a star is not named. */
function readCron(expression: string, timezone: string): Cron {
  const fields = expression.split(/\s+/)
  const isStar = (at: number) => fields[at]?.startsWith("*") ?? true
  const pattern = fields.map((field, at) =>
    field.replace(/(?<=\/)\d+/g, (step) => bounded(step, at)),
  )
  const domAndDow = isStar(2) || isStar(4)
  return new Cron(pattern.join(" "), { timezone, mode: "5-part", sloppyRanges: true, domAndDow })
}

const FIELD_LENGTHS = [60, 24, 31, 12, 7]

function bounded(step: string, field: number): string {
  return String(Math.min(Number(step), FIELD_LENGTHS[field] ?? 0))
}

export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions()
    return true
  } catch {
    return false
  }
}
