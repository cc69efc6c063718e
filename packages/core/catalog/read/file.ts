import { type Command, type CommandSource, commandName } from "../command.ts"
import type { CommandFileFinding } from "../finding.ts"

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
  readonly findings: readonly CommandFileFinding[]
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
export type PartialFinding = Omit<CommandFileFinding, "path" | "line"> & { readonly line?: number }

export function readNoCommands(
  { path }: Pick<CommandFile, "path">,
  told: PartialFinding,
): FileReading {
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
