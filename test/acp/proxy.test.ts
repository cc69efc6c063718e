import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { methods } from "@agentclientprotocol/sdk"
import { describe, expect, it } from "vitest"
import { openHost } from "../../packages/engine/host/host.ts"
import { png, temporaryFolder } from "../build.ts"
import { until } from "../session/house.ts"
import { type Editor, type EditorOptions, start } from "./editor.ts"
import { MAIN } from "../program.ts"

const MOCK = join(import.meta.dirname, "mock-agent.ts")
const { session: at } = methods.agent

interface Setting {
  readonly agent?: string
  readonly capabilities?: object
  readonly editor?: EditorOptions
}

/** An editor, our proxy, and a mock agent behind it: three processes. */
async function stand({ agent = "native", capabilities = {}, editor: options = {} }: Setting = {}) {
  const folder = await temporaryFolder()
  const data = join(folder, "data")
  const workspace = join(folder, "workspace")
  await mkdir(workspace)
  await writeFile(join(workspace, "a.py"), "print(1)\n")
  await writeFile(join(workspace, "b.png"), png(2, 2))
  const args = [MAIN, "acp-proxy", "--agent", agent, "--data", data, "--", process.execPath, MOCK]
  const env = { ...process.env, MOCK_CAPABILITIES: JSON.stringify(capabilities) }
  const { editor, child, stderr } = start(process.execPath, args, { env, editor: options })
  await editor.initialize()
  const session = await editor.open(workspace)
  const hangUp = async () => {
    const over = new Promise((resolve) => child.once("exit", resolve))
    child.stdin?.end()
    return over
  }
  return { data, workspace, editor, session, child, stderr, hangUp }
}

function prompt(editor: Editor, sessionId: string, text: string, attachments?: readonly object[]) {
  return editor.agent.request(at.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
    ...(attachments ? { _meta: { "sandboxagent.dev": { attachments } } } : {}),
  })
}

/** What the mock says that it received last. */
function received(editor: Editor) {
  const { content } = editor.updates("agent_message_chunk").at(-1) ?? {}
  return JSON.parse((content as { text: string }).text) as {
    prompt: unknown[]
    _meta?: unknown
    [name: string]: unknown
  }
}

