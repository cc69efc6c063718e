import { randomInt } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { ANTHROPIC, callInTurn, type Model, startModel } from "./outside/model.ts"
import { type Server, startServer, until } from "./outside/product.ts"

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

function random(length: number, alphabet = LETTERS): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("")
}

/** A secret of a kind that is known by its form, another one each time. */
function newSecret(): string {
  const kinds = [
    () => `ghp_${random(36)}`,
    () => `npm_${random(36)}`,
    () => `sk-ant-api03-${random(80)}`,
    () => `glpat-${random(20)}`,
    () => `AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  ]
  return (kinds[randomInt(kinds.length)] as () => string)()
}

const LOUD = ["--log-level", "debug"]

async function startWithModel(options: Parameters<typeof startServer>[0], model?: Model) {
  const spoken = model ?? (await startModel())
  const server = await startServer({ ...options, environment: spoken.environment, words: LOUD })
  return { server, model: spoken, session: await server.session(ANTHROPIC) }
}

/** Every byte that the server has kept, logged or sent to a model. */
async function everythingOf(server: Server, model: Model): Promise<string> {
  const entries = await readdir(server.folders.data, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const kept = await Promise.all(
    files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")),
  )
  return [...kept, server.log, ...model.texts].join("\n")
}

function leaked(everything: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => everything.includes(secret))
}

/** A value with the secret somewhere in it: in a string, or in a key. */
function buried(secret: string, depth: number): unknown {
  if (depth === 0) return randomInt(4) === 0 ? { [secret]: 1 } : `see ${secret} there`
  const inner = buried(secret, depth - 1)
  return randomInt(2) === 0 ? [1, inner] : { note: "plain", [`k${randomInt(100)}`]: inner }
}

describe("what comes in", () => {
  it("[BEY-04] keeps no secret of parts of 1,000 random types, at whatever depth it stood: not in the database, the log or the prompt", async () => {
    const { server, model, session } = await startWithModel({})
    const secrets = Array.from({ length: 1000 }, newSecret)
    const parts = secrets.map((secret, at) => ({
      type: `x${random(1 + randomInt(20), "abcdefghijklmnopqrstuvwxyz0123456789-")}`,
      ...(at % 3 === 0 ? { text: `part ${at}: ${secret}` } : {}),
      [`field${randomInt(9)}`]: buried(secret, randomInt(40)),
    }))
    for (let at = 0; at < parts.length; at += 50) {
      const sent = await server.send(session, parts.slice(at, at + 50))
      expect(sent.status, sent.text).toBe(201)
    }
    await server.settled(session)
    const everything = await everythingOf(server, model)
    expect(leaked(everything, secrets)).toEqual([])
    expect(everything.includes("part 0: ")).toBe(true)
  }, 120_000)

  it("[BEY-04] keeps no secret of a name, a path, an address, a source, a mention or an argument, and says what it removed", async () => {
    const { server, model, session } = await startWithModel({})
    const secrets = Array.from({ length: 12 }, newSecret)
    const [name, path, url, uri, source, mention, argument, quoted, extra, kind, meant, entry] =
      secrets as [string, ...string[]]
    const data = Buffer.from("plain words").toString("base64")
    const parts = [
      { type: "text", text: "look at these", note: extra },
      { type: "file-attachment", name: `${name}.txt`, mime: "text/plain", data },
      { type: "file-ref", ref: { kind: "path", path: `notes/${path}.md` } },
      { type: "file-ref", ref: { kind: "path", path: "a.zip", entry: `in/${entry}` } },
      { type: "file-ref", ref: { kind: "url", url: `https://h.example/?t=${url}` } },
      { type: "file-ref", ref: { kind: "mcp", server: "s", uri: `mem://${uri}` } },
      { type: "editor-context", kind: "selection", source, payload: { a: 1 }, emitted_at: 1 },
      { type: "editor-context", kind, payload: { a: 1 }, emitted_at: 1 },
      { type: "mention", target: { kind: "agent", name: mention } },
      { type: "command", id: "/nothing-here", args: { a: [argument] } },
      { type: "quote", session_id: "s", message_id: quoted, text: "said" },
      { type: "text", text: "fine", ingress: { verdict: "allowed", reason: meant } },
    ]
    const sent = await server.send(session, parts)
    expect(sent.status, sent.text).toBe(201)
    await server.settled(session)
    const everything = await everythingOf(server, model)
    expect(leaked(everything, secrets)).toEqual([])
    const turns = (await server.get(`/v1/sessions/${session}/turns`)).json.turns
    const told = await server.get(`/v1/sessions/${session}/turns/${turns[0].id}/receipts`)
    expect(told.text).toContain("the path holds")
    expect(told.text).toContain("removed from")
  }, 60_000)

  it("[BEY-04] keeps no secret of what is typed, drafted, titled, steered, edited, scheduled, sent to an inbox or delivered", async () => {
    const { server, model, session } = await startWithModel({})
    const secrets: string[] = []
    const secret = () => {
      const made = newSecret()
      secrets.push(made)
      return made
    }
    const done = async (reply: Promise<{ status: number; text: string }>) => {
      const { status, text } = await reply
      expect([200, 201, 202], text).toContain(status)
    }
    const at = `/v1/sessions/${session}`
    await done(server.call("PATCH", at, { title: `title ${secret()}`, metadata: { a: secret() } }))
    await done(server.post("/v1/sessions", { title: secret(), metadata: { deep: [secret()] } }))
    await done(server.post(`${at}/branch`, { title: secret() }))
    const draft = { source: `draft ${secret()}`, attachments: [{ type: "x", a: secret() }] }
    await done(server.call("PUT", `${at}/draft`, { base_revision: 0, draft }))
    await done(server.post(`${at}/messages`, { source: `/rename ${secret()}` }))
    await done(server.send(session, "paused", { mode: "paused", metadata: { a: secret() } }))
    const [queued] = (await server.get(`${at}/queue`)).json.queue
    const edit = { parts: [{ type: "text", text: secret(), b: { c: secret() } }] }
    await done(server.call("PATCH", `${at}/queue/${queued.id}`, edit))
    const contexts = [
      { type: "editor-context", kind: "a", payload: { b: secret() }, emitted_at: 1 },
    ]
    await done(server.post(`${at}/messages`, { source: "see @a", contexts }))
    await done(server.send(session, `steered ${secret()}`, { mode: "steer" }))
    const trigger = {
      session_id: session,
      source: { source: "api" },
      prompt: `${secret()} {{body}}`,
    }
    const added = await server.post("/v1/triggers", trigger)
    expect(added.status, added.text).toBe(201)
    const payload = JSON.stringify({ a: secret() })
    await done(server.post(`/v1/triggers/${added.json.trigger.id}/fire`, { payload }))
    await server.call("PATCH", `${at}/queue/${queued.id}`, { state: "queued" })
    await server.settled(session)
    const everything = await everythingOf(server, model)
    expect(leaked(everything, secrets)).toEqual([])
  }, 60_000)

  it("[BEY-04] keeps a token in AGENTS.md out of the prompt", async () => {
    const secret = `ghp_${random(36)}`
    const files = { "workspace/AGENTS.md": `Use tabs.\nThe token is ${secret}.\n` }
    const { server, model, session } = await startWithModel({ files })
    await server.send(session, "hello")
    await server.settled(session)
    expect(model.texts.join("\n")).toContain("Use tabs.")
    expect(leaked(await everythingOf(server, model), [secret])).toEqual([])
  })
})

