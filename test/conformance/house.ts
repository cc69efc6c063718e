import { readFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { rulesIn } from "../../kit/conformance/rule.ts"
import { type RuleReport, runConformance } from "../../kit/conformance/run.ts"
import { SCENARIOS } from "../../kit/conformance/scenarios.ts"
import { serve } from "../../packages/server/serve.ts"
import { mkdir } from "node:fs/promises"
import { onTestFinished } from "vitest"
import { temporaryFolder } from "../build.ts"

export const MODEL = "anthropic/claude-sonnet-5-5"

export const RULES = rulesIn(await readFile(join(import.meta.dirname, "../../SPEC.md"), "utf8"))

export interface Tried {
  readonly url: string
  readonly token: string
  readonly model_port: number
}

/** Our own server, which asks the kit's model. */
export async function serverToTry(): Promise<Tried> {
  const folder = await temporaryFolder()
  const model_port = await freePort()
  for (const name of ["home", "workspace"]) await mkdir(join(folder, name))
  const running = await serve({
    data: join(folder, "data"),
    workspace: join(folder, "workspace"),
    registered: false,
    environment: {
      HOME: join(folder, "home"),
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "kit",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model_port}`,
    },
  })
  onTestFinished(() => running.close())
  return { url: running.url, token: running.token, model_port }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

export async function tried(at: Tried, only: readonly string[] = []): Promise<RuleReport[]> {
  return runConformance({ ...at, model: MODEL, rules: RULES, only })
}

/** All rules that are looked at together with this one. */
export function neighbours(id: string): string[] {
  const rules = SCENARIOS.filter((scenario) => scenario.rules.includes(id)).flatMap(
    (scenario) => scenario.rules,
  )
  return [...new Set(rules)]
}

export function broken(reports: readonly RuleReport[]): string[] {
  return reports.filter(({ verdict }) => verdict.type === "fail").map(({ rule }) => rule.id)
}
