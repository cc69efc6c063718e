import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { Catalog } from "../../packages/core/catalog/catalog.ts"
import { type Discovery, discover } from "../../packages/engine/skills/discover.ts"
import { TRUST_NONE } from "../../packages/engine/skills/trust.ts"
import type { DiscoverOptions } from "../../packages/engine/skills/visit.ts"

const EVERYONE = fileURLToPath(new URL("../fixtures/workspace-of-everyone", import.meta.url))

export interface Workspace {
  readonly folder: string
  readonly project: string
  readonly home: string
}

/** A project in a repository and a home, both empty; removed when the test is over. */
export async function emptyWorkspace(): Promise<Workspace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "compositor-commands-")))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const workspace = { folder, project: join(folder, "project"), home: join(folder, "home") }
  await mkdir(join(workspace.project, ".git"), { recursive: true })
  await mkdir(workspace.home)
  return workspace
}

/** The fixture with the files of all tools, copied to where it is nobody's repository. */
export async function workspaceOfEveryone(): Promise<Workspace> {
  const workspace = await emptyWorkspace()
  await cp(EVERYONE, workspace.folder, { recursive: true })
  return workspace
}

export async function write(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

export function options(
  { project, home }: Workspace,
  rest: Partial<DiscoverOptions> = {},
): DiscoverOptions {
  return { cwd: project, environment: { home, variables: {} }, trust: TRUST_NONE, ...rest }
}

export function look(workspace: Workspace, rest?: Partial<DiscoverOptions>): Promise<Discovery> {
  return discover(options(workspace, rest))
}

export function catalogOf({ layers }: Discovery): Catalog {
  return new Catalog([{ owner: "builtin", commands: BUILTINS }, ...layers])
}

/** `name` of each command that is no built-in, in the catalog's order. */
export function namesOf(discovery: Discovery): string[] {
  return catalogOf(discovery)
    .list()
    .flatMap(({ name, command }) => (command.source.scope === "builtin" ? [] : [name]))
}

export function findingsOf({ layers }: Discovery): string[] {
  return layers.flatMap(({ findings = [] }) =>
    findings.map(({ rule, message }) => `${rule}: ${message}`),
  )
}
