import { once } from "node:events"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { sandboxFault } from "../../packages/files/sandbox/sandbox.ts"
import { Memory } from "../../packages/engine/memory/memory.ts"
import { PolicyConfig } from "../../packages/engine/policy/config.ts"
import { viewOf } from "../../packages/engine/policy/hidden.ts"
import { judge } from "../../packages/engine/policy/judge.ts"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import type { PermissionRule } from "../../packages/engine/policy/permissions.ts"
import { attachTool } from "../../packages/engine/tools/attach.ts"
import { bashTool } from "../../packages/engine/tools/bash.ts"
import { makeBuiltInTools, builtinTools } from "../../packages/engine/turns/builtin-tools.ts"
import { extractTool } from "../../packages/engine/tools/extract.ts"
import { NOBODY_TO_ASK, questionTool, todoTool } from "../../packages/engine/tools/human.ts"
import { memoryTools } from "../../packages/engine/memory/memory-tools.ts"
import { readImageTool } from "../../packages/engine/tools/read-image.ts"
import { readTool } from "../../packages/engine/tools/read.ts"
import { skillTool } from "../../packages/engine/tools/skill.ts"
import type { Tool } from "../../packages/engine/tools/tool.ts"
import { webFetchTool } from "../../packages/engine/tools/web-fetch.ts"
import { bytes, gif, jpeg, png } from "../build.ts"
import { zip as zipOf } from "../files/archive/build.ts"
import { tar, zip } from "../files/corpus.ts"
import { missing } from "../machine.ts"
import { blind, stage, shown, told } from "./stage.ts"

const whole = bytes(png(20, 10), "IEND", [0xae, 0x42, 0x60, 0x82])
const pdf = Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n")

describe("read_image", () => {
  const tool = readImageTool()

  it("[VIS-001] gives pixels", async () => {
    const { call, blobs } = await stage({ files: { "a.png": whole } })
    const result = await call(tool, { path: "a.png" })
    if (result.type === "error") throw new Error(result.error_text)
    const { content_id } = result.data as { content_id: string }
    const media = { mime: "image/png", name: "a.png", size: whole.length, content_id }
    expect(result.blocks).toEqual([{ type: "image", media, width: 20, height: 10 }])
    expect(await blobs.size(content_id)).toBe(whole.length)
  })

  it("[VIS-001] refuses in a way that says of which kind it is", async () => {
    const files = { "a.txt": "words", "cut.png": png(), "cut.jpg": jpeg().subarray(0, -2) }
    const { call } = await stage({ files })
    const reason = async (path: string) => (await told(call(tool, { path }))).reason
    expect(await reason("nowhere.png")).toBe("absent")
    expect(await reason("a.txt")).toBe("unperceivable")
    expect(await reason("cut.png")).toBe("unperceivable")
    expect(await reason("cut.jpg")).toBe("unperceivable")
    const huge = await stage({ files: { "a.gif": gif(20_000, 20_000) } })
    expect((await told(huge.call(tool, { path: "a.gif" }))).reason).toBe("too-large")
  })

  it("[VIS-001] shows nothing to a model that cannot see", async () => {
    const { call } = await stage({ files: { "a.png": whole }, more: { capabilities: blind } })
    expect(await told(call(tool, { path: "a.png" }))).toMatchObject({
      type: "refused",
      reason: "unperceivable",
    })
  })

  it("[BIN-002] converts what the API does not take as it is", async () => {
    const picture = { bytes: whole, mime: "image/png", width: 20, height: 10 }
    const { call } = await stage({ files: { "a.gif": gif(20_000, 20_000) } })
    const result = await call(
      readImageTool(async () => picture),
      { path: "a.gif" },
    )
    expect(result).toMatchObject({ data: { type: "image", mime: "image/png" } })
  })
})

