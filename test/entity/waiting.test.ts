import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import { defineTool } from "../../packages/engine/tools/tool.ts"
import { temporaryFolder } from "../build.ts"
import { until } from "../session/house.ts"
import { caller, type Log, pay } from "../session/tools.ts"
import { entityHouse, input } from "./house.ts"

const Note = z.object({ id: z.string(), text: z.string() })

describe("a handler that asks the model", () => {
  async function paying(script = caller([{ name: "pay", input: { whom: "x" } }])) {
    const log: Log = []
    const runs: string[] = []
    const payer = defineEntity({
      type: "payer",
      state: { notes: { schema: Note, primaryKey: "id" } },
      handler: async (ctx) => {
        if (ctx.wake.type !== "inbox") return
        runs.push("began")
        await ctx.db.collections.notes.insert({ id: "before", text: `run ${runs.length}` })
        const { text } = await ctx.agent()
        await ctx.db.collections.notes.insert({ id: "after", text })
        runs.push("ended")
      },
    })
    const house = await entityHouse([payer], { tools: [pay(log)], script })
    const id = await house.spawn("/payer/p")
    const state = async () => (await house.host.store.latestTurn(id))?.state
    await until(async () => (await state()) === "finished")
    await house.send("/payer/p", input("pay x"))
    return { house, id, log, runs, state }
  }

  it("[EA-035][SES-071] waits for a person, and goes on where it was when it runs again", async () => {
    const { house, id, log, runs, state } = await paying()
    await until(async () => (await state()) === "waiting_on_approval")
    await house.host.idle()
    expect([log, runs]).toEqual([[], ["began"]])
    const turn = await house.host.store.latestTurn(id)
    const { waiting = [], id: turn_id = "" } = turn ?? {}
    const path = `/v1/sessions/${id}/turns/${turn_id}/calls/${waiting[0]?.call_id}/approve`
    expect((await house.ask("post", path, { json: {} })).status).toBe(200)
    await until(async () => (await state()) === "finished")
    expect(log).toEqual(["pay x begins", "pay x ends"])
    expect(runs).toEqual(["began", "began", "ended"])
    const notes = await house.host.store.entityRows(id, "notes")
    expect(notes.map(({ value }) => value)).toEqual([
      { id: "after", text: `{"paid":"x"}` },
      { id: "before", text: "run 1" },
    ])
  })

  it("[EA-035] goes on behind a call that ran when its process died, and does not run it again", async () => {
    const data = join(await temporaryFolder(), "data")
    const log: Log = []
    const hang = new Promise<never>(() => undefined)
    const payer = defineEntity({
      type: "payer",
      state: { notes: { schema: Note, primaryKey: "id" } },
      handler: async (ctx) => {
        if (ctx.wake.type !== "inbox") return
        const { text } = await ctx.agent()
        await ctx.db.collections.notes.insert({ id: "after", text })
      },
    })
    const ALLOW = {
      permission: "net.fetch",
      pattern: "**",
      action: "allow",
      source: "project",
    } as const
    const options = { data, tools: [pay(log)], rules: async () => [ALLOW] }
    const first = await entityHouse([payer], {
      ...options,
      script: ({ newest }) =>
        newest?.blocks.some(({ type }) => type === "tool-result")
          ? [{ wait: hang }]
          : [{ call: { id: "one", name: "pay", input: { whom: "x" } } }],
    })
    const id = await first.spawn("/payer/p")
    await first.send("/payer/p", input("pay x"))
    await until(() => first.model.calls.length === 2)
    await first.host.close()
    const second = await entityHouse([payer], {
      ...options,
      lease_ms: 50,
      script: [{ text: "paid" }],
    })
    await until(async () => (await second.host.store.latestTurn(id))?.state === "finished")
    expect(log).toEqual(["pay x begins", "pay x ends"])
    const row = await second.host.store.entityRow(id, "notes", "after")
    expect(row?.value).toEqual({ id: "after", text: "paid" })
  })

  it("[EA-035][SES-061] leaves a call that may have run to the user, and never runs it in silence", async () => {
    const data = join(await temporaryFolder(), "data")
    const begun: string[] = []
    const runs: string[] = []
    const transfer = (execute: () => Promise<{ data: string }>) =>
      defineTool({
        id: "transfer",
        aliases: [],
        description: "Sends money.",
        input: z.object({}),
        requires: [],
        read_only: false,
        waits: false,
        consumes: [],
        absent: undefined,
        subject: () => "",
        execute: async () => {
          begun.push("transfer")
          return execute()
        },
      })
    const payer = defineEntity({
      type: "payer",
      handler: async (ctx) => {
        if (ctx.wake.type !== "inbox") return
        runs.push("began")
        await ctx.agent()
        runs.push("ended")
      },
    })
    const first = await entityHouse([payer], {
      data,
      tools: [transfer(() => new Promise<never>(() => undefined))],
      script: [{ call: { id: "one", name: "transfer", input: {} } }],
    })
    const id = await first.spawn("/payer/p")
    await first.send("/payer/p", input("pay"))
    await until(() => begun.length === 1)
    await first.host.close()
    const second = await entityHouse([payer], {
      data,
      lease_ms: 50,
      tools: [transfer(async () => ({ data: "sent" }))],
      script: [{ text: "done" }],
    })
    const turn = () => second.host.store.latestTurn(id)
    await until(async () => (await turn())?.state === "waiting_on_user_input")
    await second.host.idle()
    expect([begun, runs, second.model.calls]).toEqual([["transfer"], ["began"], []])
    const { id: turn_id = "", waiting = [] } = (await turn()) ?? {}
    expect(waiting).toMatchObject([{ for: "interrupted", reason: "it may have run" }])
    const path = `/v1/sessions/${id}/turns/${turn_id}/calls/${waiting[0]?.call_id}/skip`
    expect((await second.ask("post", path, { json: {} })).status).toBe(200)
    await until(async () => (await turn())?.state === "finished")
    expect([begun, runs]).toEqual([["transfer"], ["began", "began", "ended"]])
  })

  it("[SES-062] stops when its turn is aborted, and the queue goes on", async () => {
    const { house, id, runs, state } = await paying()
    await until(async () => (await state()) === "waiting_on_approval")
    await house.host.abort(id, false)
    await until(async () => (await state()) === "aborted")
    expect(runs).toEqual(["began"])
  })

  it("[EA-033] ends in error where the model fails, with what the model said", async () => {
    const fault = { code: "overloaded", message: "too busy", retryable: false } as const
    const { house, id, state } = await paying(() => [{ error: fault }])
    await until(async () => (await state()) === "error")
    const turn = await house.host.store.latestTurn(id)
    expect(turn?.error).toEqual({ code: "overloaded", message: "too busy" })
  })
})
