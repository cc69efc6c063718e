import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Usage } from "../../packages/core/message/row.ts"
import type { ToolPart } from "../../packages/core/message/tool-part.ts"
import { defineTool } from "../../packages/engine/tools/tool.ts"
import { NOTHING_USED } from "../store/build.ts"
import { png } from "../build.ts"
import {
  answersIn,
  gate,
  type House,
  newSession,
  openHouse,
  say,
  transcript,
  until,
} from "./house.ts"
import { ask, caller, type Log, look, pay } from "./tools.ts"

const ALLOW_PAY = {
  permission: "net.fetch",
  pattern: "**",
  action: "allow",
  source: "project",
} as const

async function allowed(options: Parameters<typeof openHouse>[0]) {
  return openHouse({ rules: async () => [ALLOW_PAY], ...options })
}

async function partsOf(house: House, id: string) {
  const answers = await answersIn(house, id)
  return answers.flatMap(({ parts }) => parts)
}

describe("a turn with tools", () => {
  it("[SES-001] makes each step an answer of its own, and each call one row", async () => {
    const house = await openHouse({
      tools: [look()],
      script: caller([{ name: "look", input: { at: "a" } }]),
    })
    const id = await newSession(house)
    await say(house, id, "look around")
    await house.host.idle()
    const [first, second] = await answersIn(house, id)
    expect(first?.parts).toMatchObject([
      {
        type: "tool-look",
        tool_call_id: "step1call0",
        tool_state: "output-available",
        data: {
          type: "tool-look",
          tool_call_id: "step1call0",
          state: "output-available",
          input: { at: "a" },
          output: { data: "saw a" },
          initiator: "model",
          read_only: true,
          metadata: { duration_ms: expect.any(Number) },
        },
      },
    ])
    expect(first?.metadata).toMatchObject({ finish: "tool-call", agent: "assistant" })
    expect(second?.parts.map(({ data }) => data)).toEqual([{ type: "text", text: "saw a" }])
    expect(second?.metadata).toMatchObject({ finish: "stop" })
    const [turn] = await house.host.store.turns(id)
    expect(turn).toMatchObject({ state: "finished", agent: "assistant" })
    expect(turn?.usage?.input).toBe(
      [first, second].reduce(
        (sum, answer) =>
          sum + ((answer?.metadata.usage as Usage | undefined) ?? NOTHING_USED).input,
        0,
      ),
    )
  })

  it("[TOL-002] is told of tools in the envelope, and keeps the catalog by its digest", async () => {
    const house = await openHouse({ tools: [look(), pay()], script: [{ text: "ok" }] })
    const id = await newSession(house)
    await say(house, id, "hello")
    await house.host.idle()
    const { tools } = house.model.calls[0]?.call.envelope ?? {}
    expect(tools?.map(({ name }) => name)).toEqual(["look", "pay"])
    expect(tools?.[0]?.parameters).toMatchObject({ type: "object", required: ["at"] })
    const [turn] = await house.host.store.turns(id)
    const catalog = await house.host.store.systemPrompt(turn?.tool_catalog_digest ?? "")
    expect(JSON.parse(catalog ?? "")).toEqual(tools)
  })

  it("runs calls beside each other where none changes anything", async () => {
    const log: Log = []
    const door = gate()
    const house = await openHouse({
      tools: [look(log, door.wait)],
      script: caller([
        { name: "look", input: { at: "a" } },
        { name: "look", input: { at: "b" } },
      ]),
    })
    const id = await newSession(house)
    await say(house, id, "look at both")
    await until(() => log.length === 2)
    expect(log).toEqual(["look a begins", "look b begins"])
    door.open()
    await house.host.idle()
    expect(await transcript(house, id)).toContain("assistant: saw a | saw b")
  })

  it("runs calls in their order where one changes something", async () => {
    const log: Log = []
    const house = await allowed({
      tools: [look(log), pay(log)],
      script: caller([
        { name: "pay", input: { whom: "x" } },
        { name: "look", input: { at: "a" } },
        { name: "pay", input: { whom: "y" } },
      ]),
    })
    const id = await newSession(house)
    await say(house, id, "pay up")
    await house.host.idle()
    expect(log).toEqual([
      "pay x begins",
      "pay x ends",
      "look a begins",
      "look a ends",
      "pay y begins",
      "pay y ends",
    ])
  })

  it("[TOL-002] tells the model what was wrong with a call, and never throws", async () => {
    const house = await allowed({
      tools: [pay()],
      script: caller([
        { name: "pay", input: { who: 1 } },
        { name: "fly" },
        { name: "pay", input: { whom: "nobody" } },
      ]),
    })
    const id = await newSession(house)
    await say(house, id, "try")
    await house.host.idle()
    const states = (await partsOf(house, id)).map(({ tool_state, data }) => [
      tool_state,
      data.error_text,
    ])
    expect(states.slice(0, 3)).toEqual([
      ["output-error", expect.stringContaining("whom")],
      ["output-error", "There is no tool fly here."],
      ["output-error", "nobody takes no money"],
    ])
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })

  it("keeps no result that is too large or no JSON, and says so", async () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const results = { circle, large: "x".repeat(9 * 1024 * 1024), none: undefined }
    const give = defineTool({
      id: "give",
      aliases: [],
      description: "Gives something.",
      input: z.object({ what: z.enum(["circle", "large", "none"]) }),
      requires: [],
      read_only: true,
      waits: false,
      consumes: [],
      absent: undefined,
      subject: () => "",
      execute: async ({ what }) => ({ data: results[what] }),
    })
    const script = caller(
      ["circle", "large", "none"].map((what) => ({ name: "give", input: { what } })),
    )
    const house = await openHouse({ tools: [give], script })
    const id = await newSession(house)
    await say(house, id, "give me")
    await house.host.idle()
    const parts = (await partsOf(house, id)).slice(0, 3)
    expect(parts.map(({ tool_state, data }) => [tool_state, data.error_text])).toEqual([
      ["output-error", expect.stringContaining("not JSON")],
      ["output-error", expect.stringContaining("too large")],
      ["output-available", undefined],
    ])
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })

  it("[VIS-002] sends what a tool showed again from what was kept, and keeps its bytes", async () => {
    const paint = defineTool({
      id: "paint",
      aliases: [],
      description: "Paints.",
      input: z.object({}),
      requires: [],
      read_only: true,
      waits: false,
      consumes: [],
      absent: undefined,
      subject: () => "",
      async execute(_input, { blobs }) {
        const bytes = png(3, 4)
        const { content_id, size } = await blobs.putBytes(bytes)
        const media = { content_id, size, mime: "image/png", name: "a.png" }
        return { data: null, blocks: [{ type: "image", media, width: 3, height: 4 }] }
      },
    })
    const house = await openHouse({ tools: [paint], script: caller([{ name: "paint" }]) })
    const id = await newSession(house)
    await say(house, id, "paint something")
    await house.host.idle()
    await say(house, id, "and now?")
    await house.host.idle()
    const results = house.model.calls
      .slice(1)
      .map(({ prompt }) => prompt.find(({ blocks }) => blocks[0]?.type === "tool-result"))
    expect(results[0]?.blocks).toMatchObject([
      { type: "tool-result", blocks: [{ type: "image", width: 3 }], is_error: false },
    ])
    expect(results[1]).toEqual(results[0])
    await house.host.vacuum()
    const [part] = await partsOf(house, id)
    const { output } = (part?.data ?? {}) as ToolPart
    const [block] = (output?.blocks ?? []) as unknown as { media: { content_id: string } }[]
    expect(await house.host.blobs.size(block?.media.content_id ?? "")).toBe(png(3, 4).length)
    const turn = await house.host.store.turns(id)
    const receipts = await house.host.store.receipts(id, turn[0]?.id ?? "")
    expect(receipts.find(({ type }) => type === "tool-paint")).toMatchObject({
      outcome: "native",
      content_id: block?.media.content_id,
    })
  })

  it("[SES-062] stops with its calls as they were, and answers each of them afterwards", async () => {
    const log: Log = []
    const house = await allowed({
      tools: [pay(log, () => new Promise(() => undefined)), look()],
      script: caller([
        { name: "pay", input: { whom: "x" } },
        { name: "look", input: { at: "a" } },
      ]),
    })
    const id = await newSession(house)
    await say(house, id, "pay up")
    await until(() => log.length === 1)
    const { turn } = await house.host.abort(id, false)
    expect(turn?.state).toBe("aborted")
    expect((await partsOf(house, id)).map(({ tool_state }) => tool_state)).toEqual([
      "input-available",
      "input-available",
    ])
    await say(house, id, "what happened?")
    await house.host.idle()
    const prompt = house.model.calls.at(-1)?.prompt
    expect(prompt?.[2]?.blocks).toMatchObject([
      { type: "tool-result", id: "step1call0", is_error: true, blocks: [{ text: "aborted" }] },
      { type: "tool-result", id: "step1call1", is_error: true, blocks: [{ text: "aborted" }] },
    ])
  })

  it("[SES-062] starts no further call once another process asked it to stop", async () => {
    const log: Log = []
    const stop = { now: async () => undefined as unknown }
    const house = await allowed({
      tools: [pay(log, () => stop.now())],
      script: caller([
        { name: "pay", input: { whom: "x" } },
        { name: "pay", input: { whom: "y" } },
      ]),
    })
    const other = await openHouse({ data: house.data, turns: false })
    const id = await newSession(house)
    stop.now = () => other.host.store.requestAbort({ session_id: id, clear: false })
    await say(house, id, "pay up")
    await house.host.idle()
    expect(log).toEqual(["pay x begins", "pay x ends"])
    expect((await house.host.store.latestTurn(id))?.state).toBe("aborted")
    expect(house.model.calls).toHaveLength(1)
  })

  it("stops a model that never comes to an end", async () => {
    const house = await openHouse({
      tools: [look()],
      script: ({ prompt }) => [
        { call: { id: `c${prompt.length}`, name: "look", input: { at: "a" } } },
      ],
    })
    const id = await newSession(house)
    await say(house, id, "look around")
    await house.host.idle()
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "error",
      error: { code: "too_many_steps" },
    })
  }, 60_000)
})