describe("attach", () => {
  const tool = attachTool()

  it("[BIN-033] shows what was made on the way, by the route of its kind", async () => {
    const { call, scratch } = await stage({ files: { "a.bin": Buffer.alloc(20) } })
    await scratch.write("made.png", whole)
    await scratch.write("made.pdf", pdf)
    await scratch.write("made.csv", Buffer.from("a,b\n"))
    const attached = (name: string) => call(tool, { path: `${scratch.path}/${name}` })
    expect(await attached("made.png")).toMatchObject({
      data: { outcome: "native" },
      blocks: [{ type: "image", width: 20 }],
    })
    expect(await attached("made.pdf")).toMatchObject({
      blocks: [{ type: "document", media: { mime: "application/pdf" } }],
    })
    expect(await attached("made.csv")).toMatchObject({
      data: { outcome: "inlined", mime: "text/csv" },
      blocks: [{ type: "text", text: "Attached file made.csv:\na,b\n" }],
    })
    expect(await told(call(tool, { path: "a.bin" }))).toMatchObject({ outcome: "descriptor" })
  })

  it("[CMP-031] describes what the model cannot be shown", async () => {
    const files = { "a.png": whole, "cut.pdf": pdf.subarray(0, 20) }
    const { call } = await stage({ files, more: { capabilities: blind } })
    for (const path of ["a.png", "cut.pdf"]) {
      const result = await call(tool, { path })
      expect(result).toMatchObject({ data: { outcome: "descriptor", reason: expect.any(String) } })
      expect(result).not.toHaveProperty("blocks")
    }
  })
})

describe("extract", () => {
  const tool = extractTool()

  it("[BIN-060] puts an archive's files where the other tools read them", async () => {
    const files = { "a.zip": zip({ "x/y.txt": "hello", "z.md": "# z" }), "b.tar": tar("t", "tar") }
    const { call, scratch } = await stage({ files })
    const { paths, folder } = await told(call(tool, { path: "a.zip" }))
    expect(folder.startsWith(scratch.path)).toBe(true)
    expect(paths).toEqual([`${folder}/z.md`, `${folder}/x/y.txt`])
    expect(await shown(call(readTool(), { path: paths[1] }))).toBe("hello")
    expect(await told(call(tool, { path: "b.tar" }))).toMatchObject({ files: 1 })
  })

  it("[BIN-062] keeps nothing that does not fit, and nothing that leads out", async () => {
    const files = {
      "big.zip": zip({ a: "x".repeat(5000) }),
      "slip.zip": zip({ "../../evil": "x" }),
    }
    const { call, scratch } = await stage({ files, quota: { bytes: 1000, files: 20 } })
    expect(await told(call(tool, { path: "big.zip" }))).toMatch(/Nothing of big.zip was extracted/)
    expect(await told(call(tool, { path: "slip.zip" }))).toEqual(expect.any(String))
    expect((await scratch.usage()).bytes).toBe(0)
  })

  it("[BIN-060] [BIN-062] takes out the archives inside like any other, all within one quota", async () => {
    const packed = zip({ "z.bin": "x".repeat(900) })
    const names = ["a.zip", "b.zip", "in/c.zip", "d.docx"]
    const outer = zipOf(names.map((name) => ({ name, data: packed })))
    const quota = { bytes: outer.length + 2000, files: 40 }
    const { call, scratch } = await stage({ files: { "outer.zip": outer }, quota })
    const { paths } = await told(call(tool, { path: "outer.zip" }))
    const inner = (paths as string[]).filter((path) => path.endsWith(".zip"))
    expect(inner).toHaveLength(3)
    const results = []
    for (const path of inner) results.push(await told(call(tool, { path })))
    expect(results.map((result) => result.files ?? result)).toEqual([
      1,
      1,
      expect.stringMatching(/^Nothing of c\.zip was extracted/),
    ])
    expect((await scratch.usage()).bytes).toBeLessThanOrEqual(quota.bytes)
    expect(await shown(call(readTool(), { path: results[0].paths[0] }))).toContain("xxx")
  })

  it("[BIN-062] comes to an end where an archive holds itself", async () => {
    const quota = { bytes: 20_000, files: 100 }
    let nested = zip({ end: "x".repeat(400) })
    for (let level = 0; level < 60; level++) nested = zipOf([{ name: "n.zip", data: nested }])
    const { call, scratch } = await stage({ files: { "n.zip": nested }, quota })
    let path = "n.zip"
    let levels = 0
    for (;;) {
      const result = await told(call(tool, { path }))
      if (typeof result === "string") break
      path = result.paths[0]
      levels += 1
    }
    expect(levels).toBeGreaterThan(0)
    expect(levels).toBeLessThan(60)
    expect((await scratch.usage()).bytes).toBeLessThanOrEqual(quota.bytes)
  })

  it("says what is no archive", async () => {
    const { call } = await stage({ files: { "a.txt": "words", ".env": "x" } })
    expect(await told(call(tool, { path: "a.txt" }))).toMatch(/not an archive/)
    expect(await told(call(tool, { path: ".env" }))).toMatch(/deny rule/)
    expect(await told(call(tool, { path: "nowhere" }))).toMatch(/does not exist/)
  })
})

