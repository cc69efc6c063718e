import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type ContentBlock, methods } from "@agentclientprotocol/sdk"
import { describe, expect, it } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import { createApp } from "../../packages/server/app.ts"
import { png } from "../build.ts"
import { gate, type House, until } from "../session/house.ts"
import { ask, caller, look, pay } from "../session/tools.ts"
import { type Met, meet } from "./editor.ts"

const { session: at } = methods.agent

async function history({ host }: House, id: string): Promise<readonly StoredMessage[]> {
  return (await host.store.history(id, { limit: 500 })).messages
}

/** The parts of the last thing that a person said. */
async function said(house: House, id: string) {
  const users = (await history(house, id)).filter(({ role }) => role === "user")
  return (users.at(-1)?.parts ?? []).map(({ data }) => data)
}

function prompt({ editor }: Met, sessionId: string, ...blocks: ContentBlock[]) {
  return editor.agent.request(at.prompt, { sessionId, prompt: blocks })
}

const text = (words: string): ContentBlock => ({ type: "text", text: words })

describe("the ACP agent", () => {
  it("[ACP-001] [ACP-002] says truly what it can do", async () => {
    const { editor } = await meet()
    const answer = await editor.initialize()
    expect(answer).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "compositor", title: "Compositor", version: "0.0.0" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        _meta: { "sandboxagent.dev": { attachments: true } },
      },
      authMethods: [],
    })
  })

  it("[ACP-003] answers a prompt in chunks and says why it stopped", async () => {
    const { editor, workspace } = await meet({
      script: [{ reasoning: "hm" }, { text: "Hel" }, { text: "lo" }],
    })
    const session = await editor.open(workspace)
    expect(await editor.say(session, "hi")).toEqual({ stopReason: "end_turn" })
    expect(editor.answer).toBe("Hello")
    expect(editor.updates("agent_thought_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "hm" },
    ])
    expect(editor.updates("usage_update")).toEqual([
      { sessionUpdate: "usage_update", used: expect.any(Number), size: 200_000 },
    ])
  })

  it("[ACP-002] [ATT-010] makes of every block the right part, in order", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace } = met
    await mkdir(join(workspace, "src"))
    await writeFile(join(workspace, "src", "a.ts"), "one\ntwo\nthree\n")
    const session = await editor.open(workspace)
    await prompt(
      met,
      session,
      text("look at "),
      { type: "image", data: png(4, 4).toString("base64"), mimeType: "image/png" },
      { type: "resource_link", uri: `file://${workspace}/src/a.ts#L2-3`, name: "a.ts" },
      { type: "resource_link", uri: `file://${workspace}/src/a.ts#L1:2`, name: "a.ts" },
      text(" and /never "),
      { type: "audio", data: "UklGRgAAAABXQVZF", mimeType: "audio/wav" },
      {
        type: "resource",
        resource: { uri: "file:///elsewhere/notes.md", mimeType: "text/markdown", text: "# hi" },
      },
    )
    expect(await said(met, session)).toMatchObject([
      { type: "text", text: "look at " },
      { type: "file-attachment", mime: "image/png", name: "image.png" },
      { type: "file-ref", ref: { kind: "path", path: "src/a.ts", range: { start: 2, end: 3 } } },
      { type: "file-ref", ref: { kind: "path", path: "src/a.ts", range: { start: 1, end: 2 } } },
      { type: "text", text: " and /never " },
      { type: "file-attachment", mime: expect.stringContaining("audio/"), name: "audio.wav" },
      { type: "file-attachment", name: "notes.md", uri: "file:///elsewhere/notes.md" },
    ])
    expect(editor.answer).toBe("ok")
  })

  it("[CMP-004] keeps of typed text what every other surface keeps", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, host, workspace } = met
    await writeFile(join(workspace, "a.ts"), "one\ntwo\n")
    const session = await editor.open(workspace)
    await editor.say(session, "/search cats and @a.ts#L1-2 too")
    const app = createApp(host, { rules: null })
    const ours = createClient({
      url: "http://in.process",
      token: "none",
      fetch: (url, init) => app.request(url, init),
    })
    const { session: other } = await ours.sessions.create({ workspace_root: workspace })
    await ours.send(other.id, { source: "/search cats and @a.ts#L1-2 too" })
    const unnamed = (parts: readonly object[]) =>
      parts.map((part) => ({ ...part, ...("derived_from" in part ? { derived_from: "x" } : {}) }))
    expect(unnamed(await said(met, session))).toEqual(unnamed(await said(met, other.id)))
  })

  it("[CMP-044] passes an unknown command through as typed, and tells so", async () => {
    const met = await meet({ script: ({ newest }) => [{ text: JSON.stringify(newest?.blocks) }] })
    const session = await met.editor.open(met.workspace)
    await met.editor.say(session, "/nobody knows this")
    expect(met.editor.answer).toContain("/nobody knows this")
    expect(met.editor.updates("notice")).toHaveLength(1)
  })

  it("[ATT-001] [ATT-002] takes attachments by path from _meta, behind the prompt", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace } = met
    await writeFile(join(workspace, "a.py"), "print(1)\n")
    await writeFile(join(workspace, "b.png"), png(2, 2))
    const session = await editor.open(workspace)
    const attachments = [
      { path: join(workspace, "a.py"), mime: "text/x-python", filename: "first.py" },
      { path: `file://${workspace}/b.png` },
    ]
    await editor.agent.request(at.prompt, {
      sessionId: session,
      prompt: [text("Review this file")],
      _meta: { "sandboxagent.dev": { attachments } },
    })
    expect(await said(met, session)).toMatchObject([
      { type: "text", text: "Review this file" },
      { type: "file-attachment", name: "first.py" },
      { type: "file-attachment", name: "b.png", mime: "image/png" },
    ])
  })

  it("[ATT-001] reads the string form of a prompt", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const session = await met.editor.open(met.workspace)
    const params = { sessionId: session, content: "Review this file" }
    met.write({ jsonrpc: "2.0", id: "raw-1", method: "session/prompt", params })
    await until(() => met.lines.some((line) => line.includes('"raw-1"')))
    expect(met.lines.find((line) => line.includes('"raw-1"'))).toContain('"end_turn"')
    expect(await said(met, session)).toMatchObject([{ type: "text", text: "Review this file" }])
  })

  it.each([
    ["no path", [{ path: "a.py" }, { mime: "text/plain" }], 1, /attachments\/1: path is missing/],
    ["a missing file", [{ path: "a.py" }, { path: "b.py" }], 1, /attachments\/1.*b\.py/],
    ["a path outside", [{ path: "/etc/passwd" }], 0, /attachments\/0.*passwd/],
    ["a folder", [{ path: "a.py" }, { path: "." }], 1, /attachments\/1/],
    ["too many", Array.from({ length: 101 }, () => ({ path: "a.py" })), 100, /at most 100/],
  ])("[ATT-009] refuses %s by name, and sends nothing", async (_, attachments, item, words) => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace } = met
    await writeFile(join(workspace, "a.py"), "print(1)\n")
    const session = await editor.open(workspace)
    const _meta = { "sandboxagent.dev": { attachments } }
    const refused = editor.agent.request(at.prompt, {
      sessionId: session,
      prompt: [text("hi")],
      _meta,
    })
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(words),
      data: expect.objectContaining({ item }),
    })
    expect(await history(met, session)).toEqual([])
  })

  it("[UX-001] queues 200 prompts that come mid-turn and answers them all in order", async () => {
    const held = gate()
    const met = await meet({
      script: ({ newest }) => {
        const words = (newest?.blocks[0] as { text?: string } | undefined)?.text ?? ""
        const reply = { text: `<${words}>` }
        return words === "first" ? [{ wait: held.wait }, reply] : [reply]
      },
    })
    const { editor, workspace } = met
    const session = await editor.open(workspace)
    const first = editor.say(session, "first")
    const over: number[] = []
    const prompts = Array.from({ length: 200 }, (_, n) =>
      editor.say(session, `n${n}`).then(({ stopReason }) => {
        over.push(n)
        return stopReason
      }),
    )
    await until(async () => (await met.host.store.queuedCount(session)) === 200)
    held.open()
    expect(await first).toEqual({ stopReason: "end_turn" })
    expect(new Set(await Promise.all(prompts))).toEqual(new Set(["end_turn"]))
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    expect(over).toEqual(numbers)
    expect(editor.answer).toBe(`<first>${numbers.map((n) => `<n${n}>`).join("")}`)
  }, 60_000)

  it("[UXH-002] stops the turn that runs, not what waits", async () => {
    const held = gate()
    const met = await meet({
      script: ({ newest }) =>
        JSON.stringify(newest).includes("long")
          ? [{ text: "be" }, { wait: held.wait }, { text: "gun" }]
          : [{ text: "short" }],
    })
    const session = await met.editor.open(met.workspace)
    const long = met.editor.say(session, "long")
    await until(() => met.editor.answer === "be")
    const next = met.editor.say(session, "next")
    await until(async () => (await met.host.store.queuedCount(session)) === 1)
    await met.editor.agent.notify(at.cancel, { sessionId: session })
    expect(await long).toEqual({ stopReason: "cancelled" })
    expect(await next).toEqual({ stopReason: "end_turn" })
    expect(met.editor.answer).toBe("beshort")
  })

  it("withdraws one prompt that waits when its request is cancelled", async () => {
    const held = gate()
    const met = await meet({ script: [{ wait: held.wait }, { text: "ok" }] })
    const session = await met.editor.open(met.workspace)
    const first = met.editor.say(session, "first")
    const stop = new AbortController()
    const second = met.editor.agent.request(
      at.prompt,
      { sessionId: session, prompt: [text("second")] },
      { cancellationSignal: stop.signal },
    )
    await until(async () => (await met.host.store.queuedCount(session)) === 1)
    stop.abort()
    expect(await second).toEqual({ stopReason: "cancelled" })
    held.open()
    expect(await first).toEqual({ stopReason: "end_turn" })
  })

  it("[ACP-003] tells why a turn stopped, and what failed", async () => {
    const met = await meet({
      script: [{ error: { code: "overloaded", message: "too busy", retryable: false } }],
    })
    const session = await met.editor.open(met.workspace)
    await expect(met.editor.say(session, "hi")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("too busy"),
    })
  })

  it("[ACP-003] [ACP-005] shows tool calls with their kinds, places and results", async () => {
    const met = await meet({
      tools: [look()],
      script: caller([{ name: "look", input: { at: "a" } }]),
    })
    const session = await met.editor.open(met.workspace)
    await met.editor.say(session, "look around")
    const [call] = met.editor.updates("tool_call")
    expect(call).toMatchObject({ name: "look", kind: "other", status: "pending" })
    const states = met.editor.updates("tool_call_update").map(({ status }) => status)
    expect(states.at(-1)).toBe("completed")
    expect(met.editor.updates("tool_call_update").at(-1)).toMatchObject({
      toolCallId: "step1call0",
      rawInput: { at: "a" },
      content: [{ type: "content", content: { type: "text", text: "saw a" } }],
    })
  })

  it.each([
    ["allow_once", "paid", 0],
    ["allow_always", "paid", 1],
    ["reject_once", "error", 0],
    ["reject_always", "error", 1],
  ])("[ACP-004] asks for permission and carries %s back", async (choice, outcome, rules) => {
    const met = await meet(
      { tools: [pay()], script: caller([{ name: "pay", input: { whom: "ann" } }]) },
      { choose: () => choice },
    )
    const { editor } = met
    const session = await editor.open(met.workspace)
    expect(await editor.say(session, "pay ann")).toEqual({ stopReason: "end_turn" })
    expect(editor.asked).toHaveLength(1)
    expect(editor.asked[0]).toMatchObject({
      sessionId: session,
      toolCall: { toolCallId: "step1call0", title: expect.stringContaining("pay") },
      options: [
        { kind: "allow_once" },
        { kind: "allow_always" },
        { kind: "reject_once" },
        { kind: "reject_always" },
      ],
    })
    expect(editor.answer).toContain(outcome)
    const { permissions } = (await met.host.store.session(session)) ?? { permissions: [] }
    expect(permissions).toHaveLength(rules)
  })

  it("[ACP-004] takes its question back when another surface answers", async () => {
    const met = await meet(
      { tools: [pay()], script: caller([{ name: "pay", input: { whom: "ann" } }]) },
      { choose: () => new Promise(() => undefined) },
    )
    const session = await met.editor.open(met.workspace)
    const answer = met.editor.say(session, "pay ann")
    await until(() => met.editor.asked.length === 1)
    const turn = await met.host.store.latestTurn(session)
    await met.host.resolveCall(session, turn?.id ?? "", {
      call_id: "step1call0",
      resolution: { type: "approve" },
      always: false,
    })
    expect(await answer).toEqual({ stopReason: "end_turn" })
    expect(met.editor.answer).toContain("paid")
  })

  it("[ACP-001] keeps a session's mode, and lets it answer", async () => {
    const met = await meet({
      tools: [pay()],
      script: caller([{ name: "pay", input: { whom: "ann" } }]),
    })
    const { editor } = met
    const opened = await editor.agent.request(at.new, { cwd: met.workspace, mcpServers: [] })
    expect(opened.modes?.currentModeId).toBe("ask")
    const { sessionId } = opened
    await editor.agent.request(at.setMode, { sessionId, modeId: "allow" })
    await until(() => editor.updates("current_mode_update").length === 1)
    await editor.say(sessionId, "pay ann")
    expect(editor.asked).toEqual([])
    expect(editor.answer).toContain("paid")
    await expect(
      editor.agent.request(at.setMode, { sessionId, modeId: "sudo" }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("sudo") })
  })

  it("[TOL-005] asks a question by a form, and carries the answer back", async () => {
    const input = { questions: [{ question: "Which colour?" }] }
    const met = await meet(
      { tools: [ask], script: caller([{ name: "question", input }]) },
      {
        capabilities: { elicitation: { form: {} } },
        elicit: () => ({ action: "accept", content: { answer_0: "green" } }),
      },
    )
    const session = await met.editor.open(met.workspace)
    await met.editor.say(session, "ask me")
    expect(met.editor.answer).toContain("green")
  })

  it("[ACP-004] replays history on load, and nothing on resume", async () => {
    const met = await meet({ script: ({ newest }) => [{ text: `echo ${newest?.blocks.length}` }] })
    const { editor, workspace } = met
    const session = await editor.open(workspace)
    for (let n = 0; n < 3; n++) await editor.say(session, `message ${n}`)
    await editor.agent.request(at.close, { sessionId: session })
    editor.told.length = 0
    await editor.agent.request(at.resume, { sessionId: session, cwd: workspace })
    expect(editor.updates("user_message_chunk")).toEqual([])
    await editor.agent.request(at.close, { sessionId: session })
    editor.told.length = 0
    await editor.agent.request(at.load, { sessionId: session, cwd: workspace, mcpServers: [] })
    const shown = editor.told.map(({ update }) => update)
    const texts = shown.flatMap((update) =>
      "content" in update && update.sessionUpdate.endsWith("message_chunk")
        ? [(update.content as { text: string }).text]
        : [],
    )
    expect(texts).toEqual(["message 0", "echo 1", "message 1", "echo 1", "message 2", "echo 1"])
    await editor.say(session, "and on")
    expect(editor.answer).toBe("echo 1echo 1echo 1echo 1")
  })

  it("[ACP-001] lists, closes and deletes sessions by the ids of their rows", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace, host } = met
    const session = await editor.open(workspace)
    const { sessions } = await editor.agent.request(at.list, { cwd: workspace })
    expect(sessions).toMatchObject([{ sessionId: session, cwd: workspace }])
    expect((await editor.agent.request(at.list, { cwd: "/nowhere" })).sessions).toEqual([])
    await editor.agent.request(at.close, { sessionId: session })
    await expect(editor.say(session, "hi")).rejects.toMatchObject({ code: -32002 })
    await editor.agent.request(at.delete, { sessionId: session })
    expect(await host.store.session(session)).toBeNull()
  })

  it("[CMP-045] tells the commands that can be typed, and tells them again when they change", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace } = met
    const session = await editor.open(workspace)
    await until(() => editor.updates("available_commands_update").length === 1)
    const [first] = editor.updates("available_commands_update")
    expect(first?.availableCommands).toContainEqual({
      name: "search",
      description: "Ask for a search",
      input: { hint: "<query>" },
    })
    await editor.say(session, "/model mirror")
    expect((await met.host.store.session(session))?.model.provider_id).toBe("mirror")
  })

  it("[SES-040] offers the models as a choice of the session", async () => {
    const met = await meet()
    const { editor, workspace, host } = met
    const opened = await editor.agent.request(at.new, { cwd: workspace, mcpServers: [] })
    expect(opened.configOptions).toMatchObject([{ id: "model", currentValue: "scripted" }])
    const { sessionId } = opened
    const refused = editor.agent.request(at.setConfigOption, {
      sessionId,
      configId: "model",
      value: "nobody/nothing",
    })
    await expect(refused).rejects.toMatchObject({ code: -32602 })
    expect((await host.store.session(sessionId))?.model.provider_id).toBe("scripted")
  })

  it("shows what is said on another surface while the session is open", async () => {
    const met = await meet({ script: [{ text: "ok" }] })
    const { editor, workspace, host } = met
    const session = await editor.open(workspace)
    await host.submit({ session_id: session, parts: [{ type: "text", text: "from the page" }] })
    await until(() => editor.answer === "ok")
    expect(editor.updates("user_message_chunk").map(({ content }) => content)).toEqual([
      { type: "text", text: "from the page" },
    ])
  })
})
