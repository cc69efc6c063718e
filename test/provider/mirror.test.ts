import { describe, expect, it } from "vitest"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import type { Receipt } from "../../packages/core/model/receipt.ts"
import { mirror } from "../../packages/engine/providers/mirror.ts"
import { assistant, collect, textBlock, user } from "../build.ts"
import { callOf, pictureBlock, providerContract, wordsOf } from "./contract.ts"

providerContract("mirror", async () => mirror({ pace_ms: 1 }))

describe("mirror", () => {
  async function reflects(messages: readonly PromptMessage[], receipts: readonly Receipt[] = []) {
    const provider = mirror({ pace_ms: 0 })
    const events = await collect(provider.stream({ ...callOf(provider, messages), receipts }))
    return { answer: wordsOf(events), events }
  }

  it("[BEY-01] tells what a model would have received, block by block", async () => {
    const earlier = [user(textBlock("one")), assistant(textBlock("two"))]
    const newest = user(textBlock("look"), pictureBlock("a.png", 2048))
    const receipt: Receipt = {
      part: "prt_1",
      type: "text",
      outcome: "inlined",
      rule: "CMP-103",
      reason: "Sent as it was | typed.",
      bytes: 4,
      tokens: 2,
      content_id: null,
      version: 1,
    }
    const { answer } = await reflects([...earlier, newest], [receipt])
    expect(answer).toBe(
      [
        "This is the mirror: no model was asked. It shows what a model would have received.",
        "",
        "- **Messages:** 3 (2 from you, 1 from the assistant)",
        "- **In all:** 2.0 KB, about 8 tokens",
        "- **System prompt:** 8 bytes, about 3 tokens",
        "",
        "### Your message, block by block",
        "",
        "**1. Text** · 4 bytes · about 2 tokens",
        "",
        "```text",
        "look",
        "```",
        "",
        "**2. Image** · `a.png` · image/png · 2 × 2 pixels · 2.0 KB · about 1 token",
        "",
        "### What became of each part",
        "",
        "| # | Part | Outcome | Why | Tokens |",
        "|---:|---|---|---|---:|",
        "| 1 | `text` | inlined | Sent as it was \\| typed. | 2 |",
      ].join("\n"),
    )
  })

  it("shows results of tools as the model would see them", async () => {
    const blocks = [textBlock("two lines"), pictureBlock("a.png", 2048)] as const
    const result = { type: "tool-result", id: "a", name: "read", blocks, is_error: false } as const
    const { answer } = await reflects([{ role: "user", blocks: [result] }])
    expect(answer).toContain("**1. Tool result** · `read` · 2.0 KB")
    expect(answer).toContain("two lines\n\n<Image>")
  })

  it("says that nothing of a message reaches the model", async () =>
    expect((await reflects([user()])).answer).toContain("Nothing of it reaches the model."))

  it("does not let a text close its fence, and shows a long one in part", async () => {
    const { answer } = await reflects([user(textBlock(`a\n\`\`\`\`\n${"b".repeat(9000)}`))])
    expect(answer).toContain("\n`````text\na\n````\nbbb")
    expect(answer).toContain("*… and 5,007 more characters.*")
  })

  it("comes in pieces that never cut a character", async () => {
    const { events, answer } = await reflects([user(textBlock("😀".repeat(500)))])
    const pieces = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))
    expect(pieces.length).toBeGreaterThan(10)
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    expect(answer).toContain("😀".repeat(500))
  })

  it("[SES-002] reports usage from estimates", async () => {
    const { events } = await reflects([user(textBlock("a".repeat(400)))])
    expect(events.at(-2)).toMatchObject({ type: "usage", usage: { input: 115 + 3 } })
  })
})
