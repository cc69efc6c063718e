import { execFileSync, spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { FileFinder } from "../../packages/files/finder/file-finder.ts"
import { createFinder } from "../../packages/files/finder/finder.ts"
import { Paths } from "../../packages/files/finder/paths.ts"
import { FileSearch } from "../../packages/files/finder/search.ts"
import { openView } from "../../packages/files/finder/view.ts"
import { hiddenBy } from "../../packages/engine/policy/load-policy.ts"
import { findSecrets } from "../../packages/engine/policy/secrets/find-secrets.ts"
import { median, milliseconds, quantile, sized, table, times } from "./figures.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"

const FILES = sized(200_000, 20_000)
const FILES_PER_FOLDER = 10
const LIMIT = 50
const ROUNDS = 2
const WARM_UP_QUERIES = 4
const INDEX_ROUNDS = sized(8, 3)
const MAX_KEYSTROKE = 0.5
const MAX_INDEX = 1.5

/** What is typed, a key at a time: names, initials, paths, and what is not there. */
const QUERIES = [
  "srcmain",
  "parser",
  "composerinput",
  "tokstream",
  "src/store/queue",
  "helperfactory.ts",
  "sess",
  "editctx",
  "packages/apps",
  "README",
  "config.json",
  "btnpanel",
  "zzz",
]

/** What completion costs: a keystroke among 200,000 files beside two libraries that do the same, and
 *  the index of as many real files beside `find`. True if all gates hold. */
export async function benchComplete({ json }: { json: boolean }): Promise<boolean> {
  const peers = await openPeers()
  const machine = describeMachine(CACHE)
  const before = noise()
  const paths = syntheticPaths(FILES)
  const rows = [...(await indexRows(paths)), ...keystrokeRows(paths, peers), ...secretRows()]
  const report = { machine, before, after: noise(), rows }
  console.log(json ? JSON.stringify(report, null, 2) : show(report))
  return rows.every(({ gate }) => gate?.passed !== false)
}

interface Report {
  readonly machine: Machine
  readonly before: Noise
  readonly after: Noise
  readonly rows: readonly Row[]
}

interface Row {
  readonly what: string
  readonly figures: string
  readonly ratio: number | null
  readonly to: string
  readonly gate: { readonly wanted: string; readonly passed: boolean } | null
}

/** What is made once and kept for the next run; remove it, and it is made again. */
const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "compositor-bench")

// The libraries beside us. They are no dependency of ours.

interface Fuzzysort {
  snapshot(targets: readonly string[]): object
  go(query: string, targets: object, options: { readonly limit: number }): readonly unknown[]
}

interface MicroFuzzy {
  search(targets: readonly string[], query: string, outOfOrder: number, most: number): unknown
}

interface Peers {
  readonly fuzzysort: Fuzzysort
  readonly uFuzzy: MicroFuzzy
}

const PEERS = ["fuzzysort@4.0.2", "@leeoniya/ufuzzy@1.0.19"]

async function openPeers(): Promise<Peers> {
  const modules = join(CACHE, "node_modules")
  const files = ["fuzzysort/fuzzysort.js", "@leeoniya/ufuzzy/dist/uFuzzy.mjs"]
  const [first = "", second = ""] = files.map((file) => join(modules, file))
  if (!existsSync(first) || !existsSync(second)) install(CACHE)
  const fuzzysort = (await import(pathToFileURL(first).href)) as { default: Fuzzysort }
  const MicroFuzzy = (await import(pathToFileURL(second).href)) as { default: new () => MicroFuzzy }
  return { fuzzysort: fuzzysort.default, uFuzzy: new MicroFuzzy.default() }
}

function install(cache: string) {
  mkdirSync(cache, { recursive: true })
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
  execFileSync("npm", ["install", "--prefix", cache, ...flags, ...PEERS], { stdio: "ignore" })
}

// Paths such as a large repository has, the same in every run

const WORDS =
  "src lib test core util model view store server client parser render stream worker queue index main config schema format token editor session message composer provider policy finder memory skill trigger catalog table button dialog input panel layout theme color event handler service component factory adapter builder helper context reducer action selector effect hook page route guard filter pipe directive module plugin middleware".split(
    " ",
  )
const EXTENSIONS = ["ts", "tsx", "js", "json", "md", "css", "py", "go", "rs", "test.ts"]

const DEEPEST = 6

