import type { Block, Effort, PromptMessage, Seal } from "../../packages/core/model/prompt.ts"
import type { RequestEnvelope } from "../../packages/core/wires/define-wire.ts"
import { media } from "../build.ts"

// What every wire API is asked to carry: the expected bodies stand in full in each API's test.
// Media are three zeros, "AAAA" in base64.

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

export const picture: Block = {
  type: "image",
  media: media("a.png", "image/png", 3),
  width: 2,
  height: 2,
}
export const photo: Block = {
  type: "image",
  media: media("b.heic", "image/heic", 3),
  width: 2,
  height: 2,
}
export const plan: Block = { type: "document", media: media("plan.pdf", "application/pdf", 3) }
export const table: Block = { type: "document", media: media("t.csv", "text/csv", 3) }
export const letter: Block = { type: "document", media: media("l.docx", WORD, 3) }
export const archive: Block = { type: "document", media: media("z.zip", "application/zip", 3) }
export const sound: Block = { type: "audio", media: media("s.wav", "audio/wav", 3) }
export const film: Block = { type: "video", media: media("f.mp4", "video/mp4", 3) }

/** One message with every kind of file in it. */
export const FILES: PromptMessage = {
  role: "user",
  blocks: [
    { type: "text", text: 'say "hi"\n' },
    picture,
    photo,
    plan,
    table,
    letter,
    archive,
    sound,
    film,
  ],
}

/** A turn with a thought, two calls at once, their results with media, and the answer. The results
 *  come behind the words that the user added, as when a message was steered in. */
export function toolTurn(seal: Seal | undefined): PromptMessage[] {
  const sealed = seal ? { seal } : {}
  return [
    { role: "user", blocks: [{ type: "text", text: "look" }] },
    {
      role: "assistant",
      blocks: [
        { type: "reasoning", text: "I should look.", ...sealed },
        { type: "text", text: "Looking. \n", ...sealed },
        { type: "tool-call", id: "first-call", name: "read_image", input: { path: "a.png" } },
        { type: "tool-call", id: "abcDEF123", name: "my.tool", input: {}, ...sealed },
      ],
    },
    {
      role: "user",
      blocks: [
        { type: "text", text: "and hurry" },
        {
          type: "tool-result",
          id: "first-call",
          name: "read_image",
          is_error: false,
          blocks: [{ type: "text", text: "2 x 2" }, picture, plan],
        },
        {
          type: "tool-result",
          id: "abcDEF123",
          name: "my.tool",
          is_error: true,
          blocks: [{ type: "text", text: "no such thing" }, sound],
        },
      ],
    },
    { role: "assistant", blocks: [{ type: "text", text: "Done." }] },
    { role: "user", blocks: [{ type: "text", text: "thanks" }] },
  ]
}

export function envelope(model: string, effort?: Effort): RequestEnvelope {
  return {
    model,
    system: "Be kind.",
    max_tokens: 100,
    tools: [
      {
        name: "read_image",
        description: "Look at an image.",
        parameters: { properties: { path: { type: "string" } }, required: ["path"] },
      },
      { name: "my.tool", description: "Do it.", parameters: { type: "object" } },
    ],
    ...(effort ? { thinking: { type: "effort", effort } } : {}),
  }
}
