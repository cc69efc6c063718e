import type { Command } from "commander"

/** A command as it is shown to shells and in the manual. */
export interface Outline {
  /** Its name with those of the groups it is in, without ours. */
  readonly path: readonly string[]
  readonly usage: string
  readonly description: string
  readonly options: readonly { readonly flags: string; readonly description: string }[]
  readonly commands: readonly Outline[]
}

export function outlineOf(command: Command, path: readonly string[] = []): Outline {
  const visible = command.createHelp()
  return {
    path,
    usage: command.usage(),
    description: command.description(),
    options: visible
      .visibleOptions(command)
      .map(({ flags, description }) => ({ flags, description })),
    commands: command.commands.map((child) => outlineOf(child, [...path, child.name()])),
  }
}

/** The flags of an option, each as it is typed: `-m` and `--model`. */
export function flagsOf({ flags }: { readonly flags: string }): string[] {
  return flags.split(/[ ,|]+/).filter((word) => word.startsWith("-"))
}

export function everyCommand(outline: Outline): Outline[] {
  return [outline, ...outline.commands.flatMap(everyCommand)]
}