describe("web_fetch", () => {
  async function served(body: string | Uint8Array, type: string, status = 200, more = {}) {
    const server = createServer((_, response) =>
      response.writeHead(status, { "content-type": type, ...more }).end(body),
    )
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    return { url: `http://${host}/a.bin`, tool: webFetchTool({ allow: [host] }) }
  }

  it("gives a page's text, without secrets", async () => {
    const { url, tool } = await served("key AKIAIOSFODNN7EXAMPLE", "text/plain")
    const { call } = await stage()
    const given = await call(tool, { url })
    expect(given).toMatchObject({ data: { url, status: 200, mime: "text/plain" } })
    expect(JSON.stringify(given)).not.toContain("AKIAIOSFODNN7")
  })

  it("[BEY-04] is held to the rules for what comes from the web", async () => {
    const policy = policyOf({ denied_origins: ["web"] })
    const { call } = await stage({ more: { ingress: (arrival) => judge(policy, arrival) } })
    for (const [body, type] of [
      ["words", "text/plain"],
      [whole, "image/png"],
    ] as const) {
      const { url, tool } = await served(body, type)
      expect(await told(call(tool, { url }))).toMatch(/let nothing in by way of web/)
    }
  })

  it("gives a page as someone reads it", async () => {
    const page = "<html><script>steal()</script><h1>Tea</h1><p>Is <b>good</b>.</p></html>"
    const { url, tool } = await served(page, "text/html; charset=utf-8")
    const { call } = await stage()
    const { mime } = await told(call(tool, { url }))
    const content = await shown(call(tool, { url }))
    expect(mime).toBe("text/html")
    expect(content).toMatch(/# Tea/)
    expect(content).not.toMatch(/steal|<b>/)
  })

  it("keeps what is no text in scratch", async () => {
    const { url, tool } = await served(whole, "image/png")
    const { call } = await stage()
    const data = await told(call(tool, { url }))
    expect(data).toMatchObject({ mime: "image/png", size: whole.length })
    expect(await readFile(data.path)).toEqual(whole)
    expect(await told(call(readImageTool(), { path: data.path }))).toMatchObject({ width: 20 })
  })

  it("[TOL-004] cuts a long text", async () => {
    const { url, tool } = await served("x".repeat(300_000), "text/plain")
    const { call } = await stage()
    expect(await call(tool, { url })).toMatchObject({
      metadata: { truncated: true, output_path: expect.stringContaining("call_1") },
    })
  })

  it("[NET-01] does not follow to another host: that one is asked about by itself", async () => {
    const { call } = await stage()
    const there = await served("there", "text/plain")
    const { url, tool } = await served("", "text/plain", 302, { location: there.url })
    const allowed = webFetchTool({ allow: [new URL(url).host, new URL(there.url).host] })
    for (const one of [tool, allowed])
      expect(await told(call(one, { url }))).toBe(
        `Not fetched: ${url} sends on to ${there.url}, on another host: ask for that one.`,
      )
  })

  it("says why it fetched nothing", async () => {
    const { call } = await stage()
    const tool = webFetchTool()
    for (const url of ["http://127.0.0.1:1/", "file:///etc/passwd", "http://u:p@example.com/"])
      expect(await told(call(tool, { url }))).toMatch(/^Not fetched: /)
    const gone = await served("no", "text/plain", 404)
    expect(await told(call(gone.tool, { url: gone.url }))).toMatch(/answered with 404/)
  })

  it("[PER-010] is judged by the one form that an address has", () => {
    expect(webFetchTool().subject({ url: "HTTP://0x7f.1:80/a/../b" })).toBe("http://127.0.0.1/b")
  })
})

const fault = missing("bubblewrap") ? "there is no bubblewrap" : await sandboxFault()

describe.skipIf(fault !== undefined)("bash", () => {
  const tool = bashTool()
  const allow = (pattern: string): PermissionRule => ({
    permission: "fs.write",
    pattern,
    action: "allow",
    source: "session",
  })

  it("runs in the workspace, which it cannot change, and keeps what it makes in scratch", async () => {
    const { call, scratch } = await stage({ files: { "a.txt": "hello" } })
    expect(await call(tool, { command: "cat a.txt; echo x > b.txt" })).toMatchObject({
      data: { exit_code: 2 },
      blocks: [{ type: "text", text: expect.stringContaining("hello") }],
    })
    await call(tool, { command: 'echo made > "$SCRATCH/made.txt"' })
    expect(await readFile(join(scratch.path, "made.txt"), "utf8")).toBe("made\n")
  })

  it("[SES-080] changes the workspace where all of it may be written", async () => {
    const { call, root } = await stage({ rules: [allow("**")], files: { ".git/hooks/x": "" } })
    await call(tool, { command: "echo x > b.txt" })
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("x\n")
    expect(await told(call(tool, { command: "echo x > .git/hooks/y" }))).toMatchObject({
      exit_code: 2,
    })
  })

  it("[SES-080] does not where only some of it may, or some may not", async () => {
    const deny: PermissionRule = { ...allow("private/**"), action: "deny", source: "manifest" }
    for (const rules of [[allow("src/**")], [allow("**"), deny], []]) {
      const { call } = await stage({ rules })
      expect(await told(call(tool, { command: "echo x > b.txt" }))).toMatchObject({ exit_code: 2 })
    }
  })

  it("[BEY-04] shows a command nothing of what the policy keeps out", async () => {
    const files = {
      ".env": "A=hidden",
      "sub/.env.local": "A=hidden",
      "sub/id_rsa": "hidden",
      "dist/built.js": "built",
      ".gitignore": "dist/\n.env*\n",
      "a.txt": "seen",
    }
    const { call, root } = await stage({ files })
    await symlink(join(root, ".env"), join(root, "link"))
    const hiding = (root: string) => viewOf(root, PolicyConfig.parse({}))
    const output = await shown(
      call(bashTool(hiding), { command: "cat .env sub/.env.local sub/id_rsa link a.txt dist/*" }),
    )
    expect(output).toMatch(/seenbuilt$/)
    expect(output).not.toContain("hidden")
  })

  it("[BEY-04] shows no secrets in its output", async () => {
    const { call } = await stage()
    const output = await shown(call(tool, { command: "echo key AKIAIOSFODNN7EXAMPLE" }))
    expect(output).toMatch(/^key /)
    expect(output).not.toContain("AKIAIOSFODNN7")
  })

  it("[TOL-004] cuts what it says, and keeps all of it", async () => {
    const { call } = await stage()
    const result = await call(tool, { command: "seq 60000" })
    expect(result.metadata).toMatchObject({ truncated: true })
    const whole = await readFile(result.metadata.output_path ?? "", "utf8")
    expect(whole.trimEnd().split("\n")).toHaveLength(60_000)
  })

  it("[TOL-007] stops when it is aborted, and when its time is over", async () => {
    const controller = new AbortController()
    const { call } = await stage({ signal: controller.signal })
    expect(await told(call(tool, { command: "sleep 9", timeout_ms: 200 }))).toMatch(/was stopped/)
    setTimeout(() => controller.abort(), 100)
    expect(await told(call(tool, { command: "sleep 9" }))).toMatch(/was stopped/)
  })
})

describe("the other tools", () => {
  it("[CMP-062] skill loads a body by its name", async () => {
    const tool = skillTool({
      load: async (name, { arguments: words }) => (name === "pdf" ? `pdf ${words}` : undefined),
    })
    const { call } = await stage()
    expect(await told(call(tool, { name: "pdf", arguments: "now" }))).toEqual({
      content: "pdf now",
    })
    expect(await told(call(tool, { name: "other" }))).toBe("There is no skill other here.")
  })

  it("[UX-030] memory is written, listed, read and deleted", async () => {
    const { call, data } = await stage()
    const trust = { isTrusted: async () => true, trust: async () => undefined }
    const memory = new Memory({ user: join(data, "memory"), trust })
    const [write, read, list, remove] = memoryTools({ memory: () => memory }) as [
      Tool,
      Tool,
      Tool,
      Tool,
    ]
    const body = "They like tea.\nStrong."
    expect(await told(call(write, { scope: "user", name: "tea", body }))).toMatchObject({
      name: "tea",
      description: "They like tea.",
    })
    expect((await told(call(list, {}))).memories).toHaveLength(1)
    expect((await told(call(read, { name: "tea" }))).body).toContain("Strong")
    await call(remove, { name: "tea" })
    expect(await told(call(read, { name: "tea" }))).toEqual(expect.any(String))
  })

  it("[TOL-005] question waits for a person, and is an error where nobody is", async () => {
    const tool = questionTool()
    const { call } = await stage()
    expect(tool.waits).toBe(true)
    const questions = [
      { question: "Tea?", header: "Drink", options: ["yes", "no"], multi_select: false },
    ]
    expect(tool.faults({ questions })).toEqual([])
    expect(tool.faults({ questions: [] })).not.toEqual([])
    expect(await told(call(tool, { questions }))).toBe(NOBODY_TO_ASK)
  })

  it("todo keeps the list that it is given", async () => {
    const { call } = await stage()
    const items = [
      { content: "a", status: "completed" },
      { content: "b", status: "pending" },
    ]
    expect(await told(call(todoTool(), { items }))).toEqual({ items: 2, open: 1 })
  })
})

/** Ids of the documents that keep their meaning for ever (TOL-001); some are not offered here. */
const LOCKED_IDS = [
  "read",
  "write",
  "edit",
  "glob",
  "grep",
  "bash",
  "todo",
  "task",
  "question",
  "web_search",
  "web_fetch",
  "skill",
  "tool_search",
]

describe("builtinTools", () => {
  const rooms = {
    shell_fault: undefined,
    skills: { load: async () => undefined },
    memory: { memory: () => new Memory({ user: "/nowhere", trust: null as never }) },
  }

  it("[TOL-001] keeps the ids of the documents, and has each once", () => {
    const ids = builtinTools(rooms).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const left = LOCKED_IDS.filter((id) => !ids.includes(id))
    expect(left).toEqual(["task", "web_search", "tool_search"])
  })

  it("[TOL-002] publishes what each tool is, needs and takes", () => {
    for (const tool of builtinTools(rooms)) {
      expect(tool.description.length, tool.id).toBeGreaterThan(10)
      expect(tool.parameters, tool.id).toMatchObject({ type: "object" })
      expect(tool.requires, tool.id).toBeInstanceOf(Array)
      expect(tool.faults({ nonsense: 1 }), tool.id).not.toEqual([])
    }
  })

  it("[BIN-040] has no shell where there is no sandbox, and says why", () => {
    const without = { shell_fault: "bubblewrap is not installed" }
    expect(builtinTools(without).map(({ id }) => id)).not.toContain("bash")
    expect(makeBuiltInTools(without)).toContainEqual(
      expect.objectContaining({ id: "bash", absent: without.shell_fault }),
    )
  })
})

describe("what is aborted or gone", () => {
  it("[TOL-003] ends as an error in words", async () => {
    const { call, root } = await stage()
    await writeFile(join(root, "a"), "a")
    const tool = { ...readTool(), execute: async () => Promise.reject(new Error("oh")) }
    expect(await call(tool, { path: "a" })).toMatchObject({
      type: "error",
      error_text: "read failed: oh",
      metadata: { duration_ms: expect.any(Number) },
    })
  })
})
