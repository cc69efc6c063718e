import { approved, called, failed, given } from "../calls.ts"
import type { Json } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** A server of the kit's own: one tool, one prompt, and it notes that it was started. */
const SERVER = `import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
writeFileSync(process.argv[2], "started")
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: "kit", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{ name: "shout", description: "Shouts.", inputSchema: { type: "object", properties: { word: { type: "string" } } } }],
  }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: String(given.word).toUpperCase() }] }),
  "prompts/list": () => ({ prompts: [{ name: "greet", description: "Greets." }] }),
  "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "Greetings from the server." } }] }),
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const body = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "no " + method } }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n")
})
`

export const serverScenarios: readonly Scenario[] = [
  {
    title: "a server of a repository",
    rules: ["MCP-001"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const script = await kit.file("mcp/server.mjs", SERVER)
      const started = `${kit.folder}/mcp/started`
      const kit_server = { command: process.execPath, args: [`${kit.folder}/${script}`, started] }
      await kit.file(".mcp.json", JSON.stringify({ mcpServers: { kit: kit_server } }))
      kit.model.play()
      const before = await kit.turn(await kit.session(), "hello")
      const early = before.heard[0]?.tools.filter((name) => name.startsWith("kit")) ?? []
      see.equal("MCP-001", "its tools before it is trusted", early, [])
      await kit.trust(".mcp.json")
      const { servers } = await kit.client.mcp({ workspace: kit.folder })
      const listed = servers.find(({ server }) => server === "kit")
      see.equal("MCP-001", "it is listed", [listed?.trusted, listed?.error], [true, undefined])
      const id = await kit.session()
      const [shouted] = await approved(kit, id, { name: "kit_shout", input: { word: "quiet" } })
      see.contains("MCP-001", "its tool, by the server's name", given(shouted), "QUIET")
      const { commands } = await kit.client.commands.list({ workspace: kit.folder })
      const prompt = commands.find(
        ({ command }) => command.kind === "mcp" && command.server === "kit",
      )
      see.holds(
        "MCP-001",
        "its prompt is a command",
        prompt !== undefined,
        commands.map(({ name }) => name),
      )
      const said = await kit.turn(id, { source: `/${prompt?.name ?? "none"}` })
      see.contains(
        "MCP-001",
        "what it says",
        said.heard[0]?.newest ?? "",
        "Greetings from the server.",
      )
      const [gone] = (await called(kit, id, { name: "kit_none", input: {} })) as Json[]
      see.holds("MCP-001", "a tool that it has not", failed(gone), gone)
      await kit.file(".mcp.json", "{}")
    },
  },
]
