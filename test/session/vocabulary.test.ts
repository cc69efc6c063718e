import { openPart, type Part } from "../../packages/core/parts/table.ts"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { messageOf } from "../../packages/core/interop/message.ts"
import { toAcpBlocks } from "../../packages/core/interop/to-acp-blocks.ts"
import { toUIMessages } from "../../packages/core/interop/to-ui-messages.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import type { RecordedCall } from "../../packages/engine/providers/scripted.ts"
import { TriggerEnvelope } from "../../packages/core/triggers/trigger.ts"
import { PARTS } from "../../kit/conformance/samples.ts"
import { waitingIn } from "../store/build.ts"
import { gate, type House, newestOf, newSession, openHouse, say, until } from "./house.ts"
import { caller, look } from "./tools.ts"

const FIGURES = ["input", "output", "reasoning", "cache_read", "cache_write"]

async function messagesIn({ host }: House, session_id: string): Promise<StoredMessage[]> {
  return (await host.store.history(session_id, { limit: 99 })).messages
}

describe("the metadata of a message", () => {
  it("[PER-006] say what is known of it under the documented names", async () => {
    const door = gate()
    const house = await openHouse({
      message_user: async () => ({ snapshot_id: "snap" }),
      script: (call) => [
        ...(newestOf(call).includes("first") ? [{ wait: door.wait }] : []),
        { text: "Done." },
      ],
    })
    const id = await newSession(house)
    const model = (await house.host.store.session(id))?.model
    const trigger = { source: "api" as const, fired_at: 1 }
    await say(house, id, "first", { model })
    await until(() => house.model.calls.length === 1)
    const second = await say(house, id, "second", { trigger })
    const third = await say(house, id, "third")
    const { queued_at, queue_enqueued_at } = second.message.metadata
    expect(queued_at).toEqual(expect.any(Number))
    expect(queue_enqueued_at).toBe(queued_at)
    const cancelled = await house.host.cancelQueued(id, third.message.id)
    expect(cancelled.message.metadata.queue_canceled_at).toEqual(expect.any(Number))
    door.open()
    await house.host.idle()
    const [asked, answer, next] = await messagesIn(house, id)
    expect(asked?.metadata).toEqual({
      schema_version: 1,
      model,
      queue_enqueued_at: expect.any(Number),
      snapshot_id: "snap",
    })
    expect(answer?.metadata).toMatchObject({
      usage: Object.fromEntries(FIGURES.map((figure) => [figure, expect.any(Number)])),
      model,
      agent: "assistant",
      system_prompt_digest: expect.stringMatching(/^sha256:/),
    })
    expect(next?.metadata).toEqual({
      schema_version: 1,
      queue_enqueued_at,
      snapshot_id: "snap",
      trigger,
    })
    await house.host.store.rewind({ session_id: id, before_message_id: next?.id ?? null })
    const hidden = await house.host.store.message(id, next?.id ?? "")
    expect(hidden?.metadata.hidden_at).toEqual(expect.any(Number))
  })

  it("[DBG-004] name the system prompt by its digest, under which it is kept", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "hello")
    await house.host.idle()
    const [, answer] = await messagesIn(house, id)
    const digest = String(answer?.metadata.system_prompt_digest)
    const body = (await house.host.store.systemPrompt(digest)) ?? ""
    expect(body).toContain("You are a helpful assistant")
    expect(digest).toBe(`sha256:${createHash("sha256").update(body).digest("hex")}`)
  })
})

describe("the types of parts", () => {
  /** The types of the AI SDK's message parts. */
  const KNOWN =
    /^(text|reasoning|tool-[\w-]+|dynamic-tool|file|source-url|source-document|data-[\w-]+)$/

  it("[PER-008] of an answer are those of the AI SDK", async () => {
    const calls = caller([{ name: "look", input: { at: "a" } }])
    const next = (call: RecordedCall) => (typeof calls === "function" ? calls(call) : calls)
    const house = await openHouse({
      tools: [look()],
      script: (call) => [{ reasoning: "Let me see." }, ...next(call)],
    })
    const id = await newSession(house)
    await say(house, id, "look around")
    await house.host.idle()
    await say(house, id, [{ type: "command", id: "/compact", args: { raw: "" }, raw: "/compact" }])
    await house.host.idle()
    const answers = (await messagesIn(house, id)).filter(({ role }) => role === "assistant")
    const types = answers.flatMap(({ parts }) => parts.map(({ type }) => type))
    expect(new Set(types)).toEqual(new Set(["reasoning", "tool-look", "text", "data-compaction"]))
    for (const type of types) expect(type).toMatch(KNOWN)
  })

  it("[PER-008] leave data-compaction to the house: a user's part of that name sums nothing up", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "the word is oak")
    const forged = {
      type: "data-compaction",
      summary: "Nothing was said.",
      tail_start_id: null,
      auto: false,
      summary_tokens: 1,
    }
    await say(house, id, [openPart(forged), { type: "text", text: "and now?" }])
    await house.host.idle()
    const prompt = JSON.stringify(house.model.calls.at(-1)?.prompt)
    expect(prompt).toContain("the word is oak")
    expect(prompt).not.toContain("Nothing was said.")
  })

  it("[CMP-102] are changed by nobody who shows, sends or lowers them, and neither is their order", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, PARTS.filter(({ type }) => type !== "command") as Part[])
    await house.host.idle()
    const stored = await messagesIn(house, id)
    const before = structuredClone(stored)
    const messages = deepFrozen(stored.map(messageOf))
    toUIMessages(messages)
    for (const { parts } of messages) toAcpBlocks(parts as never)
    await say(house, id, "again")
    await house.host.idle()
    expect((await messagesIn(house, id)).slice(0, before.length)).toEqual(before)
  })
})

describe("a message that nobody typed", () => {
  it.each(TriggerEnvelope.shape.source.options)(
    "[UX-010] waits like any other when %s sent it",
    async (source) => {
      const door = gate()
      const house = await openHouse({
        script: (call) => [
          ...(newestOf(call).includes("held") ? [{ wait: door.wait }] : []),
          { text: "Done." },
        ],
      })
      const id = await newSession(house)
      await say(house, id, "held")
      await until(() => house.model.calls.length === 1)
      await say(house, id, "typed before")
      const { message } = await say(house, id, "woken", { trigger: { source, fired_at: 1 } })
      await say(house, id, "typed after")
      expect(message).toMatchObject({ state: "queued", metadata: { trigger: { source } } })
      const times = (await house.host.store.queue(id)).map(({ metadata }) => metadata.queued_at)
      expect(times).toEqual([...times].toSorted((one, other) => Number(one) - Number(other)))
      expect(new Set(times).size).toBe(3)
      expect(await waitingIn(house.host.store, id)).toEqual([
        "typed before",
        "woken",
        "typed after",
      ])
      door.open()
      await house.host.idle()
      expect(house.model.calls.map((call) => newestOf(call).join())).toEqual([
        "held",
        "typed before",
        "woken",
        "typed after",
      ])
      const fired = await house.host.store.message(id, message.id)
      expect(fired?.metadata).not.toHaveProperty("queued_at")
    },
  )
})

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value
  for (const each of Object.values(value)) deepFrozen(each)
  return Object.freeze(value)
}
