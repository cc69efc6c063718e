import type { LoweringFixture } from "../../kit/conformance/fixtures.ts"
import { messagesIn } from "../../kit/conformance/fixtures.ts"
import { BODIES as anthropicText } from "../lower/golden/anthropic-messages-text-only.ts"
import { BODIES as anthropic } from "../lower/golden/anthropic-messages-vision.ts"
import { BODIES as bedrockText } from "../lower/golden/bedrock-converse-text-only.ts"
import { BODIES as bedrock } from "../lower/golden/bedrock-converse-vision.ts"
import { BODIES as geminiText } from "../lower/golden/gemini-generatecontent-text-only.ts"
import { BODIES as gemini } from "../lower/golden/gemini-generatecontent-vision.ts"
import { BODIES as mistralText } from "../lower/golden/mistral-chat-text-only.ts"
import { BODIES as mistral } from "../lower/golden/mistral-chat-vision.ts"
import { BODIES as chatText } from "../lower/golden/openai-chat-text-only.ts"
import { BODIES as chat } from "../lower/golden/openai-chat-vision.ts"
import { BODIES as responsesText } from "../lower/golden/openai-responses-text-only.ts"
import { BODIES as responses } from "../lower/golden/openai-responses-vision.ts"
import { ROWS, type RowName, WORKSPACE } from "../lower/golden/rows.ts"

const WIRES = [
  { api: "anthropic-messages", at: "messages", vision: anthropic, "text-only": anthropicText },
  { api: "openai-responses", at: "input", vision: responses, "text-only": responsesText },
  { api: "openai-chat", at: "messages", vision: chat, "text-only": chatText },
  { api: "gemini-generatecontent", at: "contents", vision: gemini, "text-only": geminiText },
  { api: "bedrock-converse", at: "messages", vision: bedrock, "text-only": bedrockText },
  { api: "mistral-chat", at: "messages", vision: mistral, "text-only": mistralText },
] as const

/** What a draft cannot say: a body that a call loaded, and a command that was resolved already. */
const BESIDE: readonly RowName[] = ["skill-content", "command, result"]

/** What the model itself must take beside its API, for a row to look as it is written. */
const TAKES: Readonly<Partial<Record<RowName, string>>> = {
  "attachment, audio": "audio",
  "attachment, video": "video",
  "attachment, pdf": "pdf",
}

/** What is published, made of the bodies that stand written out in the tests. */
export function loweringFixtures(): LoweringFixture[] {
  const names = (Object.keys(ROWS) as RowName[]).filter(
    (name) => !("answered" in ROWS[name]) && !BESIDE.includes(name),
  )
  const files = Object.fromEntries(
    Object.entries(WORKSPACE).map(([path, text]) => [path, Buffer.from(text).toString("base64")]),
  )
  return WIRES.map(({ api, at, ...bodies }) => ({
    api,
    at,
    files,
    cases: (["vision", "text-only"] as const).flatMap((sight) =>
      names.map((name) => ({
        name,
        sight,
        ...(sight === "vision" && TAKES[name] ? { takes: TAKES[name] } : {}),
        parts: ROWS[name].parts,
        messages: messagesIn(bodies[sight][name] as unknown as Record<string, unknown>, at),
      })),
    ),
  }))
}
