import type { Command } from "commander"
import { everyCommand, type Outline, outlineOf } from "../outline.ts"
import { version } from "../version.ts"
import { printLine } from "../print.ts"

/** Print the manual page, made of what the commands say of themselves. */
export function manCommand(root: Command) {
  printLine(manualPage(outlineOf(root)))
}

export function manualPage(outline: Outline): string {
  const commands = everyCommand(outline).filter(({ path }) => path.length > 0)
  return [
    `.TH COMPOSITOR 1 "" "compositor ${version()}" "User Commands"`,
    ".SH NAME",
    `compositor \\- ${roff(outline.description)}`,
    ".SH SYNOPSIS",
    ".B compositor",
    "[command] [options]",
    ".SH DESCRIPTION",
    "Without a command, the composer opens in the terminal.",
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH EXIT STATUS",
    "0 done; 1 failed or refused; 2 called wrongly; 3 something that is not there or not read;",
    "4 the server does not answer; 5 a turn waits for your approval or answer; 130 stopped.",
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, about]) => [".TP", `.B ${name}`, about]),
  ].join("\n")
}

function section({ path, usage, description, options }: Outline): string[] {
  return [
    ".SS " + roff(`compositor ${path.join(" ")} ${usage}`),
    roff(description),
    ...options.flatMap(({ flags, description }) => [".TP", `.B ${roff(flags)}`, roff(description)]),
  ]
}

const ENVIRONMENT = [
  ["COMPOSITOR_DATA", "data folder"],
  ["COMPOSITOR_TOKEN", "token of the server that --url names"],
  ["NO_COLOR", "no colours in the terminal"],
] as const

// A line that begins with a dot or a quote is a command of the typesetter's.
function roff(text: string): string {
  return text
    .replace(/\\/g, "\\e")
    .replace(/-/g, "\\-")
    .replace(/^([.'])/gm, "\\&$1")
    .replace(/[^ -~\n]/gu, (letter) => `\\[u${hexOf(letter)}]`)
}

function hexOf(letter: string): string {
  return (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
}
