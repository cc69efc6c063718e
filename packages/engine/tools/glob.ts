import { z } from "zod"
import type { FolderView } from "compositor-files/finder/view"
import { walkFolder } from "compositor-files/workspace/walk"
import { type Glob, globMatches } from "../policy/glob.ts"
import { readGlob } from "../policy/read-glob.ts"
import { cutList } from "./output.ts"
import { deniedAt, requireGranted, type ToolPath, resolveToolPath, plainPath } from "./place.ts"
import { defineTool, type Tool, type ToolRuntime } from "./tool.ts"

/** What a search does not show of a folder; the host knows the rules. */
export type Hiding = (root: string) => FolderView | undefined

const SHOWN_PATHS = 1000
const MAX_FOUND = 20_000
const MAX_WALKED = 500_000
const MAX_ALTERNATIVES = 64

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe("As in an ignore file: *.ts anywhere, src/**/*.ts, {a,b}.json."),
  path: z.string().min(1).max(4096).optional().describe("The folder to look in: all, if left out."),
})

export function globTool(hiding: Hiding): Tool {
  return defineTool({
    id: "glob",
    aliases: [],
    description: "List files whose paths match a pattern. What is ignored is not listed.",
    input: Input,
    requires: ["fs.read"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path = "." }) => plainPath(path),
    execute: async ({ pattern, path = "." }, runtime) => {
      const place = await resolveToolPath(path, runtime)
      const found: string[] = []
      for await (const file of matching({ place, pattern, hiding }, runtime)) {
        found.push(file)
        if (found.length >= MAX_FOUND) break
      }
      const cut = await cutList(found, SHOWN_PATHS, { runtime, line: (file) => file })
      return { data: { paths: cut.items, found: found.length }, ...cut.about }
    },
  })
}

interface GlobSearch {
  readonly place: ToolPath
  /** Every file, if there is none. */
  readonly pattern?: string | undefined
  readonly hiding: Hiding
}

/** Files under a place that match and may be shown, as paths that the other tools take. */
export async function* matching(
  { place, pattern, hiding }: GlobSearch,
  runtime: ToolRuntime,
): AsyncGenerator<string> {
  const globs = pattern === undefined ? undefined : alternatives(pattern).map(readGlob)
  const view = place.kind === "scratch" ? undefined : hiding(place.root)
  const { root, path: folder } = place
  const options = { root, folder: folder === "." ? "" : folder, view, signal: runtime.signal }
  const base = baseOf(place)
  for await (const entry of walkFolder({ ...options, max_files: MAX_WALKED })) {
    if ("type" in entry) {
      requireGranted(entry)
      continue
    }
    if (entry.is_folder || (globs && !globs.some((glob) => matches(glob, entry.path)))) continue
    const realPath = `${root}/${entry.path}`
    if (deniedAt(place, realPath, "fs.read", runtime) !== undefined) continue
    const verdict = await runtime.ingress({ origin: "ref", path: realPath })
    if (verdict.verdict === "deny") continue
    yield base + entry.path
  }
}

/** What a path from the root is put behind, so that it can be given to a tool again. */
function baseOf({ kind, root, shown }: ToolPath): string {
  switch (kind) {
    case "workspace":
      return ""
    case "scratch":
      return `${root}/`
    case "scope":
      return `${shown.split("/", 1)[0]}/`
  }
}

function matches(glob: Glob, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return globMatches(glob, { path, from: 0, name, depth: path.split("/").length })
}

/** `{a,b}.ts` is two patterns. */
export function alternatives(pattern: string): string[] {
  let list = [pattern]
  for (let round = 0; round < 8; round++) {
    const next = list.flatMap((one) => {
      const [whole, inside] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? []
      if (whole === undefined || inside === undefined) return [one]
      return inside.split(",").map((choice) => one.replace(whole, () => choice))
    })
    if (next.length === list.length || next.length > MAX_ALTERNATIVES) return list
    list = next
  }
  return list
}
