import { realpath } from "node:fs/promises"
import { join } from "node:path"
import type { CommandLayer } from "compositor-core/catalog/catalog"
import { PROJECT_COMMANDS, USER_COMMANDS } from "compositor-core/catalog/places"
import { type Skill, skillCommand } from "compositor-core/catalog/skill"
import { discoverSkills, type SkillsReading } from "./discover-skills.ts"
import { type Project, projectOf, TextFiles } from "./files.ts"
import { type FoundFolder, gooseFolders, piFolders, placesAt, userPath } from "./places.ts"
import { type PlacesReading, readGooseMap, readCommandFolders } from "./read-places.ts"
import { absentIn, type DiscoverOptions, type Visit } from "./visit.ts"

export interface Discovery {
  readonly project: Project
  /** One each for the project, the user and the host. */
  readonly layers: readonly CommandLayer[]
  /** One of each name, the first that was found (SKL-002). */
  readonly skills: readonly Skill[]
  /** Folders and files whose changes matter, whether they are there or not. */
  readonly watched: readonly string[]
}

/** Find the commands and skills in all places that tools keep them. A file that cannot be read is a
 *  finding; nothing that is found is run, and what came with the project is listed but inert until
 *  it is trusted. */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const visit = await begin(options)
  const [mapped, project, user, skills] = await Promise.all([
    readGooseMap(visit),
    projectPlaces(visit).then((places) => readCommandFolders(places, "project", visit)),
    userPlaces(visit).then((places) => readCommandFolders(places, "user", visit)),
    discoverSkills(visit),
  ])
  return {
    project: visit.project,
    layers: [
      layer("project", [project, mapped.project], skills.project),
      layer("user", [user, mapped.user], skills.user),
      layer("bundled", [], skills.bundled),
      layer("named", [], skills.named),
      layer("remote", [], skills.remote),
    ],
    skills: firstOfEach([skills.project, skills.user, skills.bundled, skills.named, skills.remote]),
    watched: [
      ...knownPaths(visit),
      ...[project, user, mapped.user].flatMap((read) => read.folders),
      ...[skills.project, skills.user, skills.named, skills.remote].flatMap((read) => read.folders),
    ],
  }
}

async function begin(options: DiscoverOptions): Promise<Visit> {
  const { environment } = options
  const { home } = environment
  const project = await projectOf(options.cwd, home)
  const above = [...project.levels, home, userPath("$XDG_CONFIG_HOME/", environment)]
  const [realRoot, isAbsent] = await Promise.all([
    realpath(project.root).catch(() => project.root),
    absentIn(above),
  ])
  return { ...options, files: options.files ?? new TextFiles(), project, realRoot, isAbsent }
}

async function projectPlaces({ project, files }: Visit): Promise<FoundFolder[]> {
  const perLevel = project.levels.map(async (level) => {
    const known = PROJECT_COMMANDS.map((place) => placesAt(place, join(level, place.path)))
    return [...(await Promise.all(known)).flat(), ...(await piFolders(files, level, project.root))]
  })
  return (await Promise.all(perLevel)).flat()
}

async function userPlaces({ environment, files }: Visit): Promise<FoundFolder[]> {
  const known = USER_COMMANDS.map((place) => placesAt(place, userPath(place.path, environment)))
  return [
    ...(await Promise.all(known)).flat(),
    ...(await piFolders(files, environment.home, null)),
    ...gooseFolders(environment),
  ]
}

/** Where command files may appear, up to the first folder that can have any name. */
function knownPaths({ project, environment }: Visit): string[] {
  const own = project.levels.flatMap((level) =>
    PROJECT_COMMANDS.map(({ path }) => join(level, path)),
  )
  const user = USER_COMMANDS.map(({ path }) => userPath(path, environment))
  return [...own, ...user].map((path) => path.split(/[/\\]\*/, 1)[0] ?? path)
}

function layer(
  owner: string,
  readings: readonly PlacesReading[],
  skills: SkillsReading,
): CommandLayer {
  return {
    owner,
    commands: [
      ...readings.flatMap(({ commands }) => commands),
      ...skills.skills.filter((skill) => skill.user_invocable).map(skillCommand),
    ],
    findings: [...readings, skills].flatMap(({ findings }) => findings),
  }
}

/** The others are hidden, and the doctor tells of them. */
function firstOfEach(readings: readonly SkillsReading[]): Skill[] {
  const byName = new Map<string, Skill>()
  for (const skill of readings.flatMap(({ skills }) => skills))
    if (!byName.has(skill.name)) byName.set(skill.name, skill)
  return [...byName.values()]
}
