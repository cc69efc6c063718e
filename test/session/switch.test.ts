import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { SwitchAnswer } from "../../packages/core/contract/models.ts"
import { attachment, bytes, fileRef, png, text } from "../build.ts"
import { listen, readRequest } from "../provider/loopback.ts"
import { type Door, newSession, openDoor, send } from "../server/house.ts"
import { writeConfig } from "./config.ts"

const SIGHTED = "anthropic/claude-sonnet-5-5"
const BLIND = "anthropic/claude-without-eyes"
const PDF = bytes("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< >>\n%%EOF\n")

interface Asked {
  readonly model: string
  readonly media: readonly string[]
}

/** An API with two models; the one without eyes refuses everything that is not text. */
async function twoModels() {
  const asked: Asked[] = []
  const url = await listen(async (request, response) => {
    const { model, messages } = JSON.parse((await readRequest(request)).body.toString("utf8"))
    const blocks = (messages as { content: { type: string }[] }[]).flatMap(({ content }) => content)
    const media = blocks.map(({ type }) => type).filter((type) => type !== "text")
    asked.push({ model, media })
    if (BLIND.endsWith(model) && media.length > 0) {
      const error = { type: "invalid_request_error", message: "this model takes text only" }
      response.writeHead(400).end(JSON.stringify({ type: "error", error }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).end(ANSWER)
  })
  return { url, asked }
}

const ANSWER = [
  { type: "message_start", message: { usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I see." } },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("")

async function house() {
  const { url, asked } = await twoModels()
  const data = await writeConfig({
    models: [{ provider_id: "anthropic", model_id: "claude-without-eyes", input: ["text"] }],
  })
  const environment = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: url }
  const { providers } = await import("../../packages/engine/providers/registry.ts")
  const door = await openDoor({ data, environment, providers: providers(environment) })
  await writeFile(join(door.workspace, "a.txt"), "one\ntwo\n")
  return { door, asked }
}

/** Send, wait, and give the turn with its receipts. */
async function turnOf(door: Door, session: string, parts: readonly object[]) {
  const { turn } = await send(door, session, "", { parts })
  await door.host.idle()
  const at = `/v1/sessions/${session}/turns/${turn.id}`
  const { body } = await door.ask("get", at)
  const { receipts } = (await door.ask("get", `${at}/receipts`)).body
  return { turn: body.turn, receipts: receipts as { part: string; outcome: string }[] }
}

async function reportOf(door: Door, session: string, model: string): Promise<SwitchAnswer> {
  const { status, body } = await door.ask("get", `/v1/sessions/${session}/switch?model=${model}`)
  expect(status).toBe(200)
  return body
}

function use(door: Door, session: string, model: string) {
  return door.ask("patch", `/v1/sessions/${session}`, { json: { model } })
}

function outcomes({ changes }: SwitchAnswer) {
  return changes.map(({ type, before, after }) => [type, before?.outcome, after?.outcome])
}

describe("switchReport", () => {
  it("[BEY-02] lists exactly the parts that change, and both ways the turns go on", async () => {
    const { door, asked } = await house()
    const session = await newSession(door, { model: SIGHTED })
    const first = await turnOf(door, session, [
      text("what is this?"),
      attachment("a.png", png(4, 4)),
      fileRef("a.txt"),
    ])
    await turnOf(door, session, [attachment("b.pdf", PDF), attachment("c.png", png(8, 8))])
    const media = ["image", "document", "image"]
    expect(asked.at(-1)).toEqual({ model: "claude-sonnet-5-5", media })

    const there = await reportOf(door, session, BLIND)
    expect(outcomes(there)).toEqual([
      ["file-attachment", "native", "descriptor"],
      ["file-attachment", "native", "descriptor"],
      ["file-attachment", "native", "descriptor"],
    ])
    expect(there.changes[0]?.part).toBe(first.receipts[1]?.part)
    expect(there.changes[0]?.after?.reason).toContain("does not take images")
    expect(there.to).toMatchObject({ model_id: "claude-without-eyes", fits: true })
    expect(there.to.tokens).not.toBe(there.from.tokens)

    await use(door, session, BLIND)
    const blind = await turnOf(door, session, [text("and now?")])
    expect(blind.turn.state).toBe("finished")
    expect(asked.at(-1)).toEqual({ model: "claude-without-eyes", media: [] })
    // What the report foretold is what the turn then did.
    const told = new Map(blind.receipts.map((receipt) => [receipt.part, receipt]))
    for (const { part, after } of there.changes) expect(told.get(part)).toMatchObject(after ?? {})

    const back = await reportOf(door, session, SIGHTED)
    expect(outcomes(back)).toEqual(
      outcomes(there).map(([type, before, after]) => [type, after, before]),
    )
    await use(door, session, SIGHTED)
    const sighted = await turnOf(door, session, [text("and again?")])
    expect(sighted.turn.state).toBe("finished")
    expect(asked.at(-1)).toEqual({ model: "claude-sonnet-5-5", media })
  })

  it("says that nothing changes where nothing does, and keeps nothing", async () => {
    const { door } = await house()
    const session = await newSession(door, { model: SIGHTED })
    await turnOf(door, session, [text("hi"), attachment("a.png", png())])
    const before = await door.host.store.knownBlobs()
    expect((await reportOf(door, session, SIGHTED)).changes).toEqual([])
    expect((await reportOf(door, session, "google/gemini-3.8-flash")).changes).toEqual([])
    expect(await door.host.store.knownBlobs()).toEqual(before)
  })

  it("tells which media would make room where the other API takes fewer", async () => {
    const { door } = await house()
    const session = await newSession(door, { model: SIGHTED })
    for (const at of [1, 2, 3, 4, 5])
      await turnOf(
        door,
        session,
        [1, 2].map((width) => attachment(`${at}-${width}.png`, png(width, at))),
      )
    const { changes } = await reportOf(door, session, "mistral/mistral-medium-latest")
    expect(changes.map(({ before, after }) => [before?.outcome, after?.outcome])).toEqual(
      Array.from({ length: 6 }, () => ["native", "descriptor"]),
    )
    const { messages } = await door.host.store.history(session, { limit: 100 })
    const pictures = messages.filter(({ role }) => role === "user").flatMap(({ parts }) => parts)
    // The oldest go, until half of the limit is free again.
    expect(changes.map(({ part }) => part)).toEqual(pictures.slice(0, 6).map(({ id }) => id))
  })

  it("says when the history does not fit into the other model's context", async () => {
    const { door } = await house()
    const session = await newSession(door, { model: SIGHTED })
    await turnOf(door, session, [text("word ".repeat(10_000))])
    expect((await reportOf(door, session, "ollama/gpt-oss:20b")).to).toMatchObject({
      context_tokens: 8192,
      fits: false,
    })
  })

  it("refuses a model or a session that is not there", async () => {
    const { door } = await house()
    const session = await newSession(door, { model: SIGHTED })
    const status = async (id: string, query: string) =>
      (await door.ask("get", `/v1/sessions/${id}/switch${query}`)).status
    expect(await status(session, "?model=nobody/x")).toBe(422)
    expect(await status(session, "")).toBe(422)
    expect(await status("ses_000000000000aaaaaaaaaaaaaa", `?model=${BLIND}`)).toBe(404)
  })
})

describe("a turn", () => {
  it("[BIN-022] records the revision of the knowledge it was lowered by", async () => {
    const { door } = await house()
    const session = await newSession(door, { model: BLIND })
    const { turn } = await turnOf(door, session, [text("hi")])
    const models: { model_id: string; revision: string }[] = (await door.ask("get", "/v1/models"))
      .body.models
    const known = models.find(({ model_id }) => model_id === "claude-without-eyes")
    expect(turn.capabilities_revision).toBe(known?.revision)
    expect(turn.capabilities_revision).toContain("/config-")
  })
})
