import type { Command } from "commander"
import { UsageError } from "../complain.ts"
import { everyCommand, flagsOf, type Outline, outlineOf } from "../outline.ts"
import { printLine } from "../print.ts"

const SHELLS: Readonly<Record<string, (outline: Outline) => string>> = { bash, zsh, fish }

/** Print a script that completes commands and options; files are completed where nothing else fits. */
export function completionCommand(shell: string, root: Command) {
  const write = SHELLS[shell]
  if (!write) throw new UsageError(`completion ${shell}: say ${Object.keys(SHELLS).join(", ")}`)
  printLine(write(outlineOf(root)))
}

function wordsOf(outline: Outline): string[] {
  return [...outline.commands.map(nameOf), ...outline.options.flatMap(flagsOf)]
}

function nameOf({ path }: Outline): string {
  return path.at(-1) ?? ""
}

/** A case for each command: what may follow it. */
function cases(outline: Outline, line: (path: string, words: string) => string): string {
  return everyCommand(outline)
    .map((one) => line(one.path.join(" "), wordsOf(one).join(" ")))
    .join("\n")
}

function bash(outline: Outline): string {
  const known = everyCommand(outline).map(({ path }) => path.join(" "))
  return `# compositor completion bash > /etc/bash_completion.d/compositor
_compositor() {
  local current=\${COMP_WORDS[COMP_CWORD]} path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${known
        .filter(Boolean)
        .map((path) => `"${path}"`)
        .join(" | ")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases(outline, (path, words) => `    "${path}") words="${words}" ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -o bashdefault -F _compositor compositor`
}

function zsh(outline: Outline): string {
  return `#compdef compositor
# compositor completion zsh > "\${fpath[1]}/_compositor"
_compositor() {
  local path="" word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path:+$path }$word" in
      ${everyCommand(outline)
        .map(({ path }) => path.join(" "))
        .filter(Boolean)
        .map((path) => `"${path}"`)
        .join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${everyCommand(outline)
  .map((one) => `    "${one.path.join(" ")}") offered=(${offers(one)}) ;;`)
  .join("\n")}
  esac
  _describe -o compositor offered || _files
}
compdef _compositor compositor`
}

function offers({ commands, options }: Outline): string {
  const said = [
    ...commands.map((one) => [nameOf(one), one.description]),
    ...options.flatMap((option) => flagsOf(option).map((flag) => [flag, option.description])),
  ]
  return said
    .map(([word = "", about = ""]) => quoted(`${word}:${about.replace(/:/g, ";")}`))
    .join(" ")
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\\\''")}'`
}

function fish(outline: Outline): string {
  const lines = everyCommand(outline).flatMap((one) => {
    const where = condition(one)
    const commands = one.commands.map(
      (child) =>
        `complete -c compositor -n ${where} -f -a ${nameOf(child)} -d ${fishText(child.description)}`,
    )
    const options = one.options.map((option) => {
      const flags = flagsOf(option).map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      )
      return `complete -c compositor -n ${where} ${flags.join(" ")} -d ${fishText(option.description)}`
    })
    return [...commands, ...options]
  })
  return [
    "# compositor completion fish > ~/.config/fish/completions/compositor.fish",
    ...lines,
  ].join("\n")
}

function condition({ path }: Outline): string {
  if (path.length === 0) return "__fish_use_subcommand"
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
  return fishText(seen.join("; and "))
}

function fishText(text: string): string {
  return `'${text.replace(/\\\\/g, "\\\\\\\\").replace(/'/g, "\\\\'")}'`
}
