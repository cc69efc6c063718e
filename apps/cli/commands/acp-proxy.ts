import { resolve } from "node:path"
import process from "node:process"
import { type CommonOptions, dataFolder } from "../connect.ts"
import { UsageError } from "../complain.ts"
import { HostLedger } from "../foreign/ledger.ts"
import { protocolOutput, tell, tellLine } from "../print.ts"

interface AcpProxyOptions extends CommonOptions {
  readonly agent: string
  readonly root?: readonly string[]
}

/** Stand between an editor and another agent, and keep what passes. */
export async function acpProxyCommand(command: readonly string[], options: AcpProxyOptions) {
  const { runProxy } = await import("compositor-acp/proxy/proxy")
  const { AGENTS, isAgentName } = await import("compositor-acp/proxy/transform")
  const { agent } = options
  const [program, ...args] = command
  if (!isAgentName(agent))
    throw new UsageError(`--agent ${agent}: say ${Object.keys(AGENTS).join(", ")}`)
  if (program === undefined)
    throw new UsageError("which agent is to be started? acp-proxy --agent native -- <command>")
  const { openHost } = await import("compositor-engine/host/host")
  const log = (text: string) => tellLine(`compositor: ${text}`)
  const host = await openHost({
    data: dataFolder(options),
    workspace: null,
    environment: process.env,
    turns: false,
  })
  // Who ends us ends the agent too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.stdin.destroy())
  await runProxy({
    agent,
    command: program,
    args,
    environment: process.env,
    input: process.stdin,
    output: protocolOutput(),
    roots: (options.root ?? []).map((root) => resolve(root)),
    ledger: new HostLedger({ host, agent, log }),
    log,
    tell,
  })
}
