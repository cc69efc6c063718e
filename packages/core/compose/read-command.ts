import { BOUNDARY, NAME, TRAITS } from "./characters.ts"
import { examine, type SourceReading, readWord, strippedEnd } from "./reading.ts"
import type { KnownCommand } from "./vocabulary.ts"

const MAX_COMMAND_CHARACTERS = 256

/** Read the command whose slash is at `at`, if there is one, and say where to go on. One that leads
 *  the message is a node in any case; elsewhere its name must be known, and not be an action's. */
export function readCommand(reading: SourceReading, at: number, leads: boolean): number {
  const { text, units, words } = reading
  const start = at + 1
  if (!leads && !words.commands.mayStart(units, start)) return skipped(reading, start)
  const end = readWord(reading, start, limitOf(text, start))
  if (!(reading.next & BOUNDARY)) return end
  const stripped = strippedEnd(reading, start, end)
  const whole = words.commands.find(units, start, end)
  const known = whole ?? (stripped < end ? words.commands.find(units, start, stripped) : undefined)
  if (known === undefined) return leads ? readUnknown(reading, at, stripped) : end
  if (known.kind === "action" && !leads) return end
  return push(reading, at, known)
}

/** Read the skill that is named with a dollar, as some tools do: `$pdf`. */
export function readDollar(reading: SourceReading, at: number): number {
  const { text, units, words, nodes, base } = reading
  const start = at + 1
  if (!words.commands.mayStart(units, start)) return skipped(reading, start)
  const end = readWord(reading, start, limitOf(text, start))
  if (!(reading.next & BOUNDARY)) return end
  const known = words.commands.find(units, start, strippedEnd(reading, start, end))
  if (known?.kind !== "skill") return end
  const { name } = known
  const after = start + name.length
  nodes.push({ kind: "skill", start: at - base, end: after - base, raw: `$${name}`, name })
  return after
}

function skipped(reading: SourceReading, start: number): number {
  examine(reading, start + 1)
  return start
}

function limitOf(text: string, start: number): number {
  return Math.min(text.length, start + MAX_COMMAND_CHARACTERS)
}

function readUnknown(reading: SourceReading, at: number, end: number): number {
  const { text, nodes, base } = reading
  if (!isName(text, at + 1, end)) return end
  const raw = text.slice(at, end)
  const span = { start: at - base, end: end - base, raw }
  nodes.push({ kind: "slash_command", ...span, name: raw.slice(1), unknown: true })
  return end
}

/** `/etc/passwd`, `//` and `/*` lead a message as text; `/etc` as a command nobody knows. */
function isName(text: string, start: number, end: number): boolean {
  if (start === end || "-:.".includes(text.charAt(start))) return false
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === SLASH_UNIT || !((TRAITS[unit] ?? 0) & NAME)) return false
  }
  return true
}

const SLASH_UNIT = 47

function push({ nodes, base }: SourceReading, at: number, { raw, name }: KnownCommand): number {
  const end = at + raw.length
  nodes.push({ kind: "slash_command", start: at - base, end: end - base, raw, name })
  return end
}
