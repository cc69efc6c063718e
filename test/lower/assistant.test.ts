import { describe, expect, it } from "vitest"
import { lowerAssistant } from "../../src/lower/assistant.ts"

describe("lowerAssistant", () => {
  it("sends back what was said, without reasoning, blanks and trailing space", () =>
    expect(
      lowerAssistant([
        { type: "reasoning", text: "hm" },
        { type: "text", text: "  Yes. \n\n" },
        { type: "text", text: " " },
        { type: "text" },
        { type: "step" },
      ]),
    ).toEqual([{ type: "text", text: "  Yes." }]))
})
