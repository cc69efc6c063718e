import { type ChildProcess, spawn, type StdioOptions } from "node:child_process"
import { openSync, readdirSync, readFileSync } from "node:fs"

interface ContainedOptions {
  /** What its first descriptors are; it has no others. */
  readonly stdio: readonly ("ignore" | "pipe")[]
  /** All of its variables. */
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Start a program that gets nothing of ours but what is named: no variable, and no descriptor that
 *  whoever started us left open. Whatever reads hostile bytes or runs hostile words starts here. */
export function startContained(
  program: string,
  args: readonly string[],
  { stdio, environment = {}, cwd }: ContainedOptions,
): ChildProcess {
  return spawn(program, args, {
    stdio: withNothingElse(stdio),
    env: { ...environment },
    ...(cwd === undefined ? {} : { cwd }),
  })
}

let handedOn: readonly number[] | undefined
let nothing: number | undefined

/** Node closes what it opened itself, and the first few that it inherited. Over each of the rest lies
 *  /dev/null. */
function withNothingElse(stdio: ContainedOptions["stdio"]): StdioOptions {
  handedOn ??= inheritable()
  const all: ("ignore" | "pipe" | number)[] = [...stdio]
  for (const fd of handedOn) {
    if (fd < stdio.length) continue
    nothing ??= openSync("/dev/null", "r")
    while (all.length < fd) all.push("ignore")
    all[fd] = nothing
  }
  return all
}

const CLOSED_ON_EXEC = 0o2000000

/** Descriptors of this process that a child would inherit, beyond the three that it always has. */
function inheritable(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo")
      .map(Number)
      .filter((fd) => fd > 2 && isHandedOn(fd))
      .toSorted((a, b) => a - b)
  } catch {
    return [] // Only Linux tells.
  }
}

function isHandedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    return false // It was closed meanwhile: the one that listed the folder is among them.
  }
}
