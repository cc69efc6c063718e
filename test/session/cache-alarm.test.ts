import { describe, expect, it } from "vitest"
import type { ModelEvent } from "../../packages/core/model/prompt.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { newSession, openHouse, say } from "./house.ts"
import { caller, look } from "./tools.ts"

const MODEL = { provider_id: "anthropic", model_id: "claude-sonnet-4-5" }

/** A model that looks around before it answers, and says of each step what it read from its cache. */
async function noticesOf(reads: readonly number[], input = 20_000): Promise<readonly string[]> {
  const steps = reads.slice(1).map((_, at) => [{ name: "look", input: { at: `${at}` } }])
  const model = scriptedProvider(caller(...steps))
  const left = [...reads]
  const provider: Provider = {
    ...model,
    id: MODEL.provider_id,
    async *stream(call) {
      const cache_read = left.shift() ?? 0
      const usage = { input: input - cache_read, output: 1, reasoning: 0, cache_read }
      for await (const event of model.stream(call))
        yield (
          event.type === "usage" ? { type: "usage", usage: { ...usage, cache_write: 0 } } : event
        ) as ModelEvent
    },
  }
  const providers = new Map([[provider.id, provider]])
  const house = await openHouse({ providers, tools: [look()] })
  const id = await newSession(house)
  await say(house, id, "look around", { model: MODEL })
  await house.host.idle()
  const turn = await house.host.store.latestTurn(id)
  expect(turn).toMatchObject({ state: "finished", error: null })
  expect(left).toEqual([])
  return turn?.notices ?? []
}

describe("a provider's cache", () => {
  it("[COS-001] of which nothing was read is told of, once a turn", async () => {
    const [notice, ...more] = await noticesOf([0, 0, 0])
    expect(notice).toMatch(/read nothing from its cache, though it was sent the same 20000 tokens/)
    expect(more).toEqual([])
    expect(await noticesOf([0, 19_000, 0])).toHaveLength(1)
  })

  it("[COS-001] is quiet where it was read, and where there is too little to keep", async () => {
    expect(await noticesOf([0, 19_000, 19_500])).toEqual([])
    expect(await noticesOf([0, 0, 0], 5000)).toEqual([])
    expect(await noticesOf([0])).toEqual([])
  })
})
