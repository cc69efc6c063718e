import { isAbsolute, relative, sep } from "node:path"
import type { TextFiles } from "./files.ts"
import type { Project } from "./levels.ts"
import type { Environment } from "./places.ts"
import type { Trust } from "./trust.ts"

export interface DiscoverOptions {
  readonly cwd: string
  readonly environment: Environment
  /** Who says which files of the project may be used; the user's own always may. */
  readonly trust: Trust
  /** The folder of skills that come with the host. */
  readonly bundled?: string | undefined
  /** Further folders of skills, from the user's settings. */
  readonly skillPaths?: readonly string[] | undefined
  /** Kept between discoveries, so that only what changed is read again. */
  readonly files?: TextFiles | undefined
}

/** A discovery under way. */
export interface Visit extends DiscoverOptions {
  readonly files: TextFiles
  readonly project: Project
  /** The project's root, links followed. */
  readonly realRoot: string
}

export function isInside(root: string, path: string): boolean {
  const between = relative(root, path)
  return between !== ".." && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}
