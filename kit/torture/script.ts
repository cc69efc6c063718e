import { newId } from "../../packages/core/message/id.ts"
import type { createApp } from "../../packages/server/app.ts"
import type { Line } from "./traced.ts"

export interface Stage {
  readonly app: ReturnType<typeof createApp>
  idle(): Promise<void>
  note(line: Line): void
  readonly rounds: number
}

/** What should hold once an operation was acknowledged, by what it is about. */
type Facts = Readonly<Record<string, string>>

interface Operation {
  readonly method: string
  readonly path: string
  readonly json?: unknown
  readonly bytes?: Uint8Array
  /** Known before it is asked for, or from its answer. */
  readonly facts: Facts | ((answer: Answer) => Facts)
}

// oxlint-disable-next-line typescript/no-explicit-any
type Answer = any

const ATTACHED_BYTES = [120_000, 70_000, 90_000]

/** A fault that is over must not be in the way for longer than this many tries. */
const TRIES = 4

/** A session that does everything once, `rounds` times over: each operation is noted before it is asked
 *  for and once it was acknowledged. */
export async function play(stage: Stage) {
  const main = newId("ses")
  await make(stage, main)
  for (let round = 0; round < stage.rounds; round++) {
    await talk(stage, main, round)
    await queue(stage, main)
    await attach(stage, main, round)
    await paths(stage, main)
    await forget(stage)
    await draft(stage, main, `draft ${round}`)
  }
}

async function talk(stage: Stage, id: string, round: number) {
  await say(stage, id, `hello ${round}`)
  await say(stage, id, `how are you ${round}`)
  await stage.idle()
}

async function queue(stage: Stage, id: string) {
  const [kept, changed, dropped] = [newId("msg"), newId("msg"), newId("msg")]
  for (const message of [kept, changed, dropped]) await say(stage, id, "later", message, "paused")
  const parts = [{ type: "text", text: "changed" }]
  const at = (message: string) => `/v1/sessions/${id}/queue/${message}`
  await ask(stage, {
    method: "PATCH",
    path: at(changed),
    json: { parts },
    facts: { [`message:${id}/${changed}`]: "said changed" },
  })
  await ask(stage, {
    method: "DELETE",
    path: at(dropped),
    facts: { [`message:${id}/${dropped}`]: "cancelled" },
  })
  for (const message of [kept, changed])
    await ask(stage, { method: "PATCH", path: at(message), json: { state: "queued" }, facts: {} })
  await stage.idle()
}

async function attach(stage: Stage, id: string, round: number) {
  for (const size of ATTACHED_BYTES)
    await attachOne(stage, id, new Uint8Array(size).fill(round + 1))
}

async function attachOne(stage: Stage, id: string, bytes: Uint8Array) {
  const { content_id } = await ask(stage, {
    method: "POST",
    path: "/v1/blobs?name=a.bin",
    bytes,
    facts: {},
  })
  if (content_id === undefined) return
  const message = newId("msg")
  const part = { type: "file-attachment", name: "a.bin", mime: "application/octet-stream" }
  await ask(stage, {
    method: "POST",
    path: `/v1/sessions/${id}/messages`,
    json: { id: message, parts: [{ ...part, content_id }] },
    facts: { [`message:${id}/${message}`]: "said ", [`blob:${content_id}`]: "here" },
  })
  await stage.idle()
}

async function paths(stage: Stage, id: string) {
  const said = (await historyOf(stage, id)).slice(0, 2)
  const branch = await ask(stage, {
    method: "POST",
    path: `/v1/sessions/${id}/branch`,
    json: { from_message_id: said[1], metadata: { ephemeral: false } },
    facts: ({ session }) => ({
      [`session:${session.id}`]: "here",
      [`path:${session.id}`]: said.join(),
    }),
  })
  if (branch.session === undefined) return
  // Nobody says anything there, so that what its path holds is known.
  const at = `/v1/sessions/${branch.session.id}`
  const path = `path:${branch.session.id}`
  await ask(stage, {
    method: "POST",
    path: `${at}/rewind`,
    json: { before_message_id: said[1] },
    facts: { [path]: String(said[0]) },
  })
  await ask(stage, {
    method: "POST",
    path: `${at}/unrewind`,
    json: {},
    facts: { [path]: said.join() },
  })
}

async function forget(stage: Stage) {
  const id = newId("ses")
  await make(stage, id)
  await say(stage, id, "forget this")
  await stage.idle()
  const path = `/v1/sessions/${id}`
  await ask(stage, { method: "DELETE", path, facts: { [`session:${id}`]: "gone" } })
}

function draft(stage: Stage, id: string, source: string) {
  return ask(stage, {
    method: "PUT",
    path: `/v1/sessions/${id}/draft`,
    json: { base_revision: Number(source.split(" ")[1]), draft: { source }, updated_by: "torture" },
    facts: { [`draft:${id}`]: source },
  })
}

function make(stage: Stage, id: string) {
  const json = { id, model: "scripted", workspace_root: null }
  const facts = { [`session:${id}`]: "here" }
  return ask(stage, { method: "POST", path: "/v1/sessions", json, facts })
}

function say(stage: Stage, session: string, text: string, id = newId("msg"), mode = "immediate") {
  const json = { id, parts: [{ type: "text", text }], mode }
  const facts = { [`message:${session}/${id}`]: `said ${text}` }
  return ask(stage, { method: "POST", path: `/v1/sessions/${session}/messages`, json, facts })
}

async function historyOf(stage: Stage, id: string): Promise<string[]> {
  const response = await request(stage, "GET", `/v1/sessions/${id}/messages?limit=500`)
  const { messages = [] } = (await response.json()) as { messages?: readonly { id: string }[] }
  return messages.map((message) => message.id)
}

/** What failed is asked for again: a retry finds what the first try did. */
async function ask(stage: Stage, operation: Operation): Promise<Answer> {
  const { method, path, facts } = operation
  const known = typeof facts === "function" ? {} : facts
  for (let tried = 1; ; tried++) {
    stage.note({ type: "asked", method, path, facts: known })
    const response = await request(stage, method, path, operation)
    const answer: Answer = await response.json()
    const code: string = answer.error?.code ?? ""
    const { status } = response
    // The first try may have been heard before its answer failed.
    const done = status < 300 || (tried > 1 && (status === 404 || status === 409))
    if (done) {
      const held = typeof facts === "function" && status < 300 ? facts(answer) : known
      stage.note({ type: "acknowledged", method, path, facts: status < 300 ? held : known })
      return answer
    }
    stage.note({ type: "refused", method, path, status, code })
    if (tried === TRIES) return {}
  }
}

function request(
  { app }: Pick<Stage, "app">,
  method: string,
  path: string,
  { json, bytes }: Pick<Operation, "json" | "bytes"> = {},
) {
  const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json))
  const type = bytes ? "application/octet-stream" : "application/json"
  return app.request(`http://torture${path}`, {
    method,
    headers: {
      host: "torture",
      authorization: "Bearer torture",
      ...(body === undefined ? {} : { "content-type": type }),
    },
    ...(body === undefined ? {} : { body, duplex: "half" }),
  } as RequestInit)
}
