import process from "node:process"
import { type CommonOptions, withConnection } from "../connect.ts"
import { version } from "../version.ts"
import { protocolOutput, tellLine } from "../print.ts"

interface AcpOptions extends CommonOptions {
  readonly model?: string
}

/** Be an agent until the editor hangs up. Turns that run in this process are finished all the same. */
export async function acpCommand(options: AcpOptions) {
  const { serveAgent } = await import("compositor-acp/stdio")
  const { model } = options
  await withConnection(options, async ({ client, idle }) => {
    const log = (text: string) => tellLine(`compositor: ${text}`)
    const pipes = { input: process.stdin, output: protocolOutput() }
    try {
      await serveAgent({ client, version: version(), model, log }, pipes)
    } finally {
      await idle()
    }
  })
}
