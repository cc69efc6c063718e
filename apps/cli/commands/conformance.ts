import { readFile } from "node:fs/promises"
import { UsageError } from "../complain.ts"
import { isWatched, printJson, printLine, tellLine } from "../print.ts"

interface ConformanceOptions {
  readonly token?: string
  readonly only?: readonly string[]
  readonly json?: boolean
  readonly model: string
  readonly modelPort: string
  readonly spec?: string
}

const SPEC = new URL("../../../SPEC.md", import.meta.url)

/** Hold any server that speaks our interface against the rules, and print a table by id. */
export async function conformanceCommand(url: string, options: ConformanceOptions) {
  const { rulesIn } = await import("compositor-conformance/rule")
  const { runConformance } = await import("compositor-conformance/run")
  const { counts, showReport } = await import("compositor-conformance/report")
  const rules = rulesIn(await readFile(options.spec ?? SPEC, "utf8"))
  const only = options.only ?? []
  const unknown = only.filter((id) => !rules.some((rule) => rule.id === id))
  if (unknown.length > 0) throw new UsageError(`--only ${unknown.join(" ")}: there is no such rule`)
  const reports = await runConformance({
    url,
    token: tokenOf(options),
    model: options.model,
    model_port: portOf(options.modelPort),
    rules,
    only,
    ...(isWatched() && !options.json ? { tell: tellLine } : {}),
  })
  if (options.json) printJson({ url, counts: counts(reports), rules: reports })
  else printLine(showReport(reports))
  const { fail, "not-run": missed } = counts(reports)
  process.exitCode = fail > 0 ? 1 : missed > 0 ? 3 : 0
}

function tokenOf({ token = process.env.COMPOSITOR_TOKEN }: ConformanceOptions): string {
  if (token) return token
  throw new UsageError("a server is asked with its token: --token or COMPOSITOR_TOKEN")
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new UsageError(`--model-port ${text}: a port is a number from 0 to 65535`)
}
