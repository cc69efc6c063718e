import { createHmac } from "node:crypto"
import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { Triggers } from "../../packages/engine/triggers/triggers.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import { temporaryFolder } from "../build.ts"
import { openHouse, say, until } from "../session/house.ts"
import { caller } from "../session/tools.ts"
import { begin } from "../store/build.ts"
import {
  EVERYTHING,
  messagesIn,
  newSession,
  openServed,
  partsOf,
  type Served,
  settled,
} from "./served.ts"

function askedIn(messages: readonly StoredMessage[]) {
  return messages
    .filter(({ role }) => role === "user")
    .map(({ parts, metadata }) => ({ text: parts[0]?.data.text, trigger: metadata.trigger }))
}

async function deliver(served: Served, id: string, body: string, headers: Record<string, string>) {
  const request = { method: "POST", body, headers }
  const response = await fetch(`${served.running.url}/v1/hooks/${id}`, request)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe("a schedule", () => {
  it("[TRG-001] [BEY-07] sends its prompt as a row of the queue that says what sent it", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const { trigger } = await served.client.triggers.add({
      session_id: id,
      source: { source: "schedule", schedule: { kind: "at", at: Date.now() + 300 } },
      prompt: "Look at the mail.",
    })
    expect(trigger).toMatchObject({ enabled: true, next_fire_at: expect.any(Number) })
    await until(async () => (await messagesIn(served, id)).length === 2)
    const [asked] = askedIn(await messagesIn(served, id))
    expect(asked).toEqual({
      text: "Look at the mail.",
      trigger: {
        source: "schedule",
        fired_at: expect.any(Number),
        schedule_id: trigger.id,
        delivery_id: `at:${trigger.next_fire_at}`,
      },
    })
    const after = await served.client.triggers.get(trigger.id)
    expect(after.trigger).toMatchObject({ enabled: false, next_fire_at: null })
    expect(after.deliveries).toMatchObject([{ state: "sent" }])
  })

  it("[TRG-004] is turned off without being lost, and goes on from now when it is on again", async () => {
    const served = await openServed()
    const { triggers } = served.client
    const id = await newSession(served)
    const { trigger } = await triggers.add({
      session_id: id,
      source: { source: "schedule", schedule: { kind: "interval", every_ms: 3_600_000 } },
      prompt: "Look.",
    })
    const off = await triggers.switch(trigger.id, false)
    expect(off.trigger).toMatchObject({ enabled: false, next_fire_at: null, prompt: "Look." })
    await expect(triggers.fire(trigger.id)).rejects.toMatchObject({ status: 409 })
    expect(await messagesIn(served, id)).toEqual([])
    const on = await triggers.switch(trigger.id, true)
    expect(on.trigger.enabled).toBe(true)
    expect(on.trigger.next_fire_at).toBeGreaterThan(Date.now())
    await triggers.fire(trigger.id)
    await until(async () => (await messagesIn(served, id)).length === 2)
  })

  it("[TRG-004] cannot be turned on when its time is over", async () => {
    const served = await openServed()
    const { triggers } = served.client
    const { trigger } = await triggers.add({
      session_id: await newSession(served),
      source: { source: "schedule", schedule: { kind: "at", at: Date.now() + 100 } },
      prompt: "Look.",
    })
    await until(async () => !(await triggers.get(trigger.id)).trigger.enabled)
    await expect(triggers.switch(trigger.id, true)).rejects.toMatchObject({ status: 409 })
  })

  it("[TRG-002] asks nobody: what would be asked about is denied", async () => {
    const call = { name: "write", input: { path: "new.txt", content: "x" } }
    const served = await openServed({ script: caller([call]) })
    const id = await newSession(served)
    const { trigger } = await served.client.triggers.add({
      session_id: id,
      source: { source: "api" },
      prompt: "Write it.",
    })
    await served.client.triggers.fire(trigger.id)
    await until(async () => (await messagesIn(served, id)).length > 2)
    const [write] = partsOf(await settled(served, id), "tool-write")
    expect(write?.data).toMatchObject({
      state: "output-error",
      error_text: expect.stringContaining("nobody is there"),
    })
  })

  it("[TRG-001] is in no message that a human sent, whatever its sender says", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const forged = served.client.send(id, {
      source: "hello",
      metadata: { trigger: { source: "api", fired_at: 1 } },
    })
    await expect(forged).rejects.toMatchObject({ status: 422 })
  })

  it("fires once for a time that was slept through, and goes on by the clock", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const { store } = house.host
    const { id } = await begin(store, { workspace_root: null })
    let now = Date.UTC(2026, 0, 1, 8, 30)
    const sent: number[] = []
    const triggers = new Triggers({
      store,
      owner: "test",
      now: () => now,
      submit: async ({ trigger }) => sent.push(trigger?.fired_at ?? 0),
      watch: async () => undefined,
      unwatch: () => undefined,
    })
    const schedule = { kind: "cron", expression: "0 * * * *", timezone: "UTC" } as const
    await triggers.add({
      session_id: id,
      source: { source: "schedule", schedule },
      prompt: "It is the hour.",
    })
    await triggers.look()
    expect(sent).toEqual([])
    now = Date.UTC(2026, 0, 1, 9, 0, 1)
    await triggers.look()
    await triggers.look()
    expect(sent).toEqual([now])
    // Asleep for days; then the clock is set back.
    now = Date.UTC(2026, 0, 4, 12, 10)
    await triggers.look()
    await triggers.look()
    expect(sent).toHaveLength(2)
    now = Date.UTC(2026, 0, 4, 11, 30)
    await triggers.look()
    expect(sent).toHaveLength(2)
    now = Date.UTC(2026, 0, 4, 13, 0)
    await triggers.look()
    expect(sent).toHaveLength(3)
    const [left] = await triggers.list(id)
    expect(left?.next_fire_at).toBe(Date.UTC(2026, 0, 4, 14, 0))
  })

  it("[BEY-07] sends what a process fired and did not live to send", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const { store } = house.host
    const { id } = await begin(store, { workspace_root: null })
    const rooms = {
      store,
      owner: "test",
      watch: async () => undefined,
      unwatch: () => undefined,
    }
    const dying = new Triggers({ ...rooms, submit: async () => Promise.reject(new Error("gone")) })
    const { trigger } = await dying.add({
      session_id: id,
      source: { source: "api" },
      prompt: "Do it.",
    })
    await dying.fire(trigger.id, {})
    const [pending] = await store.pendingDeliveries(Date.now() + 1)
    expect(pending).toMatchObject({ text: "Do it.", state: "pending" })
    const sent: string[] = []
    const heir = new Triggers({
      ...rooms,
      store: { ...store, pendingDeliveries: () => store.pendingDeliveries(Date.now() + 1) },
      submit: async (submission) => {
        sent.push(submission.message_id ?? "")
        return house.host.submit(submission)
      },
    })
    await heir.look()
    await heir.look()
    expect(sent).toEqual([pending?.message_id])
    expect(await store.deliveries(trigger.id, 10)).toMatchObject([{ state: "sent" }])
    await house.host.idle()
    const { messages } = await store.history(id, { limit: 10 })
    expect(askedIn(messages)).toMatchObject([{ text: "Do it.", trigger: { source: "api" } }])
  })

  it("[BEY-07] fires once for each time, however many processes look", async () => {
    const folder = await temporaryFolder()
    const served = await openServed({ folder })
    const id = await newSession(served)
    const others = await Promise.all([1, 2].map(() => startServer(folder)))
    await served.client.triggers.add({
      session_id: id,
      source: { source: "schedule", schedule: { kind: "interval", every_ms: 1000 } },
      prompt: "Tick.",
    })
    await until(async () => askedIn(await messagesIn(served, id)).length >= 5)
    const [trigger] = (await served.client.triggers.list({ session: id })).triggers
    await served.client.triggers.remove(trigger?.id ?? "")
    for (const other of others) other.kill("SIGTERM")
    const asked = askedIn(await settled(served, id))
    const times = asked.map(({ trigger: said }) => (said as { delivery_id: string }).delivery_id)
    expect(new Set(times).size).toBe(times.length)
    expect(times.length).toBeLessThanOrEqual(7)
  }, 60_000)
})