const KEY_LINES = Array.from({ length: 20 }, () => random(64))
const KEY = ["-----BEGIN RSA PRIVATE KEY-----", ...KEY_LINES, "-----END RSA PRIVATE KEY-----"]
const NOTES = ["notes", "", ...KEY, "", "the end"].join("\n")

describe("a piece of a file", () => {
  it("[BEY-04] is judged by what all of the file holds: lines, bytes, read and grep", async () => {
    const token = `sk-ant-api03-${random(80)}`
    const files = { "workspace/notes.txt": NOTES, "workspace/token.txt": `key: ${token}\n` }
    const model = await startModel(
      callInTurn(
        { name: "read", input: { path: "notes.txt", start: 5, end: 9 } },
        { name: "read", input: { path: "notes.txt", start: 400, end: 700, unit: "byte" } },
        { name: "grep", input: { pattern: "^[A-Za-z0-9+/]{64}$" } },
        { name: "grep", input: { pattern: "the end" } },
      ),
    )
    const { server, session } = await startWithModel({ files }, model)
    const lines = { kind: "path", path: "notes.txt", range: { start: 5, end: 9 } }
    const bytes = { kind: "path", path: "token.txt", range: { start: 30, end: 80, unit: "byte" } }
    await server.send(session, [
      { type: "file-ref", ref: lines },
      { type: "file-ref", ref: bytes },
      {
        type: "mention",
        target: { kind: "file", name: "notes.txt", path: "notes.txt", range: { start: 8, end: 8 } },
      },
    ])
    await server.settled(session)
    const everything = await everythingOf(server, model)
    expect(model.bodies).toHaveLength(5)
    const pieces = KEY_LINES.map((line) => line.slice(20, 44))
    expect(leaked(everything, [...pieces, token.slice(40, 60)])).toEqual([])
    expect(everything.includes("the end")).toBe(true)
    expect(everything.includes("[redacted")).toBe(true)
  }, 60_000)

  it.skipIf(missing("bubblewrap"))(
    "[BEY-04] does not come out of a shell either",
    async () => {
      const files = { "workspace/notes.txt": NOTES }
      const model = await startModel(
        callInTurn(
          { name: "bash", input: { command: "sed -n 5,9p notes.txt; echo seen" } },
          { name: "bash", input: { command: "grep -rhn ^ . | cut -c 6-40" } },
        ),
      )
      const { server, session } = await startWithModel({ files }, model)
      await server.send(session, "go")
      for (const count of [2, 3]) {
        await until(async () => {
          const turn = (await server.get(`/v1/sessions/${session}/turns`)).json.turns.at(-1)
          for (const wait of turn?.waiting ?? [])
            await server.post(
              `/v1/sessions/${session}/turns/${turn.id}/calls/${wait.call_id}/approve`,
            )
          return model.bodies.length >= count
        }, `request ${count}`)
      }
      await server.settled(session)
      const everything = await everythingOf(server, model)
      expect(everything.includes("seen")).toBe(true)
      expect(
        leaked(
          everything,
          KEY_LINES.map((line) => line.slice(10, 26)),
        ),
      ).toEqual([])
    },
    60_000,
  )
})

