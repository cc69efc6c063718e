import { type Command, type CommandSource, commandName } from "../command.ts"
import type { Finding } from "../finding.ts"

/** A file that may hold commands, as discovery found it. */
export interface CommandFile {
  /** Where it lies, as it is shown. */
  readonly path: string
  /** Its path within the place it was found in, with `/`: `git/commit.md`. */
  readonly relative: string
  readonly text: string
  /** `sha256:` of its bytes. */
  readonly digest: string
  readonly source: Pick<CommandSource, "tool" | "scope" | "owner">
  readonly trust: Command["trust"]
}

export interface FileReading {
  readonly commands: readonly Command[]
  readonly findings: readonly Finding[]
}

/** What every command of the file says of where it came from. */
export function provenance(file: CommandFile, line: number) {
  return {
    source: { ...file.source, path: file.path, line },
    trust: file.trust,
    digest: file.digest,
  }
}

/** A finding whose place is known by whoever tells it. */
export type Told = Omit<Finding, "path" | "line"> & { readonly line?: number }

export function nothing({ path }: Pick<CommandFile, "path">, told: Told): FileReading {
  return { commands: [], findings: [{ line: 1, ...told, path }] }
}

/** The name a file gives its command: `git/commit.md` is `git:commit` or `git/commit`. */
export function nameFromPath(
  relative: string,
  extension: RegExp,
  separator: ":" | "/",
): string | undefined {
  const parts = relative.replace(extension, "").split("/").map(commandName)
  return parts.includes(undefined) ? undefined : commandName(parts.join(separator))
}
