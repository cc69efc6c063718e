import { describe, expect, it } from "vitest"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import { decodePlain } from "../../packages/core/wires/plain.ts"
import type { WireFragment } from "../../packages/core/wires/body.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { anthropicHouse, OPUS, SONNET } from "./anthropic.ts"
import { answersIn, newSession, openHouse, say } from "./house.ts"
import { look } from "./tools.ts"

const THOUGHT = { text: "I should look.", signature: "sealed" }
const CALL = { id: "toolu_1", name: "look", input: { at: "a" } }

function thinker() {
  return anthropicHouse(
    (_body, count) =>
      count === 1
        ? { thinking: THOUGHT, text: "Let me see. ", call: CALL }
        : { text: "All is well." },
    { tools: [look()] },
  )
}

const SENT_BACK = [
  { type: "thinking", thinking: THOUGHT.text, signature: THOUGHT.signature },
  { type: "text", text: "Let me see." },
  { type: "tool_use", id: expect.any(String), name: "look", input: { at: "a" } },
]

describe("what a model thought", () => {
  it("is kept with its seal, and sent back with the calls that it led to", async () => {
    const { house, bodies } = await thinker()
    const id = await newSession(house)
    await say(house, id, "look", { model: SONNET })
    await house.host.idle()
    const [first] = await answersIn(house, id)
    expect(first?.parts.map(({ type, data }) => [type, data.text])).toEqual([
      ["reasoning", THOUGHT.text],
      ["text", "Let me see. "],
      ["tool-look", undefined],
    ])
    expect(first?.parts[0]?.data.seal).toMatchObject({
      api: "anthropic-messages",
      signature: "sealed",
    })
    expect(bodies[1].messages[1].content).toMatchObject(SENT_BACK)
    const tool_use_id = bodies[1].messages[1].content[2].id
    expect(bodies[1].messages[2].content).toMatchObject([
      { type: "tool_result", tool_use_id, content: [{ type: "text", text: "saw a" }] },
    ])
  })

  it("[COS-001] stays in later requests as it was", async () => {
    const { house, bodies } = await thinker()
    const id = await newSession(house)
    await say(house, id, "look", { model: SONNET })
    await house.host.idle()
    await say(house, id, "thanks")
    await house.host.idle()
    const shown = (body: { messages: { content: object[] }[] }) =>
      body.messages.slice(0, 3).map(({ content }) =>
        content.map(({ ...block }) => ({
          ...block,
          cache_control: undefined,
        })),
      )
    expect(shown(bodies[2])).toEqual(shown(bodies[1]))
  })

  it("is nothing to another model, which is told the rest", async () => {
    const { house, bodies } = await thinker()
    const id = await newSession(house)
    await say(house, id, "look", { model: SONNET })
    await house.host.idle()
    await say(house, id, "and you?", { model: OPUS })
    await house.host.idle()
    expect(bodies[2].messages[1].content).toMatchObject(SENT_BACK.slice(1))
  })

  it("[COS-001] goes once, when its turn is over, where an API does not want it again", async () => {
    const model = scriptedProvider()
    const thinker: Provider = {
      ...model,
      async *stream(call) {
        const seal = { api: model.api, model: call.envelope.model, signature: "sealed" }
        const done = decodePlain(call.messages.at(-1) as WireFragment).blocks[0]?.type !== "text"
        requests.push(call.messages.map(decodePlain))
        yield { type: "reasoning-delta", text: "hm" }
        yield { type: "reasoning-end", seal }
        if (done) yield { type: "text-delta", text: "done" }
        else yield { type: "tool-call-end", id: "c1", name: "look", input: { at: "a" } }
        yield { type: "end", reason: done ? "stop" : "tool-call" }
      },
    }
    const requests: PromptMessage[][] = []
    const house = await openHouse({ tools: [look()], providers: new Map([["scripted", thinker]]) })
    const id = await newSession(house)
    for (const words of ["one", "two"]) {
      await say(house, id, words)
      await house.host.idle()
    }
    const kinds = requests.map((prompt) =>
      prompt.map(({ blocks }) => blocks.map(({ type }) => type).join("+")),
    )
    const [first, closed] = ["reasoning+tool-call", "tool-call"]
    expect(kinds).toEqual([
      ["text"],
      ["text", first, "tool-result"],
      ["text", closed, "tool-result", "text", "text"],
      ["text", closed, "tool-result", "text", "text", first, "tool-result"],
    ])
  })
})
