import type { Part } from "../packages/core/parts/table.ts"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import type { Frame } from "../packages/client/sse.ts"
import { partsOfInput } from "../packages/core/compose/bridge.ts"
import type { ComposerInput } from "../packages/core/compose/composer-input.ts"
import { BARE_VOCABULARY } from "../packages/core/compose/vocabulary.ts"
import { openHost } from "../packages/engine/host/host.ts"
import type { StreamEvent } from "../packages/core/message/row.ts"
import { createApp } from "../packages/server/app.ts"
import { attachment, png, temporaryFolder } from "./build.ts"
import { listen, readRequest } from "./provider/loopback.ts"
import { Listener } from "./server/house.ts"
import { gate } from "./session/house.ts"

const DOCUMENT = join(import.meta.dirname, "..", "ARCHITECTURE.md")
const [BEGIN, END] = ["<!-- walk:begin -->", "<!-- walk:end -->"]

const GREET = `import { everyone } from "./people.ts"
export function greet() {
  return everyone().map((name) => \`Hello, \${name}\`)
}
`
const SOURCE = "What does @src/greet.ts#L2-4 do? The result is below."
const INPUT: ComposerInput = {
  source: SOURCE,
  nodes: [
    {
      kind: "file",
      start: 10,
      end: 28,
      raw: SOURCE.slice(10, 28),
      path: "src/greet.ts",
      range: { start: 2, end: 4 },
    },
  ],
}
const CONTEXT: Part = {
  type: "editor-context",
  kind: "selection",
  source: "editor",
  payload: { text: "<greet>" },
  emitted_at: 1_700_000_000_000,
}

it("walks one message through every room, as ARCHITECTURE.md tells it", async () => {
  const told = (await walk()).trim()
  expect(told.split("\n").length).toBeLessThan(90)
  const document = await readFile(DOCUMENT, "utf8")
  const [before, rest = ""] = document.split(BEGIN)
  const [section = "", after] = rest.split(END)
  if (process.env["UPDATE_WALK"])
    await writeFile(DOCUMENT, `${before}${BEGIN}\n${told}\n${END}${after}`)
  // After a change that is meant: UPDATE_WALK=1 npm test -- test/walk.test.ts
  else expect(section.trim()).toBe(told)
})

async function walk(): Promise<string> {
  const api = await fakeApi()
  const { ask, host, session } = await house(api.url)
  const picture = attachment("result.png", png(640, 480), "image/png")
  const parts = [...partsOfInput(INPUT, BARE_VOCABULARY), picture, CONTEXT]

  const stream = new Listener(await ask("GET", `/v1/sessions/${session}/events?after=1`))
  const sent = await ask("POST", `/v1/sessions/${session}/messages`, {
    parts,
    metadata: { composer_input: INPUT },
    model: "anthropic/claude-sonnet-4-5",
  })
  const { message, turn } = (await sent.json()) as { message: { id: string }; turn: Row }
  const frames = await stream.upTo(isRow("message", "insert", "assistant"))
  api.speak.open()
  frames.push(...(await stream.upTo(isRow("part", "insert", ""))))
  api.finish.open()
  frames.push(...(await stream.upTo(isRow("status", "update", "idle"))))

  const seen = await (
    await ask("GET", `/v1/sessions/${session}/inspect?message=${message.id}`)
  ).json()
  const { messages, captures, lowered, turns, answers } = seen as Inspection
  const [question, answer] = messages
  const body = JSON.parse((await api.request).toString("utf8"))
  const blobs = await Promise.all(
    (await host.store.knownBlobs()).map((content_id) => host.store.blob(content_id)),
  )
  const [request] = turns
  if (!question || !answer || !request) throw new Error("the walk broke off")
  expect(request.turn.id).toBe(turn.id)
  expect(body.messages).toEqual((lowered.body as { messages: object[] }).messages)

  const show = placeholders(question.parts.map(({ id }) => String(id)))
  return [
    "**compose** finds the spans of what was typed; the gaps between them are text.",
    block([
      `source  ${JSON.stringify(SOURCE)}`,
      ...(INPUT.nodes ?? []).map((node) => `node    ${show(node)}`),
    ]),
    "The surface adds what was dropped and what the editor showed. **submit** reads the bytes for what they are, hashes",
    "them into the blob store, and keeps the selected lines as they are now.",
    block([
      ...parts.map((part) => `part     ${show(part)}`),
      ...captures.map((capture) => `capture  ${show(capture)}`),
      ...blobs.map((blob) => `blob     ${show(blob)}`),
    ]),
    "**store** writes rows and events in one commit. The session is idle, so the same commit claims the message: it has",
    "its place in history (`seq`), and a turn with its fence.",
    block([
      `chat_messages  ${show(pick(question.message, "id", "role", "state", "seq", "position"))}`,
      `               metadata ${show(withoutInput(question.message.metadata_json))}`,
      ...question.parts.map((part) => `chat_parts     ${show(pick(part, "id", "index", "type"))}`),
      `               data_json of prt_4 ${show(JSON.parse(String(question.parts[3]?.data_json)))}`,
      `turns          ${show(pick(turn, "id", "attempt", "fence", "state"))}`,
    ]),
    "**lower** makes blocks of the loaded parts, and a receipt for each. What cannot be shown is described; nothing is",
    "dropped in silence.",
    block([
      ...lowered.prompt.messages.flatMap(({ blocks }) =>
        blocks.map((each) => `block    ${show(each)}`),
      ),
      ...request.receipts.map(
        (receipt) =>
          `receipt  ${show(pick(receipt, "part", "outcome", "rule", "bytes", "tokens", "reason"))}`,
      ),
    ]),
    "**provider** puts the blocks on its wire; the request is on disk before it is sent.",
    block(wireLines(body, show)),
    "The answer comes back as rows and text on the session's stream. Text first, then the row that holds it.",
    block(frames.map((frame) => frameLine(frame, show))),
    "At its end the turn has its usage, and the answer is a message like any other.",
    block([
      `turns          ${show({ state: request.turn.state, usage: request.turn.usage })}`,
      `chat_messages  ${show(pick(answer.message, "id", "role", "state", "seq"))}`,
      ...(answers[0]?.parts ?? []).map(
        (part) => `chat_parts     ${show(pick(part, "id", "index", "data"))}`,
      ),
    ]),
  ].join("\n")
}

