import { describe, expect, it } from "vitest"
import type { ModelEvent, ModelUsage } from "../../packages/core/model/prompt.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { withRetries, type RetryOptions } from "../../packages/engine/providers/retry.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { collect, textBlock, user } from "../build.ts"
import { callOf, providerContract } from "./contract.ts"

providerContract("patient", async () =>
  withRetries(scriptedProvider([{ text: "yes" }, { text: "!", delay_ms: 1 }])),
)

const busy = { type: "error", code: "overloaded", message: "later", retryable: true } as const
const end = { type: "end", reason: "stop" } as const
const word = { type: "text-delta", text: "hi" } as const

describe("patient", () => {
  /** One list of events for each attempt; tells what came out and how long was waited. */
  async function tries(attempts: readonly (readonly ModelEvent[])[], options: RetryOptions = {}) {
    let asked = 0
    const waits: number[] = []
    const provider: Provider = {
      ...scriptedProvider(),
      stream: async function* () {
        yield* attempts[asked++] ?? []
      },
    }
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
      return true
    }
    const insisting = withRetries(provider, { wait, random: () => 1, ...options })
    const events = await collect(insisting.stream(callOf(provider, [user(textBlock("a"))])))
    return { events, waits, asked }
  }

  it("asks once when all goes well", async () =>
    expect(await tries([[word, end]])).toEqual({ events: [word, end], waits: [], asked: 1 }))

  it("tries again what may pass, twice as patient each time, and says so", async () => {
    const { events, waits } = await tries([[busy], [busy], [word, end]])
    const about = { type: "retrying", code: "overloaded", message: "later" }
    expect(events).toEqual([
      { ...about, attempt: 1, delay_ms: 500 },
      { ...about, attempt: 2, delay_ms: 1000 },
      word,
      end,
    ])
    expect(waits).toEqual([500, 1000])
  })

  it("waits a different time each time, and never less than half", async () => {
    expect((await tries([[busy], [end]], { random: () => 0 })).waits).toEqual([250])
    expect((await tries([[busy], [end]], { max_delay_ms: 100 })).waits).toEqual([100])
  })

  it("waits as long as the API asks for, and gives up when that is too long", async () => {
    const asking = { ...busy, retry_after_ms: 7000 }
    expect((await tries([[asking], [end]])).waits).toEqual([7000])
    expect(await tries([[asking]], { max_retry_after_ms: 6000 })).toEqual({
      events: [asking],
      waits: [],
      asked: 1,
    })
  })

  it("gives up with the last fault", async () => {
    const last = { ...busy, message: "never" }
    const { events, asked } = await tries([[busy], [busy], [busy], [last], [end]])
    expect(asked).toBe(4)
    expect(events.at(-1)).toEqual(last)
  })

  it("does not try what cannot pass", async () => {
    const refused = { ...busy, retryable: false }
    expect((await tries([[refused], [end]])).events).toEqual([refused])
  })

  it.each<ModelEvent>([
    word,
    { type: "reasoning-delta", text: "hm" },
    { type: "reasoning-end", seal: null },
    { type: "tool-call-start", id: "a", name: "b" },
  ])("never says anything twice: not after %j", async (event) =>
    expect(await tries([[event, busy], [end]])).toEqual({
      events: [event, busy],
      waits: [],
      asked: 1,
    }),
  )

  it("[SES-002] tells usage once, for all attempts together", async () => {
    const usage: ModelUsage = { input: 3, output: 1, reasoning: 0, cache_read: 2, cache_write: 1 }
    const told = { type: "usage", usage } as const
    const { events } = await tries([
      [told, busy],
      [word, told, end],
    ])
    expect(events.slice(1)).toEqual([
      word,
      {
        type: "usage",
        usage: { input: 6, output: 2, reasoning: 0, cache_read: 4, cache_write: 2 },
      },
      end,
    ])
    expect((await tries([[told, busy]], { attempts: 1 })).events).toEqual([told, busy])
  })

  it("[SES-062] stops waiting when it is aborted", async () => {
    const provider = withRetries(scriptedProvider([{ error: busy }]), { first_delay_ms: 60_000 })
    const signal = AbortSignal.timeout(20)
    const events = await collect(provider.stream({ ...callOf(provider, []), signal }))
    expect(events).toMatchObject([
      { type: "retrying" },
      { type: "error", code: "aborted", retryable: false },
    ])
  })
})
