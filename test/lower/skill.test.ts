import { describe, expect, it } from "vitest"
import { lower, promptMessages } from "../../packages/core/lower/lower.ts"
import { capabilitiesFrom } from "../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { API_LIMITS } from "../../packages/core/wires/wires.ts"
import type { PromptMessage, Thinking } from "../../packages/core/model/prompt.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { loaded, text } from "../build.ts"

const BODY = "Read the diff twice."
const skill = (name = "review", more: object = {}) =>
  loaded({ type: "skill-content", name, text: BODY, initiator: "user", ...more })

const APIS = [
  ["anthropic-messages", "claude-x"],
  ["openai-responses", "gpt-x"],
  ["openai-chat", "gpt-x"],
  ["gemini-generatecontent", "gemini-3-x"],
  ["bedrock-converse", "anthropic.claude-x"],
  ["mistral-chat", "mistral-x"],
] as const

const THINKING: readonly (Thinking | undefined)[] = [
  undefined,
  { type: "off" },
  { type: "effort", effort: "high" },
  { type: "budget", tokens: 2048 },
]

const SKILL = { name: "skill", description: "Load a skill.", parameters: { type: "object" } }

async function body(api: string, model: string, thinking: Thinking | undefined) {
  const wire = findWire(api)
  if (!wire) throw new Error(`${api} is no wire API`)
  const policy = { file_refs: "auto", thinking_budget: thinking?.type === "budget" } as const
  const parts = [loaded(text("look at a.ts")), skill("review", { arguments: "a.ts" })]
  const messages = promptMessages(lower(parts, capabilitiesOfApi(api), policy))
  const envelope = { model, system: "", max_tokens: 9000, tools: [SKILL] }
  const request = wire.body(
    thinking ? { ...envelope, thinking } : envelope,
    messages.map((message) => wire.encode(message, model)),
  )
  return fragmentText(request, async function* () {})
}

describe("a skill's body", () => {
  const cases = APIS.flatMap(([api, model]) =>
    THINKING.map((thinking) => [api, thinking?.type ?? "as it likes", model, thinking] as const),
  )
  it.each(cases)(
    "[CMP-062] [DEC-07] reaches %s once, by one path, thinking %s",
    async (api, _, model, thinking) => {
      const said = await body(api, model, thinking)
      expect(said.split(BODY)).toHaveLength(2)
      const refused =
        thinking?.type === "budget" && ["anthropic-messages", "bedrock-converse"].includes(api)
      expect(said.includes("skill_content")).toBe(refused)
      expect(called(JSON.parse(said))).toBe(!refused)
    },
  )

  it("[CMP-062] is the result of a call where the model takes one", () => {
    const part = skill("review", { arguments: "a.ts" })
    const { blocks, calls, receipts } = lower(
      [loaded(text("go")), part],
      capabilitiesOfApi("openai-chat"),
    )
    expect(promptMessages({ blocks, calls })).toEqual([
      { role: "user", blocks: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        blocks: [
          {
            type: "tool-call",
            id: part.id,
            name: "skill",
            input: { name: "review", arguments: "a.ts" },
          },
        ],
      },
      {
        role: "user",
        blocks: [
          {
            type: "tool-result",
            id: part.id,
            name: "skill",
            blocks: [{ type: "text", text: BODY }],
            is_error: false,
          },
        ],
      },
    ] satisfies PromptMessage[])
    expect(receipts[1]).toMatchObject({
      outcome: "tool",
      rule: "CMP-062",
      reason: "The skill review is loaded, as the result of a call.",
    })
    expect(receipts[1]?.bytes).toBeGreaterThan(BODY.length)
  })

  it("[CMP-062] is a block of the user's where it does not, and for a model without tools", () => {
    const without = capabilitiesFrom({
      api: "openai-chat",
      input: ["text"],
      tools: false,
      context_tokens: 0,
      tables: API_LIMITS,
      layers: [],
    })
    const { blocks, calls, receipts } = lower([skill('a "b"')], without)
    expect(calls).toEqual([])
    expect(blocks).toEqual([
      {
        type: "text",
        text: `<skill_content name="a &quot;b&quot;">\n${BODY}\n</skill_content>`,
      },
    ])
    expect(receipts[0]?.outcome).toBe("tool")
  })

  it("several skills are calls of one answer, and a message of nothing else has words too", () => {
    const lowered = lower([skill("a"), skill("b")], capabilitiesOfApi("mistral-chat"))
    const [said, calls, results] = promptMessages(lowered)
    expect(said?.blocks).toEqual([{ type: "text", text: "Load the skill, then follow it." }])
    expect(calls?.blocks).toHaveLength(2)
    expect(results?.blocks).toHaveLength(2)
  })

  it("a message without skills is one message", () =>
    expect(promptMessages(lower([loaded(text("a"))], capabilitiesOfApi("mistral-chat")))).toEqual([
      { role: "user", blocks: [{ type: "text", text: "a" }] },
    ]))
})

/** Whether something in a body calls a tool by the name of skill, and something answers it. */
function called(body: unknown): boolean {
  const said = JSON.stringify(body)
  const call = /"(?:tool_use|function_call)"|"tool_calls"|"functionCall"|"toolUse"/.test(said)
  const answer =
    /"tool_result"|"function_call_output"|"role":"tool"|"functionResponse"|"toolResult"/
  return call && answer.test(said)
}
