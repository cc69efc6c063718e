import { homedir } from "node:os"
import { join } from "node:path"
import { BUILTINS } from "compositor-core/commands/table"
import { Catalog, type CommandLayer } from "compositor-core/catalog/catalog"
import type { Skill } from "compositor-core/catalog/skill"
import type { Finder } from "compositor-files/finder/finder"
import type { PathSearch } from "compositor-files/sandbox/masked-paths"
import { runInWorkspace } from "compositor-files/sandbox/workspace-shell"
import { Refusal } from "compositor-core/message/refusal"
import type { PolicyConfig } from "../policy/config.ts"
import { deniedBy } from "../policy/deny.ts"
import { viewOf } from "../policy/hidden.ts"
import { hiddenBy, loadPolicy } from "../policy/load-policy.ts"
import type { IngressPolicy } from "../policy/policy.ts"
import type { Discovery } from "../skills/discover.ts"
import { type Trust, TrustStore } from "../skills/trust.ts"
import { CommandWatcher } from "../skills/watch.ts"
import type { CompleteQuery, CompleteDependencies } from "../completion/complete.ts"
import type { CompletionAnswer } from "compositor-core/contract/commands"
import type { CompletionSource } from "../completion/completion.ts"
import { digestOf } from "../submit/digest.ts"
import { Frecency } from "../completion/frecency.ts"
import type { NamedPart } from "../submit/resolve.ts"
import { type UsedIn, usedNames } from "../submit/completion-usage.ts"

interface Known {
  readonly catalog: Catalog
  readonly watcher: CommandWatcher
  /** Begun when someone first looks for a file. */
  finder?: Finder
}

/** How many workspaces are watched at once; the one not asked about for longest goes first. */
const MAX_WATCHED = 16
const NO_SKILLS: ReadonlyMap<string, Skill> = new Map()
const BUILTIN_LAYER = { owner: "builtin", commands: BUILTINS }

export interface WorkspacesOptions {
  readonly data: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly policy?: PolicyConfig | undefined
  /** The folder of skills that come with the host. */
  readonly bundled?: string | undefined
  /** Further folders of skills, of the user's own. */
  readonly skill_paths?: readonly string[] | undefined
  /** Folders of skills that came from an address. */
  readonly remote_skills?: readonly string[] | undefined
  /** Another judge of what may be used, for one call; the folder's pins otherwise. */
  readonly trust?: Trust | undefined
  /** What servers add to the catalog there, whole each time; the same list as long as nothing
   *  changed. */
  readonly layers?:
    | ((workspace_root: string | null) => Promise<readonly CommandLayer[]>)
    | undefined
  /** Hear that something was trusted, or is no longer. */
  readonly refreshed?: (() => void) | undefined
  /** Who else knows names that can be typed there: symbols, a server's resources. */
  readonly completion_sources?:
    | ((workspace_root: string | null) => readonly CompletionSource[])
    | undefined
}

/** What can be typed and what may come in, for each workspace that sessions work in. */
export class Workspaces {
  readonly trust: TrustStore
  readonly #options: WorkspacesOptions
  readonly #known = new Map<string, Promise<Known>>()
  readonly #frecencies = new Map<string, Promise<Frecency>>()
  readonly #policies = new Map<string | null, IngressPolicy>()
  readonly #bare = new Catalog([BUILTIN_LAYER])
  /** What servers last added to each catalog. */
  readonly #layers = new WeakMap<Catalog, readonly CommandLayer[]>()

  constructor(options: WorkspacesOptions) {
    this.#options = options
    this.trust = new TrustStore(join(options.data, "trust"))
  }

  async catalog(workspace_root: string | null): Promise<Catalog> {
    const catalog =
      workspace_root === null ? this.#bare : (await this.#watched(workspace_root)).catalog
    const layers = await this.#options.layers?.(workspace_root)
    if (layers) this.#put(catalog, layers)
    return catalog
  }

  /** Every skill that was found, by name, those included that cannot be typed as a command. */
  async skills(workspace_root: string | null): Promise<ReadonlyMap<string, Skill>> {
    if (workspace_root === null) return NO_SKILLS
    const { watcher } = await this.#watched(workspace_root)
    return new Map(watcher.current.skills.map((skill) => [skill.name, skill]))
  }

  /** The servers whose resources can be named in a source. */
  servers(workspace_root: string | null): string[] {
    const resources = this.#sources(workspace_root).filter(({ kind }) => kind === "resource")
    return resources.map(({ prefix }) => prefix)
  }

  /** What could be meant at the cursor of a draft. */
  async complete(
    workspace_root: string | null,
    asked: CompleteQuery,
    catalog: CompleteDependencies["catalog"],
  ): Promise<CompletionAnswer> {
    const { complete } = await import("../completion/complete.ts")
    const sources = this.#sources(workspace_root)
    const nowhere = { skills: NO_SKILLS, finder: null, frecency: null, sources }
    if (workspace_root === null) return complete({ ...nowhere, catalog }, asked)
    const skills = await this.skills(workspace_root)
    const finder = await this.#finder(workspace_root)
    const frecency = await this.#frecency(workspace_root)
    return complete({ catalog, skills, finder, frecency, sources }, asked)
  }