function syntheticPaths(count: number): string[] {
  const random = randomNumbers(7)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const folders = new Set(["packages", "apps", "src", "services"])
  const known = [...folders]
  while (folders.size * FILES_PER_FOLDER < count) {
    const parent = one(known)
      .split("/")
      .slice(0, DEEPEST - 1)
      .join("/")
    const folder = `${parent}/${folderName(one, random)}`
    if (!folders.has(folder)) known.push(folder)
    folders.add(folder)
  }
  const paths = new Set<string>()
  while (paths.size < count)
    for (const folder of known)
      if (paths.size < count) paths.add(`${folder}/${fileName(one, random)}`)
  return [...paths].sort()
}

type Pick = (list: readonly string[]) => string

function fileName(one: Pick, random: () => number): string {
  const [first, second, third] = [one(WORDS), one(WORDS), one(WORDS)] as const
  const forms = [`${first}-${second}`, first + capital(second), `${first}_${second}`]
  const name = random() < 0.2 ? capital(first) + capital(second) + capital(third) : one(forms)
  return `${name}${random() < 0.3 ? Math.floor(random() * 100) : ""}.${one(EXTENSIONS)}`
}

function folderName(one: Pick, random: () => number): string {
  return random() < 0.4 ? `${one(WORDS)}-${one(WORDS)}` : one(WORDS)
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

// A keystroke

function keystrokeRows(paths: readonly string[], { fuzzysort, uFuzzy }: Peers): Row[] {
  const search = searchOf(paths)
  const snapshot = fuzzysort.snapshot(paths)
  const ways = {
    ours: (query: string) => search.find({ query, limit: LIMIT, frecency: new Map() }),
    fuzzysort: (query: string) => fuzzysort.go(query, snapshot, { limit: LIMIT }),
    uFuzzy: (query: string) => uFuzzy.search(paths, query, 0, 1000),
  }
  const taken = typed(ways)
  const what = `a keystroke among ${FILES.toLocaleString("en")} files`
  const rowOf = (name: keyof typeof ways, gate: number | null): Row => {
    const [ours, theirs] = [quantile(taken[name], 0.95), quantile(taken.fuzzysort, 0.95)]
    const ratio = name === "fuzzysort" ? null : ours / theirs
    return rowWith(`${what}, ${name}`, quantiles(taken[name]), {
      ratio,
      to: "fuzzysort's p95",
      gate,
    })
  }
  return [rowOf("fuzzysort", null), rowOf("uFuzzy", null), rowOf("ours", MAX_KEYSTROKE)]
}

function searchOf(paths: readonly string[]): FileSearch {
  const index = new Paths()
  const folders = new Map<string, number>()
  for (const path of paths) {
    const from = path.lastIndexOf("/") + 1
    const folder = path.slice(0, from)
    const number = folders.get(folder) ?? index.addFolder(folder)
    folders.set(folder, number)
    index.add(number, path.slice(from))
  }
  return new FileSearch(index)
}

/** How long each way takes for each keystroke. They take turns, so a busy moment hits all. The first
 *  round compiles, and a few queries are enough for that; nothing is held against uFuzzy, which is
 *  typed to once. */
function typed<Name extends string>(ways: Readonly<Record<Name, (query: string) => unknown>>) {
  const names = Object.keys(ways) as Name[]
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >
  for (let round = 0; round <= ROUNDS; round++)
    for (const query of round === 0 ? QUERIES.slice(0, WARM_UP_QUERIES) : QUERIES)
      for (let keys = 1; keys <= query.length; keys++)
        for (const name of names) {
          if (round > 1 && name === "uFuzzy") continue
          const began = performance.now()
          ways[name](query.slice(0, keys))
          if (round > 0) taken[name].push(performance.now() - began)
        }
  return taken
}

function quantiles(values: readonly number[]): string {
  const at = (share: number) => milliseconds(quantile(values, share))
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}`
}

// The index

async function indexRows(paths: readonly string[]): Promise<Row[]> {
  const root = treeOf(paths)
  const found: number[] = []
  const built: number[] = []
  for (let round = 0; round < INDEX_ROUNDS; round++) {
    found.push(timeOfFind(root))
    built.push(await timeOfIndex(root))
  }
  // The middle of each: a lucky round proves nothing.
  const [find, index] = [median(found), median(built)]
  const thread = await throughThread(root)
  return [
    rowWith("find -type f", fastest(found)),
    rowWith("the index of the same files, with ignore rules", fastest(built), {
      ratio: index / find,
      to: "find",
      gate: MAX_INDEX,
    }),
    rowWith("the same in its thread, from nothing", milliseconds(thread.ready)),
    rowWith("a keystroke through the thread", quantiles(thread.keystrokes)),
  ]
}

function fastest(values: readonly number[]): string {
  return `fastest ${milliseconds(Math.min(...values))}, p50 ${milliseconds(median(values))}`
}

// Kept: to make and remove so many files took from ten seconds to three minutes on one machine.
function treeOf(paths: readonly string[]): string {
  const root = join(CACHE, `tree-${hash("sha256", paths.join("\n"), "hex").slice(0, 16)}`)
  const done = `${root}.done`
  if (existsSync(done)) return root
  for (const folder of new Set(paths.map((path) => dirname(path))))
    mkdirSync(join(root, folder), { recursive: true })
  for (const path of paths) writeFileSync(join(root, path), "")
  writeFileSync(join(root, ".gitignore"), "node_modules/\n/dist\n*.log\n*~\ncoverage\nsrc/**/gen\n")
  writeFileSync(done, "")
  return root
}

function timeOfFind(root: string): number {
  const began = performance.now()
  spawnSync("find", [root, "-type", "f"], { stdio: "ignore" })
  return performance.now() - began
}

async function timeOfIndex(root: string): Promise<number> {
  const view = await openView(root, hiddenBy())
  const began = performance.now()
  const finder = new FileFinder(root, view)
  const { files } = await finder.index()
  const taken = performance.now() - began
  finder.close()
  if (files !== FILES + 1) throw new Error(`${files} files were found, not ${FILES + 1}`)
  return taken
}

async function throughThread(root: string) {
  const began = performance.now()
  const finder = createFinder({ root, ignored: hiddenBy() })
  await finder.ready
  const ready = performance.now() - began
  const keystrokes: number[] = []
  for (const query of QUERIES)
    for (let keys = 1; keys <= query.length; keys++) {
      const asked = performance.now()
      await finder.find(query.slice(0, keys), { limit: LIMIT })
      keystrokes.push(performance.now() - asked)
    }
  await finder.close()
  return { ready, keystrokes }
}

// The search for secrets, which everything that comes in goes through

const SEARCHED_CHARACTERS = 8 * 1024 * 1024
const SEARCH_ROUNDS = 9

/** In code there is now and then a word that has to be looked at. */
const SEARCHED = {
  prose: "The quick brown fox jumps over the lazy dog, and says hello to it on its way home.\n",
  code: "export function render(view: View, token: Token): string { return view.name }\n",
}

function secretRows(): Row[] {
  return Object.entries(SEARCHED).map(([kind, line]) => {
    const text = line.repeat(Math.ceil(SEARCHED_CHARACTERS / line.length))
    const rates = Array.from({ length: SEARCH_ROUNDS }, () => {
      const began = performance.now()
      findSecrets(text)
      return text.length / 1000 / (performance.now() - began)
    })
    return rowWith(`the search for secrets in ${kind}`, `${Math.round(median(rates))} MB/s`)
  })
}

interface Comparison {
  readonly ratio: number | null
  readonly to: string
  readonly gate: number | null
}

function rowWith(what: string, figures: string, comparison?: Comparison): Row {
  const { ratio = null, to = "", gate = null } = comparison ?? {}
  const passed = ratio !== null && gate !== null && ratio <= gate
  return { what, figures, ratio, to, gate: gate === null ? null : { wanted: `≤ ${gate}x`, passed } }
}

function show({ machine, before, after, rows }: Report): string {
  const { processor, cores, memory_gib, node, disk } = machine
  const lines = rows.map(({ what, figures, ratio, to, gate }) => [
    what,
    figures,
    ratio === null ? "" : `${times(ratio)} ${to}`,
    gate === null ? "" : `${gate.wanted} ${gate.passed ? "pass" : "FAIL"}`,
  ])
  return [
    `${processor}, ${cores} cores, ${memory_gib} GiB, Node ${node}`,
    disk,
    `load before ${before.load.toFixed(2)}, after ${after.load.toFixed(2)}`,
    "",
    table(["complete", "figures", "ratio", "gate"], lines),
  ].join("\n")
}
