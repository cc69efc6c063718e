import process from "node:process"
import { parseArgs } from "node:util"

export interface JobOption {
  readonly name: string
  readonly type: "string" | "boolean"
  readonly summary: string
}

export type OptionValues = Readonly<Record<string, string | boolean | undefined>>

/** Something `npm run bench` or `npm run torture` can do. */
export interface Job {
  readonly name: string
  readonly summary: string
  readonly options: readonly JobOption[]
  /** Whether it went well. */
  run(values: OptionValues): Promise<boolean>
}

const USAGE_ERROR = 2

/** Run the jobs that the command line names, or all of them, and set the exit code. */
export async function runByName(command: string, jobs: readonly Job[], args: readonly string[]) {
  const asked = parse(jobs, args)
  if (typeof asked === "string") return complain(command, asked)
  if (asked.values.help) return console.log(helpOf(command, jobs))
  const chosen =
    asked.names.length === 0 ? jobs : jobs.filter(({ name }) => asked.names.includes(name))
  for (const job of chosen) if (!(await job.run(asked.values))) process.exitCode = 1
}

interface Asked {
  readonly names: readonly string[]
  readonly values: OptionValues
}

function parse(jobs: readonly Job[], args: readonly string[]): Asked | string {
  const options = Object.fromEntries(jobs.flatMap((job) => job.options).map(typeOf))
  try {
    const help = { type: "boolean", short: "h" } as const
    const parsed = parseArgs({
      args: [...args],
      options: { ...options, help },
      allowPositionals: true,
    })
    const stranger = parsed.positionals.find((name) => !jobs.some((job) => job.name === name))
    if (stranger === undefined) return { names: parsed.positionals, values: parsed.values }
    return `there is no "${stranger}"; there is ${jobs.map(({ name }) => name).join(", ")}`
  } catch (error) {
    return (error as Error).message
  }
}

function typeOf({ name, type }: JobOption) {
  return [name, { type }] as const
}

function complain(command: string, message: string) {
  console.error(`${command}: ${message}\nnpm run ${command} -- --help says more.`)
  process.exitCode = USAGE_ERROR
}

function helpOf(command: string, jobs: readonly Job[]): string {
  const lines = jobs.flatMap((job) => [
    `  ${job.name.padEnd(18)}${job.summary}`,
    ...job.options.map(({ name, summary }) => `    --${name.padEnd(14)}${summary}`),
  ])
  return `npm run ${command} -- [name …] [options]; without a name, everything\n\n${lines.join("\n")}`
}
