// The Agent Client Protocol from both ends: an agent behind the proxy that lies, and an editor before our
// own agent that answers what it was not asked.

import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Lines, startLines } from "./outside/lines.ts"
import { ANTHROPIC, callInTurn, startModel } from "./outside/model.ts"
import { lie, openProxy } from "./outside/lying-agent.ts"
import { makeFolders, run, until } from "./outside/product.ts"

const MB = 1024 * 1024

describe("an agent behind the proxy", () => {
  it("[ACP-007] settles nothing by answers that nobody asked for, and writes into no other session", async () => {
    const { proxy, session, folders } = await openProxy()
    proxy.answers = () => ({ result: { outcome: { outcome: "cancelled" } } })
    const answer = await proxy.ask("session/prompt", lie(session, { lie: "answers" }))
    expect(answer.result).toEqual({ stopReason: "end_turn" })
    expect(JSON.stringify(proxy.heard)).toContain(
      'told: {\\"jsonrpc\\":\\"2.0\\",\\"result\\":{\\"outcome\\":{\\"outcome\\":\\"cancelled',
    )
    const answers = proxy.heard.filter(({ id, method }) => id !== undefined && method === undefined)
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(proxy.error).toContain("the agent answered what nobody had asked")
    await proxy.end()
    expect((await run(folders, ["export"])).out).not.toContain("FORGED-FOR-ANOTHER")
  })

  it("[ACP-007] breaks neither the editor's pipe nor the ledger by what it writes, however it ends", async () => {
    const { proxy, session } = await openProxy()
    const prompt = (about: object) => proxy.ask("session/prompt", lie(session, about))
    const strange = await prompt({ lie: "strange" })
    expect(strange.result, proxy.error).toEqual({ stopReason: "end_turn" })
    const said = proxy.heard.map(({ params }) => params?.update?.content?.text)
    expect(said).toContain("still here")
    expect((await prompt({ lie: "flood" })).result).toEqual({ stopReason: "end_turn" })
    expect((await prompt({ lie: "dies" })).error.message).toContain("exited with code 3")
    expect((await prompt({ lie: "long" })).error.message).toContain("before it answered")
    expect(proxy.error).toMatch(/the agent is stopped: a line is longer than \d+ bytes/)
    expect(proxy.broken).toEqual([])
    const { VmHWM } = await memoryOf(proxy)
    expect(VmHWM).toBeLessThan(700)
    expect(await proxy.end()).toBe(0)
  })

  it("[ACP-007] is not sent a line of the editor without end: the proxy ends with a sentence and a status", async () => {
    const { proxy } = await openProxy()
    await sendLongLine(proxy)
    expect(await proxy.ended).not.toBe(0)
    expect(proxy.error).toMatch(/a line is longer than \d+ bytes/)
  })
})

describe("an editor before our agent", () => {
  it("[ACP-004] settles a call only by an option that was offered for it, and once", async () => {
    const call = { name: "write", input: { path: "made.txt", content: "made" } }
    const model = await startModel(callInTurn(call))
    const folders = await makeFolders({ "root-secret": "ROOT-SECRET" })
    const agent = startLines(folders, ["acp", "-m", ANTHROPIC], model.environment)
    await agent.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const open = async () =>
      (await agent.ask("session/new", { cwd: folders.workspace, mcpServers: [] })).result.sessionId
    const [session, other] = [await open(), await open()]
    const prompt = [{ type: "text", text: "make it" }]
    const answers = [
      { result: { outcome: { outcome: "selected", optionId: "allow_everything" } } },
      { result: { outcome: { outcome: "selected", optionId: ["allow_once"] } } },
      { result: { outcome: { outcome: "approved" } } },
      { result: "allow_once" },
      { error: { code: 1, message: "no" } },
    ]
    for (const answer of answers) {
      agent.answers = (request) => {
        if (request.method !== "session/request_permission") return undefined
        // First for a question that was never asked, then a lie, then the truth, too late.
        const yes = { result: { outcome: { outcome: "selected", optionId: "allow_once" } } }
        agent.say({ id: 987_654, ...yes })
        agent.say({ id: `${request.id}`, ...yes })
        setTimeout(() => agent.say({ id: request.id, ...yes }), 20)
        return answer
      }
      const done = await agent.ask("session/prompt", { sessionId: session, prompt })
      expect(done, agent.error).toBeDefined()
      expect(agent.isGone, agent.error).toBe(false)
      expect(
        await readFile(join(folders.workspace, "made.txt"), "utf8").catch(() => null),
      ).toBeNull()
    }
    const resource_link = { type: "resource_link", name: "e", uri: "file:///proc/self/environ" }
    agent.answers = () => ({ result: { outcome: { outcome: "cancelled" } } })
    await agent.ask("session/prompt", { sessionId: other, prompt: [...prompt, resource_link] })
    const bodies = model.texts.join("")
    expect(bodies).not.toContain("sk-ant-loopback")
    expect(bodies).not.toContain(`HOME=${folders.home}`)
  })

  it("[ACP-004] that sends a line without end is told so on standard error, and by the status", async () => {
    const folders = await makeFolders()
    const agent = startLines(folders, ["acp", "-m", "mirror/mirror"])
    await agent.ask("initialize", { protocolVersion: 1, clientCapabilities: {} })
    await sendLongLine(agent)
    expect(await agent.ended).not.toBe(0)
    expect(agent.error).toMatch(/a line is longer than \d+ bytes/)
  })
})

/** More than a line may hold, and no end of it. */
async function sendLongLine(lines: Lines): Promise<void> {
  const piece = Buffer.alloc(MB, "x")
  for (let count = 0; count < 70 && !lines.isGone; count++) lines.write(piece)
  await until(() => lines.isGone, "it ended")
}

/** In megabytes. */
async function memoryOf({ pid }: Lines): Promise<{ VmHWM: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  return { VmHWM: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024 }
}
