import { basename, dirname, join } from "node:path"
import type { CommandFileFinding } from "compositor-core/catalog/finding"
import { PROJECT_SKILLS, type SkillFolder, USER_SKILLS } from "compositor-core/catalog/places"
import { withOpenaiManifest } from "compositor-core/catalog/read/openai-manifest"
import { readSkill, type SkillReading } from "compositor-core/catalog/read/skill"
import type { Skill } from "compositor-core/catalog/skill"
import { nestedPackages } from "./nested.ts"
import { resourcesOf } from "./package.ts"
import { userPath } from "./places.ts"
import { SkillSearch } from "./scan.ts"
import type { Visit } from "./visit.ts"

type SkillScope = "project" | "user" | "bundled" | "named" | "remote"

export interface SkillsReading {
  readonly skills: readonly Skill[]
  readonly findings: readonly CommandFileFinding[]
  readonly folders: readonly string[]
}

/** Find the skill packages: the project's from the working directory up, then those of the packages
 *  inside it, the user's, the host's, and what the settings name (SKL-002). */
export async function discoverSkills(visit: Visit): Promise<Record<SkillScope, SkillsReading>> {
  const { project, environment, bundled, skillPaths = [], remoteSkills = [] } = visit
  const own = project.levels.flatMap((level) => PROJECT_SKILLS.map((place) => at(level, place)))
  const nested = (await nestedPackages(visit)).flatMap(({ folder, name }) =>
    PROJECT_SKILLS.map((place) => ({ ...at(folder, place), within: name })),
  )
  const user = USER_SKILLS.map((place) => ({ place, path: userPath(place.path, environment) }))
  const readings = await Promise.all([
    readAll([...own, ...nested], "project", visit),
    readAll(user, "user", visit),
    readAll(bundled === undefined ? [] : [named(bundled)], "bundled", visit),
    readAll(skillPaths.map(named), "named", visit),
    readAll(remoteSkills.map(named), "remote", visit),
  ])
  const [inProject, ofUser, ofHost, inSettings, remote] = readings
  return { project: inProject, user: ofUser, bundled: ofHost, named: inSettings, remote }
}

interface FoundFolder {
  readonly place: SkillFolder
  readonly path: string
  readonly within?: string
}

function at(folder: string, place: SkillFolder): FoundFolder {
  return { place, path: join(folder, place.path) }
}

function named(path: string): FoundFolder {
  return { place: { tool: "compositor", path }, path }
}

/** So many heads are read at once. */
const BATCH = 32

async function readAll(
  folders: readonly FoundFolder[],
  scope: SkillScope,
  visit: Visit,
): Promise<SkillsReading> {
  const search = new SkillSearch(scope === "project" ? visit.realRoot : null, visit.isAbsent)
  const skills: Skill[] = []
  const findings: CommandFileFinding[] = []
  for (const folder of folders) {
    const paths = await headsIn(folder.path, folder.place.loose === true, search)
    for (let from = 0; from < paths.length; from += BATCH) {
      const batch = paths.slice(from, from + BATCH)
      const readings = await Promise.all(
        batch.map((path) => readHead(path, folder, { scope, visit })),
      )
      findings.push(...readings.flatMap((reading) => reading.findings))
      skills.push(...readings.flatMap(({ skill }) => skill ?? []))
    }
  }
  return { skills, findings, folders: [...search.folders, ...folders.map(({ path }) => path)] }
}

const MAX_DEPTH = 6

/** Where a `SKILL.md` lies is a package, and nothing inside a package is another. */
async function headsIn(
  folder: string,
  loose: boolean,
  search: SkillSearch,
  depth = 1,
): Promise<string[]> {
  const items = await search.enter(folder)
  const head = items.find(({ name, type }) => type === "file" && /^skill\.md$/i.test(name))
  if (head && depth > 1) return search.take() ? [head.path] : []
  const heads = loose ? items.filter(isLoose).map(({ path }) => path) : []
  if (depth >= MAX_DEPTH) return heads
  for (const { path, type, name } of items)
    if (type === "folder" && !name.startsWith("."))
      heads.push(...(await headsIn(path, false, search, depth + 1)))
  return heads
}

function isLoose({ name, type }: { readonly name: string; readonly type: string }): boolean {
  return type === "file" && /\.md$/i.test(name) && !/^(?:skill|readme)\.md$/i.test(name)
}

interface Reader {
  readonly scope: SkillScope
  readonly visit: Visit
}

async function readHead(
  path: string,
  { place, within }: FoundFolder,
  { scope, visit }: Reader,
): Promise<SkillReading> {
  const root = scope === "project" ? visit.project.root : null
  const file = await visit.files.read(path, root)
  if (file.type === "refused") {
    const { reason: message } = file
    return { findings: [{ level: "error", rule: "unreadable", path, line: 1, message }] }
  }
  const { text, digest, realPath } = file
  const trusted = scope !== "project" || (await visit.trust.isTrusted(realPath, digest))
  const isPackage = /^skill\.md$/i.test(basename(path))
  const folder = dirname(path)
  const resources = isPackage ? await resourcesOf(folder) : []
  const reading = readSkill({
    path,
    relative: basename(path),
    text,
    digest,
    source: { tool: place.tool, scope, owner: scope },
    trust: trusted ? "trusted" : "untrusted",
    folder,
    folderName: isPackage ? basename(folder) : basename(path).replace(/\.md$/i, ""),
    within,
    resources,
  })
  if (!reading.skill || !resources.includes(MANIFEST)) return reading
  const manifest = await visit.files.read(join(folder, MANIFEST), root)
  if (manifest.type === "refused") return reading
  return { ...reading, skill: withOpenaiManifest(reading.skill, manifest.text) }
}

const MANIFEST = "agents/openai.yaml"
