import type { CommandArgument, CommandDialect } from "./command.ts"
import { plainWords, quotedWords, type ArgumentWord } from "./words.ts"

/** What was given to a command: the text after its name, or a filled-in form. */
export type ArgumentValues = string | Readonly<Record<string, string>>

export interface Values {
  /** Everything after the command's name, as typed. */
  readonly all: string
  readonly words: readonly string[]
  readonly named: ReadonlyMap<string, string>
}

/** How a dialect takes apart what was typed after the name. */
interface Habit {
  readonly words: (text: string) => ArgumentWord[]
  /** `$ARGUMENTS` is the text as typed, or its words with one space between them. */
  readonly all: "typed" | "joined"
  /** Declared names are given by `key=value`, by their order, or by either. */
  readonly fill: "keys" | "order" | "either"
}

const TYPED: Habit = { words: quotedWords, all: "typed", fill: "either" }

const HABITS: Readonly<Record<CommandDialect, Habit>> = {
  compositor: { words: plainWords, all: "typed", fill: "either" },
  claude: { words: quotedWords, all: "typed", fill: "order" },
  opencode: TYPED,
  codex: { words: quotedWords, all: "joined", fill: "keys" },
  pi: { words: quotedWords, all: "joined", fill: "either" },
  gemini: TYPED,
  continue: TYPED,
  "continue-v1": TYPED,
  goose: TYPED,
  copilot: TYPED,
  plain: TYPED,
  skill: TYPED,
  mcp: TYPED,
}

/** Give the typed text to the slots it is meant for. White space around it separates and is not
 *  part of it; what is inside stays as typed. */
export function valuesOf(
  given: ArgumentValues,
  declared: readonly CommandArgument[],
  dialect: CommandDialect,
): Values {
  if (typeof given !== "string") return fromForm(given, declared)
  const text = given.trim()
  const habit = HABITS[dialect]
  const words = habit.words(text)
  const { named, rest } = takeKeys(words, declared, habit)
  if (habit.fill !== "keys") fillInOrder({ text, rest, declared, named, habit })
  const places = (habit.fill === "keys" ? rest : words).map((word) => word.text)
  const all = habit.all === "typed" ? text : places.join(" ")
  return { all, words: places, named: withDefaults(named, declared) }
}

/** Whether an argument can be given as `name=value`. */
export function takesKeys(dialect: CommandDialect): boolean {
  return HABITS[dialect].fill !== "order"
}

/** The declared arguments that must be asked for. */
export function missingArguments(
  values: Values,
  declared: readonly CommandArgument[],
): CommandArgument[] {
  return declared.filter(
    ({ name, required }) => required === true && (values.named.get(name) ?? "") === "",
  )
}

function fromForm(
  form: Readonly<Record<string, string>>,
  declared: readonly CommandArgument[],
): Values {
  const named = withDefaults(new Map(Object.entries(form)), declared)
  const order = declared.length > 0 ? declared.map(({ name }) => name) : Object.keys(form)
  const words = order.map((name) => named.get(name) ?? "")
  while (words.at(-1) === "") words.pop()
  return { all: words.filter((word) => word !== "").join(" "), words, named }
}

interface Keys {
  readonly named: Map<string, string>
  readonly rest: readonly ArgumentWord[]
}

function takeKeys(
  words: readonly ArgumentWord[],
  declared: readonly CommandArgument[],
  habit: Habit,
): Keys {
  const named = new Map<string, string>()
  if (habit.fill === "order") return { named, rest: words }
  const names = new Set(declared.map(({ name }) => name))
  const rest = words.filter(({ text }) => {
    const [, key = "", value = ""] = KEY_VALUE.exec(text) ?? []
    if (!names.has(key)) return true
    named.set(key, value)
    return false
  })
  return { named, rest }
}

const KEY_VALUE = /^(?:--)?([^=\s]{1,64})=(.*)$/s

/** The words that are left go to the names that are left; the last name takes all that remains. */
function fillInOrder(filling: {
  readonly text: string
  readonly rest: readonly ArgumentWord[]
  readonly declared: readonly CommandArgument[]
  readonly named: Map<string, string>
  readonly habit: Habit
}): void {
  const { text, rest, declared, named, habit } = filling
  const open = declared.filter(({ name }) => !named.has(name))
  for (const [at, { name }] of open.entries()) {
    const word = rest[at]
    if (word === undefined) return
    const takesRest = habit.fill === "either" && at === open.length - 1 && rest.length > at + 1
    named.set(name, takesRest ? remaining(text, rest.slice(at)) : word.text)
  }
}

/** As typed, unless a `key=value` stands between. */
function remaining(text: string, words: readonly ArgumentWord[]): string {
  const together = words.every((word, at) => {
    const previous = words[at - 1]
    return previous === undefined || text.slice(previous.end, word.start).trim() === ""
  })
  if (!together) return words.map((word) => word.text).join(" ")
  return text.slice(words[0]?.start, words.at(-1)?.end)
}

function withDefaults(
  named: ReadonlyMap<string, string>,
  declared: readonly CommandArgument[],
): ReadonlyMap<string, string> {
  const filled = new Map(named)
  for (const { name, default: value } of declared)
    if (value !== undefined && (filled.get(name) ?? "") === "") filled.set(name, value)
  return filled
}