interface Inspection {
  readonly messages: readonly { message: Row; parts: readonly Row[] }[]
  readonly captures: readonly object[]
  readonly lowered: {
    readonly body: unknown
    readonly prompt: { readonly messages: readonly { blocks: readonly object[] }[] }
  }
  readonly turns: readonly { turn: Row; receipts: readonly Row[] }[]
  readonly answers: readonly { parts: readonly Row[] }[]
}
type Row = Readonly<Record<string, unknown>>

/** A server that answers as Anthropic's does, when it is let. */
async function fakeApi() {
  const [speak, finish] = [gate(), gate()]
  const { promise: request, resolve } = Promise.withResolvers<Buffer>()
  const url = await listen(async (incoming, response) => {
    resolve((await readRequest(incoming)).body)
    response.writeHead(200, { "content-type": "text/event-stream" })
    const usage = { input_tokens: 420, output_tokens: 1 }
    say(response, { type: "message_start", message: { usage } })
    await speak.wait
    const start = {
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    }
    say(response, start)
    say(response, textDelta("It greets "))
    await finish.wait
    say(response, textDelta("everyone."))
    const end = { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }
    say(response, { type: "message_delta", ...end })
    say(response, { type: "message_stop" })
    response.end()
  })
  return { url, speak, finish, request }
}

function textDelta(text: string) {
  return { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }
}

function say(response: ServerResponse, event: { readonly type: string } & Row) {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** The real host and the real routes; whoever calls is already inside. */
async function house(base_url: string) {
  const folder = await temporaryFolder()
  const workspace = join(folder, "workspace")
  await mkdir(join(workspace, "src"), { recursive: true })
  await writeFile(join(workspace, "src", "greet.ts"), GREET)
  const host = await openHost({
    data: join(folder, "data"),
    workspace,
    environment: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: base_url },
  })
  onTestFinished(() => host.close())
  const app = createApp(host, { rules: null })
  const ask = async (method: string, path: string, json?: object) =>
    app.request(path, {
      method,
      ...(json
        ? { body: JSON.stringify(json), headers: { "content-type": "application/json" } }
        : {}),
    })
  const created = await ask("POST", "/v1/sessions", { title: "Greetings" })
  const { session } = (await created.json()) as { session: { id: string } }
  return { ask, host, session: session.id }
}

function isRow(type: string, operation: string, about: string) {
  return (frame: Frame) => {
    if (frame.event !== "row") return false
    const row = JSON.parse(frame.data) as StreamEvent
    if (row.type !== type || row.headers.operation !== operation) return false
    return about === "" || row.value?.role === about || row.value?.state === about
  }
}

type Show = (value: unknown) => string

/** What differs from run to run is told by its kind: ids by their order, times and digests as such. */
function placeholders(parts: readonly string[]): Show {
  const names = new Map(parts.map((id, at) => [id, `prt_${at + 1}`]))
  const nameOf = (id: string) => {
    const prefix = id.slice(0, 3)
    const count = [...names.keys()].filter((known) => known.startsWith(prefix)).length
    const name = names.get(id) ?? `${prefix}_${count + 1}`
    names.set(id, name)
    return name
  }
  return (value) =>
    JSON.stringify(value)
      .replace(/(?:ses|msg|prt|trn)_[0-9a-f]{12}\w{14}/g, nameOf)
      .replace(/sha256:([0-9a-f]{8})[0-9a-f]{56}/g, "sha256:$1…")
      .replace(/"0{3}\d{13}:/g, '"TIME:')
      .replace(/:1\d{12}\b/g, ":TIME")
      .replace(/"[A-Za-z0-9+/]{40,}={0,2}"/g, '"BASE64"')
}

function pick(row: Row, ...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

function withoutInput(metadata_json: unknown): Row {
  const { composer_input: _, ...rest } = JSON.parse(String(metadata_json))
  return rest
}

function wireLines(body: Row, show: Show): string[] {
  const { messages, system, tools, ...rest } = body
  const [message] = messages as { role: string; content: object[] }[]
  const [instructions] = system as { text: string }[]
  return [
    `POST /v1/messages  ${show(rest)}`,
    `tools    ${(tools as { name: string }[])
      .slice(0, 4)
      .map(({ name }) => name)
      .join(", ")} …`,
    `system   ${show(`${instructions?.text.slice(0, 28)}…`)}`,
    ...(message?.content ?? []).map((content) => `${message?.role}     ${show(content)}`),
  ]
}

function frameLine({ event, data }: Frame, show: Show): string {
  if (event !== "row")
    return `${event}  ${show(pick(JSON.parse(data), "part_id", "offset", "text"))}`
  const { seq, type, key, headers, value } = JSON.parse(data) as StreamEvent
  const state = typeof value?.state === "string" ? ` → ${value.state}` : ""
  const name = type === "status" ? "" : ` ${JSON.parse(show(key))}`
  return `row    ${seq} ${type} ${headers.operation}${name}${state}`
}

function block(lines: readonly string[]): string {
  return ["```", ...lines, "```", ""].join("\n")
}
