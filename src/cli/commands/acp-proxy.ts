import { resolve } from "node:path"
import process from "node:process"
import { type CommonOptions, dataFolder } from "../connect.ts"
import { UsageError } from "../complain.ts"
import { HostLedger } from "../foreign/ledger.ts"

export interface AcpProxyOptions extends CommonOptions {
  readonly agent: string
  readonly root?: readonly string[]
}

/** Stand between an editor and another agent, and keep what passes. */
export async function acpProxyCommand(command: readonly string[], options: AcpProxyOptions) {
  const { runProxy } = await import("../../acp/proxy/proxy.ts")
  const { AGENT_FORMS } = await import("../../acp/proxy/transform.ts")
  const [program, ...args] = command
  const agent = (Object.keys(AGENT_FORMS) as (keyof typeof AGENT_FORMS)[]).find(
    (name) => name === options.agent,
  )
  if (!agent)
    throw new UsageError(`--agent ${options.agent}: say ${Object.keys(AGENT_FORMS).join(", ")}`)
  if (program === undefined)
    throw new UsageError("which agent is to be started? acp-proxy --agent native -- <command>")
  const { openHost } = await import("../../host.ts")
  const log = (text: string) => process.stderr.write(`compositor: ${text}\n`)
  const host = await openHost({
    data: dataFolder(options),
    workspace: null,
    environment: process.env,
    turns: false,
  })
  await runProxy({
    agent,
    command: program,
    args,
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    roots: (options.root ?? []).map((root) => resolve(root)),
    ledger: new HostLedger({ host, agent: options.agent, log }),
    log,
  })
}