describe("a secret in disguise", () => {
  it("[BEY-04] is found in two parts, escaped, encoded, and broken by what nobody sees", async () => {
    const { server, model, session } = await startWithModel({})
    const made = Array.from({ length: 6 }, () => `ghp_${random(36)}`)
    const [split = "", escaped = "", encoded, invisible = "", hyphen = "", broken = ""] = made
    const base64 = Buffer.from(`the token is ${encoded}`).toString("base64")
    const percent = escaped.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
    const cut = (text: string, mark: string) => `${text.slice(0, 22)}${mark}${text.slice(22)}`
    await server.send(session, [
      { type: "text", text: `one ${split.slice(0, 20)}` },
      { type: "text", text: `${split.slice(20)} two` },
      { type: "text", text: `three ${percent} four ${base64} five` },
      {
        type: "text",
        text: `six ${cut(invisible, "\u200b")} seven ${cut(hyphen, "\u00ad")} eight`,
      },
      { type: "text", text: `nine ${cut(broken, "\n")} ten` },
    ])
    await server.settled(session)
    const everything = await everythingOf(server, model)
    for (const word of [
      "one",
      "two",
      "three",
      "four",
      "five",
      "six",
      "seven",
      "eight",
      "nine",
      "ten",
    ])
      expect(model.texts.join("\n")).toContain(word)
    const tails = [split, invisible, hyphen, broken].map((secret) => secret.slice(-16))
    expect(leaked(everything, [...tails, percent, base64])).toEqual([])
  }, 60_000)
})

describe("the search for secrets", () => {
  it("[BEY-04] lets others be answered while it looks through megabytes of their words", async () => {
    const server = await startServer()
    const session = await server.session()
    const text = "password=".repeat(250_000)
    const parts = Array.from({ length: 4 }, () => ({ type: "text", text }))
    const state = { over: false }
    const sending = server.send(session, parts).finally(() => (state.over = true))
    let longest = 0
    while (!state.over) {
      const began = performance.now()
      expect((await server.call("GET", "/healthz")).status).toBe(200)
      longest = Math.max(longest, performance.now() - began)
    }
    expect((await sending).status).toBe(201)
    expect(longest).toBeLessThan(1500)
  }, 120_000)
})