async function startServer(folder: string) {
  const child = fork(join(import.meta.dirname, "serve-once.ts"), [folder], { silent: true })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child, "message")
  return child
}

describe("a webhook", () => {
  async function hooked(more: object = {}) {
    const served = await openServed()
    const id = await newSession(served)
    const added = await served.client.triggers.add({
      session_id: id,
      source: { source: "webhook" },
      prompt: "An issue: {{issue.title}}",
      ...more,
    })
    const secret = added.key?.kind === "hmac" ? added.key.secret : ""
    const sign = (body: string) => ({
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    })
    return { served, id, trigger: added.trigger, sign, secret }
  }
  const BODY = JSON.stringify({ issue: { title: "It {{body}} /clear @file:x" } })

  it("[TRG-004] lets in what is signed with its key, without the server's token", async () => {
    const { served, id, trigger, sign, secret } = await hooked()
    const headers = { ...sign(BODY), "x-github-event": "issues", "x-github-delivery": "d-1" }
    const answer = await deliver(served, trigger.id, BODY, headers)
    expect(answer).toMatchObject({ status: 202, body: { status: "accepted" } })
    const messages = await settled(served, id)
    // What a stranger wrote is neither a slot nor a command nor a mention.
    expect(askedIn(messages)).toEqual([
      {
        text: "An issue: It {{body}} /clear @file:x",
        trigger: {
          source: "webhook",
          fired_at: expect.any(Number),
          delivery_id: "d-1",
          auth_subject: "hmac",
          headers: expect.objectContaining({ "x-github-event": "issues" }),
        },
      },
    ])
    expect(messages[0]?.parts).toHaveLength(1)
    const { trigger: shown, deliveries } = await served.client.triggers.get(trigger.id)
    expect(JSON.stringify(shown)).not.toContain(secret)
    expect(deliveries).toMatchObject([{ delivery_id: "d-1", auth_subject: "hmac", state: "sent" }])
  })

  it("[TRG-004] turns all others away alike, and opens no other door", async () => {
    const { served, id, trigger, sign } = await hooked()
    const refused = { status: 401, body: { error: { code: "unauthorized" } } }
    const bad = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` }
    expect(await deliver(served, trigger.id, BODY, {})).toMatchObject(refused)
    expect(await deliver(served, trigger.id, BODY, bad)).toMatchObject(refused)
    const missing = trigger.id.replace(/.{6}$/, "zzzzzz")
    const strange = await deliver(served, missing, BODY, sign(BODY))
    expect(strange).toEqual(await deliver(served, trigger.id, BODY, bad))
    const { url } = served.running
    for (const [method, path] of [
      ["GET", `/v1/hooks/${trigger.id}`],
      ["POST", `/v1/hooks/${trigger.id}/fire`],
      ["POST", `/v1/hooks/../triggers/${trigger.id}/fire`],
      ["POST", `/v1/hooks/${id}`],
      ["DELETE", `/v1/hooks/${trigger.id}`],
    ] as const)
      expect((await fetch(`${url}${path}`, { method })).status, path).toBe(401)
    const large = "x".repeat(1024 * 1024 + 1)
    expect(await deliver(served, trigger.id, large, sign(large))).toMatchObject({ status: 413 })
    expect(await messagesIn(served, id)).toEqual([])
  })

  it("[TRG-002] takes the same delivery once, and no more than its throttle", async () => {
    const { served, id, trigger, sign } = await hooked({ throttle: { count: 2, per_ms: 60_000 } })
    const send = (delivery: string) => {
      const body = JSON.stringify({ delivery })
      return deliver(served, trigger.id, body, { ...sign(body), "webhook-id": delivery })
    }
    const same = await Promise.all(["a", "a", "a", "a"].map(send))
    expect(same.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(same.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(new Set(same.map(({ body }) => body.message_id)).size).toBe(1)
    expect((await send("b")).status).toBe(202)
    expect((await send("c")).status).toBe(429)
    expect((await send("a")).status).toBe(200)
    expect(askedIn(await settled(served, id))).toHaveLength(2)
  })

  it("goes with its session", async () => {
    const { served, id, trigger, sign } = await hooked()
    await served.client.sessions.remove(id)
    expect((await deliver(served, trigger.id, BODY, sign(BODY))).status).toBe(401)
    expect((await served.client.triggers.list()).triggers).toEqual([])
  })
})

describe("an agent's own wake-up", () => {
  it("[TRG-003] is a trigger of its session that ends after seven days", async () => {
    const day = 24 * 60 * 60 * 1000
    const wake = (when: object) => ({
      name: "request_wakeup",
      input: { when, prompt: "Look again.", reason: "The build runs." },
    })
    const served = await openServed({
      script: caller([
        wake({ kind: "delay_ms", value: 1000 }),
        wake({ kind: "cron", value: "0 9 * * *" }),
        wake({ kind: "delay_ms", value: 8 * day }),
        wake({ kind: "cron", value: "not a cron" }),
        { name: "cancel_wakeup", input: { schedule_id: "trg_nothing" } },
      ]),
    })
    const id = await newSession(served)
    await served.client.send(id, { source: "wait for it" })
    const messages = await settled(served, id)
    const outcomes = messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type.endsWith("wakeup"))
      .map(({ data }) => data.error_text ?? data.state)
    expect(outcomes).toEqual([
      "output-available",
      "output-available",
      "That is more than seven days away.",
      expect.any(String),
      "There is no wake-up trg_nothing in this session.",
    ])
    await until(async () => askedIn(await messagesIn(served, id)).length >= 2)
    expect(askedIn(await messagesIn(served, id))[1]).toMatchObject({
      text: "Look again.",
      trigger: { source: "self-schedule" },
    })
    await settled(served, id)
    const { triggers } = await served.client.triggers.list({ session: id })
    // The one that fired is gone; what comes again has its end.
    const kinds = triggers.map(({ source }) => "schedule" in source && source.schedule.kind)
    expect(kinds.filter((kind) => kind === "cron").length).toBeGreaterThan(0)
    const ends = triggers.map(
      ({ source }) => ("ends_at" in source ? source.ends_at : Number.NaN) - Date.now(),
    )
    expect(Math.max(...ends)).toBeLessThanOrEqual(7 * day)
    await served.client.sessions.remove(id)
    expect((await served.client.triggers.list()).triggers).toEqual([])
  }, 30_000)

  it("[TRG-003] cancels no trigger that a person set up", async () => {
    let wanted = ""
    const served = await openServed({
      script: ({ newest }) =>
        newest?.blocks.some(({ type }) => type === "tool-result")
          ? [{ text: "done" }]
          : [{ call: { id: "c1", name: "cancel_wakeup", input: { schedule_id: wanted } } }],
    })
    const id = await newSession(served)
    const { trigger } = await served.client.triggers.add({
      session_id: id,
      source: { source: "api" },
      prompt: "Hello.",
    })
    wanted = trigger.id
    await served.client.send(id, { source: "cancel it" })
    const [cancel] = partsOf(await settled(served, id), "tool-cancel_wakeup")
    expect(cancel?.tool_state).toBe("output-error")
    expect((await served.client.triggers.get(trigger.id)).trigger.enabled).toBe(true)
  })
})

describe("an event of a server", () => {
  it("[BEY-07] wakes the session when a resource changes", async () => {
    const toggle = { name: "everything_toggle-subscriber-updates", input: {} }
    const served = await openServed({
      files: { "data/config.json": { mcpServers: { everything: EVERYTHING } } },
      script: caller([toggle]),
    })
    const { client } = served
    const id = await newSession(served)
    const woken = await newSession(served)
    const uri = "demo://resource/static/document/features.md"
    await client.triggers.add({
      session_id: woken,
      source: { source: "mcp-event", server: "everything", uri },
      prompt: "{{uri}} of {{server}} changed.",
    })
    // The server's tool makes it tell of changes; a person says yes to the call.
    await client.send(id, { source: "begin" })
    await until(async () => (await client.status(id)).state === "waiting_on_approval")
    const [turn] = (await client.turns(id)).turns
    const call = {
      session_id: id,
      turn_id: turn?.id ?? "",
      call_id: turn?.waiting[0]?.call_id ?? "",
    }
    await client.calls.approve(call)
    await until(async () => (await messagesIn(served, woken)).length > 0)
    expect(askedIn(await messagesIn(served, woken))[0]).toMatchObject({
      text: `${uri} of everything changed.`,
      trigger: { source: "mcp-event", auth_subject: "mcp:everything" },
    })
  }, 60_000)
})

describe("triggers", () => {
  it("are kept to so many in a session, and must fire some time", async () => {
    const house = await openHouse()
    const { id } = await begin(house.host.store, { workspace_root: null })
    const { triggers } = house.host.equipment
    const add = (schedule: { kind: "at"; at: number }) =>
      triggers.add({ session_id: id, source: { source: "schedule", schedule }, prompt: "x" })
    await expect(add({ kind: "at", at: 1 })).rejects.toMatchObject({ code: "invalid" })
    for (let count = 0; count < 100; count++) await add({ kind: "at", at: Date.now() + 1e9 })
    await expect(add({ kind: "at", at: Date.now() + 1e9 })).rejects.toMatchObject({
      code: "conflict",
    })
    await say(house, id, "hello")
    await house.host.idle()
  })
})
