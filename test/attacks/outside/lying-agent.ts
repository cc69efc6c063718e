// An agent behind our ACP proxy that says what it is told to say, true or not.

import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { type Lines, startLines } from "./lines.ts"
import { type Folders, makeFolders } from "./product.ts"

const AGENT = join(import.meta.dirname, "lying-agent.mjs")

export async function openProxy(): Promise<{ proxy: Lines; session: string; folders: Folders }> {
  const folders = await makeFolders()
  await mkdir(join(folders.workspace, "sub"))
  const words = ["acp-proxy", "--agent", "native", "--", process.execPath, AGENT]
  const proxy = startLines(folders, words)
  await proxy.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const about = { cwd: folders.workspace, mcpServers: [] }
  const { result } = await proxy.ask("session/new", about)
  return { proxy, session: result.sessionId, folders }
}

export function lie(sessionId: string, about: object) {
  return { sessionId, prompt: [{ type: "text", text: JSON.stringify(about) }] }
}