describe("the ACP proxy", { timeout: 60_000 }, () => {
  it("[ATT-008] passes a prompt without attachments on as it is", async () => {
    const { editor, session } = await stand()
    expect(await prompt(editor, session, "hello")).toEqual({ stopReason: "end_turn" })
    expect(received(editor)).toEqual({
      sessionId: session,
      prompt: [{ type: "text", text: "hello" }],
    })
  })

  it("[ATT-003] appends a link for each attachment, and passes _meta on unchanged", async () => {
    const { editor, session, workspace } = await stand()
    const attachments = [
      { path: join(workspace, "a.py"), mime: "text/x-python", filename: "first.py" },
      { path: "b.png", anything: { more: 1 } },
    ]
    await prompt(editor, session, "look", attachments)
    expect(received(editor)).toEqual({
      sessionId: session,
      prompt: [
        { type: "text", text: "look" },
        {
          type: "resource_link",
          uri: `file://${workspace}/a.py`,
          name: "first.py",
          mimeType: "text/x-python",
          size: 9,
        },
        {
          type: "resource_link",
          uri: `file://${workspace}/b.png`,
          name: "b.png",
          mimeType: "image/png",
          size: png(2, 2).length,
        },
      ],
      _meta: { "sandboxagent.dev": { attachments } },
    })
  })

  it.each(["native", "opencode", "codex"])(
    "[ATT-003] gives %s an image as a block where it takes images",
    async (agent) => {
      const capabilities = { promptCapabilities: { image: true } }
      const { editor, session, workspace } = await stand({ agent, capabilities })
      await prompt(editor, session, "look", [{ path: "b.png" }, { path: "a.py" }])
      expect(received(editor).prompt).toEqual([
        { type: "text", text: "look" },
        {
          type: "image",
          data: png(2, 2).toString("base64"),
          mimeType: "image/png",
          uri: `file://${workspace}/b.png`,
        },
        { type: "resource_link", uri: `file://${workspace}/a.py`, name: "a.py", size: 9 },
      ])
    },
  )

  it("[ATT-003] appends nothing for an agent that reads the extension itself", async () => {
    const capabilities = { _meta: { "sandboxagent.dev": { attachments: true } } }
    const { editor, session } = await stand({ capabilities })
    await prompt(editor, session, "look", [{ path: "a.py" }])
    expect(received(editor).prompt).toEqual([{ type: "text", text: "look" }])
    expect(received(editor)._meta).toEqual({
      "sandboxagent.dev": { attachments: [{ path: "a.py" }] },
    })
  })

  it.each(["claude", "text"])("[ATT-004] names the paths in the text for %s", async (agent) => {
    const { editor, session, workspace } = await stand({ agent })
    await prompt(editor, session, "look", [{ path: `${workspace}/a.py` }, { path: "b.png" }])
    expect(received(editor).prompt).toEqual([
      { type: "text", text: `look\n\nAttachments:\n- ${workspace}/a.py\n- b.png\n` },
    ])
  })

  it("[ATT-009] refuses bad attachments by name, and passes nothing on", async () => {
    const { editor, session, workspace } = await stand()
    await symlink("/etc/passwd", join(workspace, "link"))
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ mime: "x/y" }, /attachments\/1: path is missing/],
      [{ path: "/etc/passwd" }, /attachments\/1: \/etc\/passwd lies outside/],
      [{ path: "../workspace/../../x" }, /attachments\/1: .* there is no such file/],
      [{ path: "link" }, /attachments\/1: link lies outside/],
      [{ path: "nope.py" }, /attachments\/1: nope\.py: there is no such file/],
      [{ path: "." }, /attachments\/1: \. is not a regular file/],
      [{ path: "/dev/zero" }, /attachments\/1: \/dev\/zero is not a regular file/],
    ]
    for (const [attachment, words] of cases)
      await expect(
        prompt(editor, session, "look", [{ path: "a.py" }, attachment]),
      ).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(words),
        data: expect.objectContaining({ item: 1 }),
      })
    const many = Array.from({ length: 101 }, () => ({ path: "a.py" }))
    await expect(prompt(editor, session, "look", many)).rejects.toMatchObject({
      message: expect.stringMatching(/at most 100 attachments/),
    })
    expect(editor.updates("agent_message_chunk")).toEqual([])
  })

  it("[ATT-008] keeps what passed as a session, with receipts", async () => {
    const { editor, session, data, workspace, hangUp } = await stand()
    await prompt(editor, session, "look", [{ path: "a.py" }])
    expect(await hangUp()).toBe(0)
    const host = await openHost({ data, workspace: null, environment: {}, turns: false })
    const [kept] = await host.store.sessions({ limit: 10, archived: false, ephemeral: false })
    expect(kept).toMatchObject({
      agent: "acp:native",
      workspace_root: workspace,
      title: "look",
      metadata: { acp: { agent: "native", session_id: session } },
    })
    const { messages } = await host.store.history(kept?.id ?? "", { limit: 10 })
    expect(messages.map(({ role, parts }) => [role, parts.map(({ data }) => data)])).toMatchObject([
      [
        "user",
        [
          { type: "text", text: "look" },
          { type: "file-ref", ref: { kind: "path", path: "a.py" } },
        ],
      ],
      ["assistant", [{ type: "text", text: expect.stringContaining('"resource_link"') }]],
    ])
    const [turn] = await host.store.turns(kept?.id ?? "")
    expect(turn).toMatchObject({ state: "finished", api: "acp" })
    const receipts = await host.store.receipts(kept?.id ?? "", turn?.id ?? "")
    expect(receipts.map(({ type, outcome, rule }) => [type, outcome, rule])).toEqual([
      ["text", "inlined", "ATT-003"],
      ["file-ref", "descriptor", "ATT-003"],
    ])
    await host.close()
  })

  it("[BEY-04] passes nothing on that the policy keeps out", async () => {
    const { editor, session, workspace } = await stand()
    await writeFile(join(workspace, ".env"), "KEY=1\n")
    await expect(prompt(editor, session, "look", [{ path: ".env" }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^attachments\/0: \.env/),
      data: expect.objectContaining({ item: 0 }),
    })
  })

  it("passes the agent's own requests to the editor, and its answers back", async () => {
    const { editor, session } = await stand({ editor: { choose: () => "yes" } })
    await prompt(editor, session, "ask")
    expect(editor.asked).toMatchObject([{ options: [{ optionId: "yes" }] }])
    expect(editor.updates("tool_call_update")[0]?.rawOutput).toContain('"optionId":"yes"')
  })

  it("passes cancelling on", async () => {
    const { editor, session } = await stand()
    const slow = prompt(editor, session, "slow")
    await until(() => editor.told.length >= 0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await editor.agent.notify(at.cancel, { sessionId: session })
    expect(await slow).toEqual({ stopReason: "end_turn" })
  })

  it("starts an agent that died again, says so, and takes its sessions up", async () => {
    const { editor, session, stderr } = await stand({ capabilities: { loadSession: true } })
    await prompt(editor, session, "first")
    await expect(prompt(editor, session, "die")).rejects.toMatchObject({
      code: -32603,
      message: "the agent exited with code 3 before it answered; it was started again",
    })
    const before = editor.updates("agent_message_chunk").length
    expect(await prompt(editor, session, "again")).toEqual({ stopReason: "end_turn" })
    // The history that the agent told us while it was taken up is not told to the editor again.
    expect(editor.updates("agent_message_chunk")).toHaveLength(before + 1)
    expect(stderr()).toContain("exited with code 3; it is started again")
  })

  it("gives up on an agent that cannot be kept alive, with a sentence", async () => {
    const folder = await temporaryFolder()
    const args = [MAIN, "acp-proxy", "--data", folder, "--", "/no/such/agent"]
    const { child, stderr } = start(process.execPath, args)
    const code = await new Promise((resolve) => child.once("exit", resolve))
    expect(code).toBe(1)
    expect(stderr()).toContain("/no/such/agent cannot be started")
    expect(stderr()).toContain("it is not started again")
  })

  it("holds the agent back while the editor does not read", async () => {
    const { editor, session } = await stand()
    const { stopReason } = await prompt(editor, session, "flood")
    expect(stopReason).toBe("end_turn")
    expect(editor.updates("agent_message_chunk")).toHaveLength(2001)
  })
})
