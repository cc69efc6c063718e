import type { CDPSession, Page } from "playwright-core"
import { median, sized } from "./figures.ts"

const EDITORS = ["textarea", "ours", "tiptap"] as const
export type EditorName = (typeof EDITORS)[number]

const WARM_UP_KEYS = 25
const KEYS = 40
const ROUNDS = sized(5, 2)
const LETTERS = "the quick brown fox jumps over it "

export interface Scene {
  readonly name: string
  readonly source: string
  readonly chips: number
}

export const SCENES: readonly Scene[] = [
  {
    name: "1,000 chips in 100 lines",
    chips: 1_000,
    source: Array.from({ length: 100 }, (_, row) =>
      Array.from({ length: 10 }, (_, at) => `see @src/f${row}x${at}.ts#L${at + 1}`).join(" "),
    ).join("\n"),
  },
  {
    name: "100 KB of text in 1,000 lines",
    chips: 0,
    source: Array.from({ length: 1_000 }, (_, at) =>
      `Line ${at} says something of its own, and goes on until it is about as long as a line of prose is.`.padEnd(
        100,
        ".",
      ),
    ).join("\n"),
  },
]

export interface KeyFigures {
  readonly scene: string
  readonly cpu_ms: Readonly<Record<EditorName, number>>
  readonly paint_ms: Readonly<Record<EditorName, number>>
  /** Of the rounds, in each of which all took turns. */
  readonly ratio: number
  readonly peer_ratio: number
}

/** What a key costs in each editor: time of the main thread's processor, and until it is on the
 *  screen. The editors take turns, so that a busy machine is busy for all of them. */
export async function measureKeys(page: Page, scene: Scene): Promise<KeyFigures> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" })
  // What is measured is compiled code.
  for (const editor of EDITORS) await measureEditor(page, cdp, editor, scene)
  const rounds: Record<EditorName, Measured>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const measured = {} as Record<EditorName, Measured>
    for (const editor of EDITORS) measured[editor] = await measureEditor(page, cdp, editor, scene)
    rounds.push(measured)
  }
  const of = (pick: (one: Measured) => number) =>
    Object.fromEntries(
      EDITORS.map((editor) => [editor, median(rounds.map((round) => pick(round[editor])))]),
    ) as Record<EditorName, number>
  const ratio = (editor: EditorName) =>
    median(rounds.map((round) => round[editor].cpu_ms / round.textarea.cpu_ms))
  return {
    scene: scene.name,
    cpu_ms: of(({ cpu_ms }) => cpu_ms),
    paint_ms: of(({ paint_ms }) => paint_ms),
    ratio: ratio("ours"),
    peer_ratio: ratio("tiptap"),
  }
}

interface Measured {
  readonly cpu_ms: number
  readonly paint_ms: number
}

async function measureEditor(
  page: Page,
  cdp: CDPSession,
  editor: EditorName,
  { source, chips, name }: Scene,
): Promise<Measured> {
  await page.evaluate(([editor, source]) => call("mount", editor, source), [
    editor,
    source,
  ] as const)
  await page.evaluate(() => call("toMiddle"))
  await page.evaluate(() => call("painted"))
  const before = Number(await page.evaluate(() => call("length")))
  await type(page, cdp, WARM_UP_KEYS)
  await cdp.send("HeapProfiler.collectGarbage")
  const began = await taskTime(cdp)
  const paints = await type(page, cdp, KEYS)
  const cpu_ms = ((await taskTime(cdp)) - began) / KEYS
  const grown = Number(await page.evaluate(() => call("length"))) - before
  if (grown !== WARM_UP_KEYS + KEYS)
    throw new Error(`${editor} took ${grown} of ${WARM_UP_KEYS + KEYS} keys in ${name}.`)
  if (chips > 0 && editor !== "textarea" && Number(await page.evaluate(() => call("chips"))) === 0)
    throw new Error(`${editor} shows no chips in ${name}.`)
  return { cpu_ms, paint_ms: median(paints) }
}

/** In the page. */
declare function call(name: string, ...args: unknown[]): unknown

export const IN_PAGE = "globalThis.call = (name, ...args) => globalThis.bench[name](...args)"

async function type(page: Page, cdp: CDPSession, keys: number): Promise<number[]> {
  const paints: number[] = []
  for (let at = 0; at < keys; at++) {
    const text = LETTERS[at % LETTERS.length] ?? "x"
    const began = performance.now()
    await cdp.send("Input.dispatchKeyEvent", { type: "keyDown", text, key: text })
    await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", key: text })
    await page.evaluate(() => call("painted"))
    paints.push(performance.now() - began)
  }
  return paints
}

async function taskTime(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics")
  const found = metrics.find(({ name }) => name === "TaskDuration")
  return (found?.value ?? Number.NaN) * 1_000
}
