// A webhook's signature is worth one delivery (finding F9).

import { createHmac, randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { noPostgres, withPostgres } from "./outside/postgres.ts"
import { type Reply, type Server, startServer } from "./outside/product.ts"

const SECRET = "a secret of more than sixteen characters"
const TIMED = { kind: "hmac", secret: SECRET, time_header: "x-signed-at" }
const BODY = `{"opened":7}`

describe("a webhook", () => {
  it("[TRG-005] answers a signature that it accepted as the duplicate it is, also after a restart", async () => {
    const server = await startServer()
    const hook = await addHook(server, { kind: "hmac", secret: SECRET })
    const first = await deliver(server, hook, { "x-github-delivery": "one" })
    expect(first.status).toBe(202)
    const { message_id } = first.json

    const another = await deliver(server, hook, { "x-github-delivery": "another" })
    const nameless = await deliver(server, hook)
    const rewritten = await deliver(server, hook, {
      "x-hub-signature-256": `v0=beef, V1=${signatureOf(BODY)}`,
    })
    for (const again of [another, nameless, rewritten]) expectDuplicate(again, message_id)
    await server.stop()

    const next = await startServer({ folders: server.folders })
    expectDuplicate(await deliver(next, hook, { "x-github-delivery": "third" }), message_id)
    expect((await deliver(next, hook, {}, `{"opened":8}`)).status).toBe(202)
    await next.settled(hook.session)
    expect(await delivered(next, hook)).toEqual([`say {"opened":7}`, `say {"opened":8}`])
  })

  it("[TRG-005] knows a signed time again too, while the same id with a new time is one delivery", async () => {
    const server = await startServer()
    const hook = await addHook(server, TIMED)
    const now = Date.now()
    const first = await deliverAt(server, hook, now)
    expect(first.status).toBe(202)
    expectDuplicate(await deliverAt(server, hook, now), first.json.message_id)
    // A sender that tries again signs the new time.
    const second = await deliverAt(server, hook, now + 1, { "webhook-id": "w1" })
    expect(second.status).toBe(202)
    const third = await deliverAt(server, hook, now + 2, { "webhook-id": "w1" })
    expectDuplicate(third, second.json.message_id)
  })

  it("[TRG-005] takes the same signature twice only where the trigger says repeats and signs a time", async () => {
    const server = await startServer()
    const session = await server.session()
    const refuse = async (source: object) => {
      const reply = await server.post("/v1/triggers", {
        session_id: session,
        source,
        prompt: "say",
        repeats: true,
      })
      expect(reply.status).toBe(422)
      expect(reply.json.error.message).toContain("repeats needs a webhook whose key signs a time")
    }
    await refuse({ source: "webhook" })
    await refuse({ source: "webhook", key: { kind: "bearer", token: SECRET } })
    await refuse({ source: "api" })

    const hook = await addHook(server, TIMED, { repeats: true })
    const now = Date.now()
    const [one, two] = [await deliverAt(server, hook, now), await deliverAt(server, hook, now)]
    expect([one.status, two.status]).toEqual([202, 202])
    expect(one.json.message_id).not.toBe(two.json.message_id)
    const stale = await deliverAt(server, hook, now - 6 * 60_000)
    expect(stale.status).toBe(401)
  })
})

describe("strangers at webhooks", () => {
  it("[TRG-004] use up nobody's limits but their own", async () => {
    const server = await startServer({ words: ["--limit", "requests=20/s,messages=5/m"] })
    const hook = await addHook(server, { kind: "hmac", secret: SECRET })
    const stranger = { "x-hub-signature-256": "sha256=00" }
    const flood = await Promise.all(
      Array.from({ length: 100 }, () => deliver(server, hook, stranger)),
    )
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([401, 429]))
    expect((await deliver(server, hook)).status).toBe(202)
    expect((await server.get("/v1/sessions")).status).toBe(200)
  })
})

describe.skipIf(noPostgres)("a webhook of two nodes", () => {
  const postgres = withPostgres()

  it("[TRG-005] fires once, whichever nodes the same signature reaches and however fast", async () => {
    const COMPOSITOR_STORE = await postgres().room(`hooks${randomUUID().slice(0, 8)}`)
    const environment = { COMPOSITOR_STORE }
    const [one, other] = [await startServer({ environment }), await startServer({ environment })]
    const hook = await addHook(one, { kind: "hmac", secret: SECRET })
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        deliver(at % 2 === 0 ? one : other, hook, { "x-request-id": `r${at}` }),
      ),
    )
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(11)
    expect(new Set(replies.map(({ json }) => json.message_id)).size).toBe(1)
    await one.settled(hook.session)
    expect(await delivered(other, hook)).toEqual([`say ${BODY}`])
  })
})

interface Hook {
  readonly id: string
  readonly session: string
}

async function addHook(server: Server, key: object, more: object = {}): Promise<Hook> {
  const session = await server.session()
  const reply = await server.post("/v1/triggers", {
    session_id: session,
    source: { source: "webhook", key },
    prompt: "say {{body}}",
    ...more,
  })
  expect(reply.status).toBe(201)
  return { id: reply.json.trigger.id, session }
}

function deliver(server: Server, { id }: Hook, headers: object = {}, body = BODY): Promise<Reply> {
  return server.call("POST", `/v1/hooks/${id}`, body, {
    authorization: "",
    "x-hub-signature-256": `sha256=${signatureOf(body)}`,
    ...headers,
  })
}

function deliverAt(server: Server, hook: Hook, at: number, headers: object = {}) {
  const signature = `v1=${signatureOf(`${at}.${BODY}`)}`
  const signed = { "x-signed-at": `${at}`, "x-hub-signature-256": signature }
  return deliver(server, hook, { ...signed, ...headers })
}

function signatureOf(text: string): string {
  return createHmac("sha256", SECRET).update(text).digest("hex")
}

function expectDuplicate({ status, json }: Reply, message_id: string) {
  expect({ status, json }).toEqual({ status: 200, json: { status: "duplicate", message_id } })
}

async function delivered(server: Server, { session }: Hook): Promise<string[]> {
  const messages = await server.messages(session)
  return messages
    .filter(({ role }) => role === "user")
    .map(({ parts }) => parts.map(({ data }: { data: { text?: string } }) => data.text).join(""))
}
