import { readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Message } from "../attacks/outside/lines.ts"
import { lie, openProxy } from "../attacks/outside/lying-agent.ts"

describe("an agent behind the proxy", () => {
  it("[ACP-007] reaches files and programs by the editor's word alone", async () => {
    const { proxy, session, folders } = await openProxy()
    const secret = join(folders.root, "secret")
    await writeFile(secret, "untouched")
    await symlink(secret, join(folders.workspace, "link"))
    const paths = [
      secret,
      join(folders.workspace, "..", "secret"),
      join(folders.workspace, "link"),
      `file://${folders.workspace}/%2e%2e/secret`,
      "/proc/self/environ",
    ]
    const asked: Message[] = []
    proxy.answers = (request) => {
      asked.push(request)
      return { error: { code: -32602, message: "not in the workspace" } }
    }
    const answer = await proxy.ask("session/prompt", lie(session, { lie: "files", paths }))
    expect(answer.result).toEqual({ stopReason: "end_turn" })
    expect(asked.map(({ params }) => params.path).filter(Boolean)).toEqual(
      paths.flatMap((path) => [path, path]),
    )
    expect(asked.at(-1).method).toBe("terminal/create")
    expect(await readFile(secret, "utf8")).toBe("untouched")
  })
})
