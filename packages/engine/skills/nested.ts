import { basename, dirname, relative, sep } from "node:path"
import { PROJECT_SKILLS } from "compositor-core/catalog/places"
import { SkillSearch } from "./scan.ts"
import type { Visit } from "./visit.ts"

interface NestedPackage {
  readonly folder: string
  /** What its skills are told apart by: `web` of `packages/web`. */
  readonly name: string
}

const MAX_DEPTH = 6
/** Folders that hold what others wrote, what was built, or what tests pretend. */
const NOT_ENTERED: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "dist",
  "build",
  "out",
  "target",
  "coverage",
  "venv",
  "__pycache__",
  "fixtures",
  "__fixtures__",
  "testdata",
])
const HOLDERS: ReadonlySet<string> = new Set(
  PROJECT_SKILLS.map(({ path }) => path.split("/", 1)[0] ?? path),
)

/** The packages inside the repository that may have skills of their own. A repository inside the
 *  repository is another project, and is not looked into. */
export async function nestedPackages({ project, realRoot }: Visit): Promise<NestedPackage[]> {
  const { root, levels } = project
  // Neither a whole disk nor a whole home is a project.
  if (dirname(root) === root || !levels.includes(root)) return []
  const folders = await holdersIn(root, 1, new SkillSearch(realRoot))
  return named(
    folders.filter((folder) => !levels.includes(folder)),
    root,
  )
}

async function holdersIn(folder: string, depth: number, search: SkillSearch): Promise<string[]> {
  const items = await search.enter(folder)
  if (depth > 1 && items.some(({ name }) => name === ".git")) return []
  const found = items.some(({ name }) => HOLDERS.has(name)) ? [folder] : []
  if (depth >= MAX_DEPTH) return found
  for (const { name, path, type } of items)
    if (type === "folder" && !name.startsWith(".") && !NOT_ENTERED.has(name))
      found.push(...(await holdersIn(path, depth + 1, search)))
  return found
}

/** By their own name; where two share it, the later one by its path. */
function named(folders: readonly string[], root: string): NestedPackage[] {
  const taken = new Set<string>()
  return folders.map((folder) => {
    const short = basename(folder)
    const name = taken.has(short) ? relative(root, folder).split(sep).join("/") : short
    taken.add(name)
    return { folder, name }
  })
}
