import { readdir, stat } from "node:fs/promises"
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path"
import { z } from "zod"
import type { CommandFolder } from "compositor-core/catalog/places"
import { readJson } from "compositor-core/catalog/read/json"
import type { TextFiles } from "./files.ts"

/** What the user's own places are named by. */
export interface UserEnvironment {
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** A place on this machine. */
export interface FoundFolder {
  readonly place: CommandFolder
  readonly path: string
  /** What a `*` in its path stood for. */
  readonly star?: string | undefined
}

/** `~/…` and `$XDG_CONFIG_HOME/…` as a path of this machine. */
export function userPath(path: string, { home, variables }: UserEnvironment): string {
  const [, name = "~", rest = ""] = /^(~|\$[A-Z_]+)\/(.*)$/.exec(path) ?? []
  const fallback: Readonly<Record<string, string>> = {
    $XDG_CONFIG_HOME: join(home, ".config"),
    $CODEX_HOME: join(home, ".codex"),
  }
  const set = variables[name.slice(1)]
  // By the XDG rules a path that is not absolute does not count.
  const base = name !== "~" && set && isAbsolute(set) ? set : (fallback[name] ?? home)
  return join(base, rest)
}

/** The folders or the file that a place's path stands for. */
export async function placesAt(place: CommandFolder, path: string): Promise<FoundFolder[]> {
  if (place.beside && !(await exists(join(dirname(path), place.beside)))) return []
  const [before = path, after] = path.split("*", 2)
  if (after === undefined) return [{ place, path }]
  const names = (await readdir(before).catch(() => [])).toSorted(byName)
  return names.slice(0, MAX_STARS).map((star) => ({ place, path: join(before, star, after), star }))
}

const MAX_STARS = 200

function byName(left: string, right: string): number {
  return left < right ? -1 : 1
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

const PI_PROMPTS: CommandFolder = { tool: "pi", path: "", files: /\.md$/i, reader: "markdown" }
const Prompts = z.looseObject({ prompts: z.array(z.string()).max(50) })
const Package = z.looseObject({ pi: Prompts })

/** The folders that pi's settings or a package's `pi.prompts` name. */
export async function piFolders(
  files: TextFiles,
  folder: string,
  root: string | null,
): Promise<FoundFolder[]> {
  const settings = root === null ? ".pi/agent/settings.json" : ".pi/settings.json"
  const fromSettings = Prompts.safeParse(await json(files, join(folder, settings), root))
  const fromPackage = Package.safeParse(await json(files, join(folder, "package.json"), root))
  return [
    ...(fromSettings.data?.prompts ?? []).map((path) => resolve(folder, dirname(settings), path)),
    ...(root === null ? [] : (fromPackage.data?.pi.prompts ?? [])).map((path) =>
      resolve(folder, path),
    ),
  ].map((path) => ({ place: PI_PROMPTS, path }))
}

async function json(files: TextFiles, path: string, root: string | null): Promise<unknown> {
  const file = await files.read(path, root)
  try {
    return file.type === "text" ? readJson(file.text) : undefined
  } catch {
    return undefined
  }
}

/** A recipe wherever it lies. */
export const RECIPES: CommandFolder = {
  tool: "goose",
  path: "",
  files: /\.(?:ya?ml|json)$/i,
  reader: "recipe",
}

/** The folders of `GOOSE_RECIPE_PATH`. */
export function gooseFolders({ variables }: UserEnvironment): FoundFolder[] {
  const folders = (variables.GOOSE_RECIPE_PATH ?? "").split(delimiter).filter(isAbsolute)
  return folders.map((path) => ({ place: RECIPES, path }))
}
