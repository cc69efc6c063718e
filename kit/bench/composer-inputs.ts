import type { CommandKind, Vocabulary } from "../../packages/core/compose/vocabulary.ts"
import { DEFAULT_CONTEXTS } from "../../packages/core/compose/vocabulary.ts"

const COMMANDS = 500
const STEMS = [
  "review",
  "fix",
  "explain",
  "test",
  "port",
  "tidy",
  "trace",
  "plan",
  "sketch",
  "merge",
]
const WORDS =
  "the change is small but please look at how it reads when a long line comes in and say what you would do about that before we ship".split(
    " ",
  )

/** A catalog of the size that a busy workspace has. */
export const vocabulary: Vocabulary = {
  commands: new Map(
    Array.from({ length: COMMANDS }, (_, at): [string, CommandKind] => [
      commandName(at),
      "template",
    ]),
  ),
  mentions: ["ticket"],
  contexts: DEFAULT_CONTEXTS,
  servers: ["docs", "github"],
}

function commandName(at: number): string {
  return `${STEMS[at % STEMS.length]}-${Math.floor(at / STEMS.length)}`
}

export interface Input {
  readonly name: string
  /** The first so many units of it. */
  make(units: number): string
}

const WIDE =
  "请看一下这个文件里的改动 @src/模块/文件.ts#L3-9 是不是还可以再简单一点，然后用 /review-3 看看它读起来怎么样，再说说换作是你会怎么做，谢谢。\n"

/** A token about every 30 units, a token about every 1,000, a script of its own, and runs that only
 *  look like tokens. */
export const INPUTS: readonly Input[] = [
  { name: "dense", make: (units) => written(units, 15) },
  { name: "sparse", make: (units) => written(units, 1000) },
  { name: "Chinese", make: (units) => repeated(WIDE, units) },
  ...["[", "/", "@", "`", '"', "/@", "[(", ":a[", "/ @ ", '`"'].map(
    (run): Input => ({ name: `runs of ${run}`, make: (units) => repeated(run, units) }),
  ),
]

/** Prose with a token after so many units of it. */
function written(units: number, between: number): string {
  const random = randomNumbers(7)
  const pieces: string[] = []
  let length = 0
  let prose = 0
  while (length < units) {
    const isDue = prose >= between
    const piece = `${isDue ? token(random) : pick(WORDS, random)}${random() < 0.04 ? ".\n" : " "}`
    prose = isDue ? 0 : prose + piece.length
    length += piece.length
    pieces.push(piece)
  }
  return flat(pieces.join("").slice(0, units))
}

function token(random: () => number): string {
  const word = pick(WORDS, random)
  const line = 1 + Math.floor(random() * 900)
  switch (Math.floor(random() * 6)) {
    case 0:
    case 1:
      return `/${commandName(Math.floor(random() * COMMANDS))}`
    case 2:
      return `@src/${word}/${pick(WORDS, random)}.ts#L${line}-${line + 9}`
    case 3:
      return `@docs/${word}.md`
    case 4:
      return `@skill:${word}`
    default:
      return `@${pick(DEFAULT_CONTEXTS, random)}`
  }
}

function pick(words: readonly string[], random: () => number): string {
  return words[Math.floor(random() * words.length)] ?? ""
}

function repeated(run: string, units: number): string {
  return flat(run.repeat(Math.ceil(units / run.length)).slice(0, units))
}

/** A string that lies in memory in one piece, as one does that came over the wire. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string
}

/** The same numbers in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
}
