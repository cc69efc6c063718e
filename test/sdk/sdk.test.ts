import { KnownPart } from "../../packages/core/parts/read-part.ts"
import { execFile, execFileSync } from "node:child_process"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { pack } from "../../scripts/pack.ts"
import { type AnswerEvent, ask, createClient, parts } from "../../packages/client/sdk.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import { temporaryFolder } from "../build.ts"
import { look } from "../session/tools.ts"

const ROOT = join(import.meta.dirname, "..", "..")

async function server() {
  const folder = await temporaryFolder()
  await writeFile(join(folder, "file.py"), "print(1)\n")
  const model = scriptedProvider(({ newest }) => {
    const blocks = newest?.blocks ?? []
    const words = blocks
      .map((block) => ("text" in block ? block.text : `<${block.type}>`))
      .join("|")
    if (words === "look") return [{ call: { id: "c1", name: "look", input: { at: "a" } } }]
    return [{ text: "said " }, { text: words }]
  })
  const running = await serve({
    data: join(folder, "data"),
    workspace: folder,
    environment: {},
    providers: new Map([["mirror", model]]),
    tools: [look()],
    registered: false,
  })
  onTestFinished(() => running.close())
  return { running, folder, client: createClient({ url: running.url, token: running.token }) }
}

describe("the SDK", { timeout: 60_000 }, () => {
  it("[ATT-007] says something with files by their paths", async () => {
    const { client, folder } = await server()
    const { session } = await client.sessions.create({})
    const attachments = [
      { path: join(folder, "file.py"), mime: "text/x-python", filename: "see.py" },
    ]
    const { message } = await client.prompt(session.id, "Review this file", { attachments })
    expect(message?.parts.map(({ data }) => data)).toMatchObject([
      { type: "text", text: "Review this file" },
      { type: "file-attachment", name: "see.py" },
    ])
    await expect(
      client.prompt(session.id, "again", { attachments: [{ path: "nope.py" }] }),
    ).rejects.toMatchObject({ status: 422, details: [{ path: "/attachments/0/path" }] })
  })

  it("[CMP-002] builds every part by a function, and each is one", () => {
    const built = [
      parts.text("hi"),
      parts.file("a.ts"),
      parts.file("a.ts", { lines: [2, 5] }),
      parts.file("a.bin", { bytes: [0, 10] }),
      parts.file("a.zip", { entry: "b.ts" }),
      parts.url("https://example.org/x"),
      parts.attachment("a.bin", "application/octet-stream", new Uint8Array(100_000).fill(7)),
      parts.command("review", "src/a.ts"),
      parts.mention("skill", { name: "pdf" }),
      parts.context("selection", { node: 7 }, { source: "canvas", at: 5 }),
    ]
    for (const part of built) expect(KnownPart.parse(part)).toEqual(part)
    expect(built[2]).toEqual({
      type: "file-ref",
      ref: { kind: "path", path: "a.ts", range: { start: 2, end: 5 } },
    })
    expect(built[7]).toEqual({ type: "command", id: "/review", args: { raw: "src/a.ts" } })
  })

  it("streams an answer with its calls, and ends with its turn", async () => {
    const { client } = await server()
    const { session } = await client.sessions.create({})
    const events: AnswerEvent[] = []
    for await (const event of ask(client, session.id, { source: "look" })) events.push(event)
    const text = events.map((event) => (event.type === "text" ? event.text : "")).join("")
    expect(text).toBe("said <tool-result>")
    expect(events.filter(({ type }) => type === "message")).toHaveLength(2)
    expect(events.findLast(({ type }) => type === "call")).toMatchObject({
      call: { type: "tool-look", state: "output-available", output: { data: "saw a" } },
    })
    expect(events.at(-1)).toMatchObject({ type: "end", turn: { state: "finished" } })
  })

  it("[CMP-026] sends what VS Code shows: lines of saved files, what is open, what is wrong", async () => {
    const { contextParts } = createRequire(import.meta.url)(
      join(ROOT, "examples", "vscode", "context.cjs"),
    ) as { contextParts: (editor: object, options: object) => object[] }
    const uri = { fsPath: "/w/src/a.ts" }
    const document = { uri, isDirty: false, isUntitled: false, getText: () => "two\nthree" }
    const selection = {
      isEmpty: false,
      start: { line: 1, character: 0 },
      end: { line: 3, character: 0 },
    }
    const editor = (more: object) => ({
      window: {
        activeTextEditor: { document: { ...document, ...more }, selection },
        tabGroups: { all: [{ tabs: [{ input: { uri } }, { input: {} }] }] },
      },
      workspace: { asRelativePath: () => "src/a.ts" },
      languages: {
        getDiagnostics: () => [
          { message: "no", severity: 0, range: { start: { line: 4, character: 0 } } },
        ],
      },
    })
    const include = ["selection", "open", "diagnostics"]
    const saved = contextParts(editor({}), { include, now: 5 })
    for (const part of saved) expect(KnownPart.parse(part)).toEqual(part)
    expect(saved).toMatchObject([
      { type: "file-ref", ref: { path: "src/a.ts", range: { start: 2, end: 3 } } },
      { kind: "open", payload: { files: ["src/a.ts"] } },
      { kind: "diagnostics", payload: { diagnostics: [{ line: 5, severity: "error" }] } },
    ])
    const [unsaved] = contextParts(editor({ isDirty: true }), { include, now: 5 })
    expect(unsaved).toMatchObject({ type: "editor-context", payload: { unsaved: true } })
  })

  it("is packed light: at most 1 MB, nothing native, and it runs where it is installed", async () => {
    const folder = await temporaryFolder()
    const [packed] = await pack(join(folder, "pack"), ["compositor-core"])
    expect(packed?.bytes).toBeLessThanOrEqual(1024 * 1024)
    const home = join(folder, "home", "node_modules")
    const core = join(home, "compositor-core")
    await mkdir(core, { recursive: true })
    execFileSync("tar", ["-xzf", packed?.tarball ?? "", "--strip-components=1", "-C", core])
    const manifest = JSON.parse(await readFile(join(core, "package.json"), "utf8"))
    // What it says it needs, and nothing else.
    for (const name of Object.keys(manifest.dependencies))
      await symlink(join(ROOT, "node_modules", name), join(home, name))
    const program = join(home, "..", "program.mjs")
    await writeFile(program, PROGRAM)
    const { running } = await server()
    const command = [program, running.url, running.token]
    const { stdout: said } = await promisify(execFile)(process.execPath, command)
    expect(said).toBe("slash_command,file\nsaid hello\n")
    const vite = await import("vite")
    await writeFile(join(home, "..", "page.js"), PROGRAM)
    const out = await vite.build({
      configFile: false,
      root: join(home, ".."),
      logLevel: "error",
      build: { write: false, target: "esnext", lib: { entry: "page.js", formats: ["es"] } },
    })
    const [bundle] = [out].flat() as { output: { code: string }[] }[]
    expect(bundle?.output[0]?.code).not.toContain("node:")
  }, 120_000)
})

const PROGRAM = `
import { ask, createClient } from "compositor-core/client"
import { parse } from "compositor-core/compose/parse"
import { BARE_VOCABULARY } from "compositor-core/compose/vocabulary"

const vocabulary = { ...BARE_VOCABULARY, commands: new Map([["review", "template"]]) }
console.log(parse("/review @src/a.ts", vocabulary).map(({ kind }) => kind).join())
const [url, token] = globalThis.process?.argv.slice(2) ?? ["", ""]
const client = createClient({ url, token })
const { session } = await client.sessions.create({})
let said = ""
for await (const event of ask(client, session.id, { source: "hello" }))
  if (event.type === "text") said += event.text
console.log(said)
`
