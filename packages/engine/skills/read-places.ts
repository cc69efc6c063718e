import { stat } from "node:fs/promises"
import { basename, dirname, extname, resolve } from "node:path"
import type { Command } from "compositor-core/catalog/command"
import type { CommandFileFinding } from "compositor-core/catalog/finding"
import { readCommandFile } from "compositor-core/catalog/read/read"
import { readGooseSlashMap } from "compositor-core/catalog/read/recipe"
import type { SkillTextFile } from "./files.ts"
import { type FoundFolder, RECIPES, userPath } from "./places.ts"
import { type FoundFile, findFiles, SkillSearch } from "./scan.ts"
import { isInside, type Visit } from "./visit.ts"

export interface PlacesReading {
  readonly commands: readonly Command[]
  readonly findings: readonly CommandFileFinding[]
  /** Where to look for changes. */
  readonly folders: readonly string[]
}

/** Read the command files of some places, in their order. A file that is reached twice, by a link,
 *  is read once: the first place says whose it is. */
export async function readCommandFolders(
  places: readonly FoundFolder[],
  scope: "project" | "user",
  visit: Visit,
): Promise<PlacesReading> {
  const search = new SkillSearch(scope === "project" ? visit.realRoot : null, visit.isAbsent)
  const reading = empty()
  for (const found of places)
    await readBatches(await filesAt(found, search), { found, scope, visit, reading })
  if (search.isCutShort) reading.findings.push(limitReached(visit.project.root))
  const { commands, findings } = reading
  return { commands, findings, folders: [...search.folders, ...places.map(({ path }) => path)] }
}

function limitReached(path: string): CommandFileFinding {
  const message = "there are more command files than are looked through"
  return { level: "warning", rule: "limit", path, line: 1, message }
}

async function filesAt(
  { place, path, star }: FoundFolder,
  search: SkillSearch,
): Promise<FoundFile[]> {
  if (!place.files) return (await isFile(path)) ? [{ path, relative: basename(path) }] : []
  const { files, deep = false, parent } = place
  const found = await findFiles(path, { files, deep, parent }, search)
  if (parent !== undefined) return found.map((file) => ({ ...file, relative: basename(file.path) }))
  if (!place.prefixed || star === undefined) return found
  return found.map((file) => ({ ...file, relative: `${star}/${file.relative}` }))
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Of all the command files of a project or a user together. */
const MAX_TOTAL_CHARACTERS = 16 * 1024 * 1024

interface Reading {
  characters: number
  readonly commands: Command[]
  readonly findings: CommandFileFinding[]
  /** The files that were read, by their real path, and where they were found. */
  readonly seen: Map<string, string>
}

interface Task {
  readonly found: Pick<FoundFolder, "place">
  readonly scope: "project" | "user"
  readonly visit: Visit
  readonly reading: Reading
}

/** So many files are read at once. */
const BATCH = 32

async function readBatches(files: readonly FoundFile[], task: Task): Promise<void> {
  const { scope, visit } = task
  const root = scope === "project" ? visit.project.root : null
  for (let from = 0; from < files.length; from += BATCH) {
    const batch = files.slice(from, from + BATCH)
    const texts = await Promise.all(batch.map(({ path }) => visit.files.read(path, root)))
    for (const [at, file] of batch.entries()) {
      const text = texts[at]
      if (text) await take(file, text, task)
    }
  }
}

async function take({ path, relative }: FoundFile, file: SkillTextFile, task: Task): Promise<void> {
  const { found, scope, visit, reading } = task
  const fault = faultOf(file, reading)
  if (fault) reading.findings.push({ ...fault, path, line: 1 })
  if (fault || file.type === "refused") return
  const { text, digest, realPath } = file
  reading.seen.set(realPath, path)
  reading.characters += text.length
  const trusted = scope === "user" || (await visit.trust.isTrusted(realPath, digest))
  const trust = trusted ? "trusted" : "untrusted"
  const source = { tool: found.place.tool, scope, owner: scope }
  const read = readCommandFile({ path, relative, text, digest, source, trust }, found.place.reader)
  reading.commands.push(...read.commands)
  reading.findings.push(...read.findings)
}

/** Why a file is passed over. */
function faultOf(
  file: SkillTextFile,
  { seen, characters }: Reading,
): Omit<CommandFileFinding, "path" | "line"> | undefined {
  if (file.type === "refused") return { level: "error", rule: "unreadable", message: file.reason }
  const first = seen.get(file.realPath)
  if (first !== undefined) {
    const message = `it is the same file as ${first}, which was found first`
    return { level: "note", rule: "duplicate", message }
  }
  if (characters + file.text.length <= MAX_TOTAL_CHARACTERS) return undefined
  return { level: "warning", rule: "limit", message: "there was too much to read before it" }
}

/** The recipes to which goose's own settings give a slash command. A recipe inside the project is
 *  the project's, whoever points at it. */
export async function readGooseMap(
  visit: Visit,
): Promise<Record<"project" | "user", PlacesReading>> {
  const config = userPath("$XDG_CONFIG_HOME/goose/config.yaml", visit.environment)
  const file = (await isFile(config)) ? await visit.files.read(config, null) : undefined
  const mapped = file?.type === "text" ? readGooseSlashMap(file.text) : []
  const readings = { project: empty(), user: empty() }
  for (const { name, path } of mapped) {
    const recipe = resolve(dirname(config), path.replace(/^~(?=\/)/, visit.environment.home))
    const scope = isInside(visit.project.root, recipe) ? "project" : "user"
    const found = { path: recipe, relative: `${name}${extname(recipe) || ".yaml"}` }
    const reading = readings[scope]
    await readBatches([found], { found: { place: RECIPES }, scope, visit, reading })
  }
  const folders = [dirname(config)]
  return { project: { ...readings.project, folders: [] }, user: { ...readings.user, folders } }
}

function empty(): Reading {
  return { characters: 0, commands: [], findings: [], seen: new Map() }
}