  /** Remember what was named, so that it is offered sooner next time. */
  used({ workspace_root, session_id }: UsedIn, parts: readonly NamedPart[]) {
    const names = workspace_root === null ? [] : usedNames(parts, workspace_root)
    if (workspace_root === null || names.length === 0) return
    void this.#frecency(workspace_root).then((frecency) => frecency.use(names, session_id))
  }

  /** A session is gone, and what only it named goes with it. */
  async forget({ workspace_root, session_id }: UsedIn) {
    if (workspace_root !== null) await (await this.#frecency(workspace_root)).forget(session_id)
  }

  /** Look again: a file was trusted, or is no longer. */
  async refresh(workspace_root: string) {
    this.#options.refreshed?.()
    await (await this.#watched(workspace_root)).watcher.refresh()
  }

  policy(workspace_root: string | null): IngressPolicy {
    const known = this.#policies.get(workspace_root)
    if (known) return known
    const policy = loadPolicy(workspace_root, this.#options.policy)
    this.#policies.set(workspace_root, policy)
    return policy
  }

  async shell(workspace_root: string | null, command: string): Promise<string> {
    if (workspace_root === null)
      throw new Refusal("invalid", `there is no workspace to run \`${command}\` in`)
    const ran = await runInWorkspace({ command, search: this.#search(workspace_root) })
    if (ran.type !== "output") throw new Refusal("invalid", `\`${command}\`: ${ran.reason}`)
    return ran.truncated ? `${ran.text}\n[the output was longer]` : ran.text
  }

  /** A template sees no more of a workspace than the model does. */
  #search(root: string): PathSearch {
    const policy = this.policy(root)
    const isDenied = (path: string) =>
      deniedBy(policy.denied, policy.workspace.shorten(path)) !== undefined
    return { root, view: viewOf(root, hiddenBy(this.#options.policy).settings), isDenied }
  }

  async close() {
    const known = await Promise.allSettled(this.#known.values())
    for (const one of known) if (one.status === "fulfilled") await stop(one.value)
    for (const frecency of this.#frecencies.values()) await (await frecency).close()
  }

  #put(catalog: Catalog, layers: readonly CommandLayer[]) {
    const before = this.#layers.get(catalog) ?? []
    if (before === layers) return
    this.#layers.set(catalog, layers)
    const owners = new Set(layers.map(({ owner }) => owner))
    for (const { owner } of before) if (!owners.has(owner)) catalog.remove(owner)
    for (const layer of layers) catalog.declare(layer)
  }

  #sources(workspace_root: string | null): readonly CompletionSource[] {
    return this.#options.completion_sources?.(workspace_root) ?? []
  }

  async #finder(workspace_root: string): Promise<Finder> {
    const known = await this.#watched(workspace_root)
    const { createFinder } = await import("compositor-files/finder/finder")
    known.finder ??= createFinder({ root: workspace_root, ignored: hiddenBy(this.#options.policy) })
    await known.finder.ready
    return known.finder
  }

  #frecency(workspace_root: string): Promise<Frecency> {
    const known =
      this.#frecencies.get(workspace_root) ?? Frecency.open(this.#keptAt(workspace_root))
    this.#frecencies.delete(workspace_root)
    this.#frecencies.set(workspace_root, known)
    for (const [root, frecency] of this.#frecencies) {
      if (this.#frecencies.size <= MAX_WATCHED) break
      this.#frecencies.delete(root)
      void frecency.then((old) => old.close())
    }
    return known
  }

  #keptAt(workspace_root: string): string {
    return join(this.#options.data, "frecency", `${digestOf(workspace_root)}.json`)
  }

  #watched(cwd: string): Promise<Known> {
    const known = this.#known.get(cwd) ?? this.#start(cwd)
    this.#known.delete(cwd)
    this.#known.set(cwd, known)
    this.#letGo()
    return known
  }

  async #start(cwd: string): Promise<Known> {
    const catalog = new Catalog([BUILTIN_LAYER])
    const { environment: variables, trust = this.trust } = this.#options
    const environment = { home: variables.HOME ?? homedir(), variables }
    const take = ({ layers }: Discovery) => {
      for (const layer of layers) catalog.declare(layer)
    }
    const { bundled, skill_paths: skillPaths, remote_skills: remoteSkills } = this.#options
    const about = { cwd, environment, trust, bundled, skillPaths, remoteSkills }
    const watcher = await CommandWatcher.start({ ...about, onChange: take })
    take(watcher.current)
    return { catalog, watcher }
  }

  #letGo() {
    for (const [cwd, known] of this.#known) {
      if (this.#known.size <= MAX_WATCHED) return
      this.#known.delete(cwd)
      void known.then(stop)
    }
  }
}

async function stop({ watcher, finder }: Known) {
  watcher.close()
  await finder?.close()
}
