import { access, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../build.ts"
import { until } from "../session/house.ts"
import { caller } from "../session/tools.ts"
import { EVERYTHING, newSession, openServed, partsOf, type Served, settled } from "./served.ts"

const CONFIG = { mcpServers: { everything: EVERYTHING } }
const SLOW = 60_000

async function send(served: Served, source: string) {
  const id = await newSession(served)
  const sent = await served.client.send(id, { source })
  return { id, sent, messages: await settled(served, id) }
}

/** What the model was shown of the newest message, media by their type. */
function seen({ model }: Served): string {
  const shown = model.calls.at(-1)?.newest?.blocks ?? []
  return shown
    .map((block) => {
      if (block.type === "text") return block.text
      return "media" in block ? `<${block.media.mime}>` : `<${block.type}>`
    })
    .join("\n")
}

describe("a server of the user's", () => {
  it(
    "[MCP-001] gives its prompts as commands that run with their arguments, over HTTP",
    async () => {
      const served = await openServed({ files: { "data/config.json": CONFIG } })
      const names = async () => {
        const { commands } = await served.client.commands.list({ workspace: served.workspace })
        return commands.filter(({ command }) => command.kind === "mcp").map(({ name }) => name)
      }
      // On a busy machine the server is not there yet when it is first asked.
      await expect
        .poll(async () => (await names()).toSorted())
        .toEqual([
          "everything:args-prompt",
          "everything:completable-prompt",
          "everything:resource-prompt",
          "everything:simple-prompt",
        ])
      const cases = [
        ["/everything:simple-prompt", "This is a simple prompt"],
        ["/everything:args-prompt Kyiv", "What's weather in Kyiv?"],
        ["/everything:args-prompt city=Lima state=LIM", "What's weather in Lima, LIM?"],
        [
          '/everything:completable-prompt department=Sales name="David"',
          "Please promote David to the head of the Sales team.",
        ],
        ["/everything:resource-prompt Text 1", "demo://resource/dynamic/text/1"],
        ["/everything:resource-prompt Blob 2", "demo://resource/dynamic/blob/2"],
      ] as const
      for (const [source, words] of cases) {
        const { messages, sent } = await send(served, source)
        expect(sent.warnings, source).toEqual([])
        expect(seen(served), source).toContain(words)
        expect(seen(served), source).not.toContain("/everything:")
        const [command] = partsOf(messages, "command")
        expect(command?.data).toMatchObject({ outcome: "mcp" })
        // Whose words they are stands in the part.
        expect(messages[0]?.parts[1]?.data).toMatchObject({
          derived_from: command?.id,
          server: "everything",
        })
      }
    },
    SLOW,
  )

  it(
    "[MCP-001] says which arguments a prompt lacks, and that a server failed",
    async () => {
      const served = await openServed({ files: { "data/config.json": CONFIG } })
      await served.client.commands.list({ workspace: served.workspace })
      const id = await newSession(served)
      const lacking = served.client.send(id, { source: "/everything:args-prompt" })
      await expect(lacking).rejects.toMatchObject({ status: 422, code: "missing_arguments" })
      const wrong = served.client.send(id, { source: "/everything:resource-prompt Nothing 1" })
      await expect(wrong).rejects.toMatchObject({ status: 422 })
    },
    SLOW,
  )

  it(
    "[MCP-001] attaches its resources where they are mentioned, and completes their names",
    async () => {
      const served = await openServed({ files: { "home/.agents/mcp.json": CONFIG } })
      const { workspace } = served
      await served.client.commands.list({ workspace })
      const resources = async () => {
        const source = "@everything:"
        const { items } = await served.client.commands.complete({ workspace, source })
        return items.filter(({ kind }) => kind === "resource")
      }
      await expect.poll(async () => (await resources()).length).toBeGreaterThanOrEqual(7)
      for (const { insert } of await resources()) {
        const { messages } = await send(served, `Look at ${insert}please`)
        const [ref] = partsOf(messages, "file-ref")
        const [attached] = partsOf(messages, "file-attachment")
        expect(ref?.data, insert).toMatchObject({ attached: true, ref: { kind: "mcp" } })
        expect(attached?.data).toMatchObject({ server: "everything", derived_from: ref?.id })
        expect(seen(served)).not.toContain("Its contents are not included")
      }
      // One that no list names is read all the same.
      await send(served, "Look at @everything:demo://resource/dynamic/text/7 please")
      expect(seen(served)).toContain("Resource 7")
      const { sent } = await send(served, "Look at @everything:demo://nowhere please")
      expect(sent.warnings[0]?.message).toContain("demo://nowhere is not attached")
    },
    SLOW,
  )

  it(
    "[MCP-001] completes beside what its host completes, and takes its words from the environment",
    async () => {
      const { args, ...command } = EVERYTHING
      const written = { ...command, args: [...args.slice(0, -1), "${TRANSPORT:-stdio}"] }
      const lost = { command: "${NOWHERE_TO_BE_FOUND}" }
      const guide = { value: "guide", description: "How it is done" }
      const docs = { prefix: "docs", kind: "resource", complete: async () => [guide] } as const
      const served = await openServed({
        files: { "home/.agents/mcp.json": { mcpServers: { everything: written, lost } } },
        completion_sources: () => [docs],
      })
      const { workspace } = served
      const { servers } = await served.client.mcp({ workspace })
      expect(servers.find(({ server }) => server === "lost")?.error).toBe(
        "NOWHERE_TO_BE_FOUND: not set in the environment",
      )
      await served.client.commands.list({ workspace })
      for (const [source, least] of [
        ["@everything:", 7],
        ["@docs:", 1],
      ] as const) {
        const { items } = await served.client.commands.complete({ workspace, source })
        const found = items.filter(({ kind }) => kind === "resource")
        expect(found.length, source).toBeGreaterThanOrEqual(least)
      }
    },
    SLOW,
  )

  it(
    "[MCP-001] completes a prompt's argument by what stands for the others",
    async () => {
      const served = await openServed({ files: { "data/config.json": CONFIG } })
      const { workspace } = served
      await served.client.commands.list({ workspace })
      const labels = async (source: string) => {
        const { items } = await served.client.commands.complete({ workspace, source })
        return items.filter(({ kind }) => kind === "argument").map(({ label }) => label)
      }
      const prompt = "/everything:completable-prompt"
      expect(await labels(`${prompt} S`)).toEqual(expect.arrayContaining(["Sales", "Support"]))
      expect(await labels(`${prompt} Sales D`)).toEqual(expect.arrayContaining(["David"]))
      expect(await labels(`${prompt} Sales D`)).not.toContain("Support")
    },
    SLOW,
  )

  it(
    "[MCP-001] [SES-080] runs its tools once a person has said yes",
    async () => {
      const calls = [
        { name: "everything_echo", input: { message: "hello there" } },
        { name: "everything_get-sum", input: { a: 19, b: 23 } },
        { name: "everything_get-tiny-image", input: {} },
        { name: "everything_get-structured-content", input: { location: "Chicago" } },
        { name: "everything_get-annotated-message", input: { messageType: "success" } },
        { name: "everything_get-resource-links", input: { count: 2 } },
        { name: "everything_get-resource-reference", input: { resourceType: "Text" } },
      ]
      const served = await openServed({
        files: { "data/config.json": CONFIG },
        script: caller(calls),
      })
      const { client } = served
      const id = await newSession(served)
      await client.send(id, { source: "use them" })
      await until(async () => (await client.status(id)).state === "waiting_on_approval")
      const { turns } = await client.turns(id)
      const [turn] = turns
      expect(turn?.waiting.map(({ tool }) => tool)).toEqual(calls.map(({ name }) => name))
      expect(turn?.waiting[0]?.asks).toEqual([
        { permission: "mcp.call", subject: "everything/echo" },
      ])
      const offered = served.model.calls[0]?.call.envelope.tools?.map(({ name }) => name) ?? []
      expect(offered).toEqual(expect.arrayContaining(calls.map(({ name }) => name)))
      for (const { call_id } of turn?.waiting ?? [])
        await client.calls.approve({ session_id: id, turn_id: turn?.id ?? "", call_id })
      const messages = await settled(served, id)
      for (const { name } of calls) {
        const [part] = partsOf(messages, `tool-${name}`)
        expect(part?.tool_state, name).toBe("output-available")
      }
      const said = JSON.stringify(messages.map(({ parts }) => parts.map(({ data }) => data)))
      expect(said).toContain("Echo: hello there")
      expect(said).toContain("42")
      expect(said).toContain("image/png")
    },
    SLOW,
  )

  it(
    "[MCP-001] does not start before something is asked of it",
    async () => {
      const started = join(await temporaryFolder(), "started")
      const script = `require("fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => {}, 1000)`
      const lazy = { command: process.execPath, args: ["-e", script] }
      const served = await openServed({
        files: { "data/config.json": { mcpServers: { lazy } } },
      })
      const id = await newSession(served)
      await served.client.sessions.list()
      await expect(access(started)).rejects.toThrow()
      // It never answers: what is typed does not wait for it for ever.
      await served.client.send(id, { source: "hello" })
      await expect(access(started)).resolves.toBeUndefined()
    },
    SLOW,
  )
})

describe("a server that came with a repository", () => {
  it(
    "[MCP-001] is listed and inert until its file is trusted, and again when the file changes",
    async () => {
      const served = await openServed({ files: { "workspace/.mcp.json": CONFIG } })
      const { client, workspace } = served
      const path = join(workspace, ".mcp.json")
      const listed = async () => (await client.mcp({ workspace })).servers
      const commands = async () =>
        (await client.commands.list({ workspace })).commands.filter(
          ({ command }) => command.kind === "mcp",
        ).length
      expect(await listed()).toMatchObject([
        { server: "everything", scope: "project", trusted: false, path },
      ])
      expect((await listed())[0]).not.toHaveProperty("tools")
      expect(await commands()).toBe(0)
      const id = await newSession(served)
      await client.send(id, { source: "hello" })
      await settled(served, id)
      const tools = served.model.calls[0]?.call.envelope.tools ?? []
      expect(tools.filter(({ name }) => name.startsWith("everything"))).toEqual([])
      await client.commands.trust({ workspace, path })
      expect(await listed()).toMatchObject([{ trusted: true, prompts: 4 }])
      expect(await commands()).toBe(4)
      const more = { mcpServers: { everything: { ...EVERYTHING, timeout_ms: 5000 } } }
      await writeFile(path, JSON.stringify(more))
      expect(await listed()).toMatchObject([{ trusted: false }])
      await until(async () => (await commands()) === 0)
    },
    SLOW,
  )

  it("[MCP-001] takes no name of the user's, and a fault in one leaves the others", async () => {
    const served = await openServed({
      files: {
        "home/.agents/mcp.json": { mcpServers: { mine: { command: "/nonexistent/mine" } } },
        "workspace/.mcp.json": {
          mcpServers: { mine: { command: "/nonexistent/theirs" }, other: { url: "no address" } },
        },
      },
    })
    const { client, workspace } = served
    await client.commands.trust({ workspace, path: join(workspace, ".mcp.json") })
    const { servers } = await client.mcp({ workspace })
    expect(servers.map(({ server, scope }) => [server, scope])).toEqual([
      ["mine", "user"],
      ["other", "project"],
    ])
    expect(servers[0]?.error).toContain("cannot be reached")
    expect(servers[1]?.error).toContain("url")
  })
})
