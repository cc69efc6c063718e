import process from "node:process"
import { parseArgs } from "node:util"
import { type Ran, runEverything } from "./run-everything.ts"

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
  /** What it is called with by `--quick`. */
  readonly quick?: readonly string[]
  /** How long it may take where everything is run. */
  readonly minutes?: number
  /** Whether it went well. */
  run(values: OptionValues): Promise<boolean>
}

const USAGE_ERROR = 2

/** Run the jobs that the command line names here; or, where it names none, all of them, each in a
 *  process of its own: `keep` is told of each when it is done. Sets the exit code. */
export async function runByName(
  command: string,
  jobs: readonly Job[],
  args: readonly string[],
  keep: (ran: Ran) => void = () => undefined,
): Promise<readonly Ran[]> {
  const asked = parse(jobs, args)
  if (typeof asked === "string") complain(command, asked)
  else if (asked.values.help) console.log(helpOf(command, jobs))
  else if (asked.names.length === 0) return runAll(command, jobs, { ...asked.values, keep })
  else
    for (const job of jobs.filter(({ name }) => asked.names.includes(name)))
      if (!(await job.run(asked.values))) process.exitCode = 1
  return []
}

interface AllOptions {
  readonly only?: string | boolean | undefined
  readonly quick?: string | boolean | undefined
  readonly keep: (ran: Ran) => void
}

async function runAll(command: string, jobs: readonly Job[], { only, quick, keep }: AllOptions) {
  const names = typeof only === "string" ? only.split(",") : jobs.map(({ name }) => name)
  const stranger = names.find((name) => !jobs.some((job) => job.name === name))
  if (stranger !== undefined) {
    complain(command, `there is no "${stranger}"`)
    return []
  }
  const chosen = jobs.filter(({ name }) => names.includes(name))
  const tell = (ran: Ran) => {
    process.stderr.write(`\n${ran.name}: ${ran.outcome} after ${ran.seconds} s\n\n`)
    keep(ran)
  }
  const ran = await runEverything(process.argv[1] ?? "", chosen, { quick: quick === true, tell })
  if (ran.some(({ outcome }) => outcome !== "passed")) process.exitCode = 1
  return ran
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
      options: { ...options, help, only: { type: "string" }, quick: { type: "boolean" } },
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
  const all = "without a name, everything (--only a,b: some of it; --quick: smaller sizes)"
  return `npm run ${command} -- [name …] [options]; ${all}\n\n${lines.join("\n")}`
}