describe("a call that needs a person", () => {
  async function waiting(options: Parameters<typeof openHouse>[0] = {}) {
    const log: Log = []
    const script = caller(
      [{ name: "pay", input: { whom: "x" } }],
      [{ name: "pay", input: { whom: "x" } }],
    )
    const house = await openHouse({ tools: [pay(log), ask], script, ...options })
    const id = await newSession(house)
    const { claim } = await say(house, id, "pay up")
    await house.host.idle()
    return { house, id, log, turn_id: claim?.turn.id ?? "" }
  }

  function saying(type: "approve" | "retry" | "skip", call_id = "step1call0", always = false) {
    return { call_id, resolution: { type }, always }
  }

  it("[SES-070] [WDG-001] waits for approval, with nothing run", async () => {
    const { house, id, log } = await waiting()
    expect(log).toEqual([])
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "waiting_on_approval",
      waiting: [
        {
          call_id: "step1call0",
          tool: "pay",
          for: "approval",
          asks: [{ permission: "net.fetch", subject: "x" }],
        },
      ],
    })
  })

  it("[SES-071] goes on when it is approved, and asks again the next time", async () => {
    const { house, id, log, turn_id } = await waiting()
    const { message } = await say(house, id, "meanwhile")
    expect(message.state).toBe("queued")
    await house.host.resolveCall(id, turn_id, saying("approve"))
    await house.host.idle()
    expect(log).toEqual(["pay x begins", "pay x ends"])
    expect(await house.host.store.latestTurn(id)).toMatchObject({ state: "waiting_on_approval" })
    await house.host.resolveCall(id, turn_id, saying("approve", "step2call0"))
    await house.host.idle()
    expect((await transcript(house, id)).at(-3)).toBe(`assistant: {"paid":"x"}`)
    expect((await transcript(house, id)).at(-2)).toBe("user: meanwhile")
  })

  it("[PER-010] is not asked about again once it is always allowed", async () => {
    const { house, id, log, turn_id } = await waiting()
    await house.host.resolveCall(id, turn_id, saying("approve", "step1call0", true))
    await house.host.idle()
    expect(log).toHaveLength(4)
    expect((await house.host.store.session(id))?.permissions).toEqual([
      {
        permission: "net.fetch",
        pattern: "x",
        action: "allow",
        source: "session",
        added_at: expect.any(Number),
      },
    ])
  })

  it("[PER-010] is not allowed for ever by a pattern that says more than it shows", async () => {
    const { house, id, turn_id } = await waiting({
      script: caller([{ name: "pay", input: { whom: "*" } }]),
    })
    await expect(
      house.host.resolveCall(id, turn_id, saying("approve", "step1call0", true)),
    ).rejects.toMatchObject({ code: "invalid" })
    expect((await house.host.store.latestTurn(id))?.state).toBe("waiting_on_approval")
  })

  it("tells the model that it was denied", async () => {
    const { house, id, log, turn_id } = await waiting({
      script: caller([{ name: "pay", input: { whom: "x" } }]),
    })
    const resolution = { type: "deny", reason: "too dear" } as const
    await house.host.resolveCall(id, turn_id, { call_id: "step1call0", resolution, always: false })
    await house.host.idle()
    expect(log).toEqual([])
    expect((await transcript(house, id)).at(-1)).toBe(
      "assistant: error: The user denied this call: too dear",
    )
  })

  it("[SES-071] is settled once, whoever asks", async () => {
    const { house, id, log, turn_id } = await waiting()
    const both = await Promise.allSettled([
      house.host.resolveCall(id, turn_id, saying("approve")),
      house.host.resolveCall(id, turn_id, saying("approve")),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    await house.host.idle()
    expect(log).toHaveLength(2)
    await expect(house.host.resolveCall(id, turn_id, saying("retry"))).rejects.toMatchObject({
      code: "conflict",
    })
  })

  it("[SES-070] still waits after a restart, and goes on in another process", async () => {
    const { house, id, turn_id } = await waiting()
    await house.host.close()
    const log: Log = []
    const later = await openHouse({ data: house.data, tools: [pay(log)], script: [{ text: "ok" }] })
    await later.host.idle()
    expect((await later.host.store.latestTurn(id))?.state).toBe("waiting_on_approval")
    await later.host.resolveCall(id, turn_id, saying("approve"))
    await later.host.idle()
    expect(log).toHaveLength(2)
    expect((await transcript(later, id)).at(-1)).toBe("assistant: ok")
  })

  it("[PER-015] goes on where turns run when it was approved where none do", async () => {
    const { house, id, log, turn_id } = await waiting()
    const quiet = await openHouse({ data: house.data, turns: false })
    await quiet.host.resolveCall(id, turn_id, saying("approve"))
    await until(() => log.length === 2)
  })

  it("[UXH-002] is over when the turn is stopped, and the queue goes on", async () => {
    const { house, id, log } = await waiting({
      script: caller([{ name: "pay", input: { whom: "x" } }]),
    })
    await say(house, id, "next")
    const { turn } = await house.host.abort(id, false)
    expect(turn?.state).toBe("aborted")
    await house.host.idle()
    expect((await transcript(house, id)).slice(-2)).toEqual(["user: next", "assistant: next"])
    expect(log).toEqual([])
  })

  it("[TRG-002] is denied when nobody is there", async () => {
    const { house, id, log } = await waiting({
      headless: true,
      script: caller([
        { name: "pay", input: { whom: "x" } },
        { name: "question", input: { questions: [{ question: "which?" }] } },
      ]),
    })
    expect(log).toEqual([])
    expect((await transcript(house, id)).at(-1)).toMatch(
      /error: Denied: .*nobody is there.* \| error: Nobody is there to answer\.$/,
    )
  })

  it("[TRG-002] is denied when a trigger sent the message", async () => {
    const log: Log = []
    const script = caller([{ name: "pay", input: { whom: "x" } }])
    const house = await openHouse({ tools: [pay(log)], script })
    const id = await newSession(house)
    await say(house, id, "pay", { trigger: { source: "schedule", fired_at: 1 } })
    await house.host.idle()
    expect(log).toEqual([])
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })

  it("[WDG-001] is what the watchdog makes of it", async () => {
    const seen: unknown[] = []
    const log: Log = []
    const house = await allowed({
      tools: [pay(log)],
      script: caller([{ name: "pay", input: { whom: "x" } }]),
      before: (call) => {
        seen.push([call.tool_id, call.input])
        return { answer: "deny", reason: "not today" }
      },
    })
    const id = await newSession(house)
    await say(house, id, "pay")
    await house.host.idle()
    expect(seen).toEqual([["pay", { whom: "x" }]])
    expect(log).toEqual([])
    expect((await transcript(house, id)).at(-1)).toBe("assistant: error: Denied: not today.")
  })

  it("[TOL-005] waits for an answer, and gives it to the model", async () => {
    const { house, id, turn_id } = await waiting({
      script: caller([{ name: "question", input: { questions: [{ question: "which?" }] } }]),
    })
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "waiting_on_user_input",
      waiting: [{ for: "answer", tool: "question" }],
    })
    const resolution = { type: "answer", answers: [["red"]] } as const
    await house.host.resolveCall(id, turn_id, { call_id: "step1call0", resolution, always: false })
    await house.host.idle()
    expect((await transcript(house, id)).at(-1)).toBe(`assistant: {"answers":[["red"]]}`)
  })
})
