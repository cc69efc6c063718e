import type { LoweringFixture } from "../../kit/conformance/fixtures.ts"
import { messagesIn } from "../../kit/conformance/fixtures.ts"
import { BODIES as anthropic } from "../lower/golden/anthropic-messages.ts"
import { BODIES as bedrock } from "../lower/golden/bedrock-converse.ts"
import { BODIES as gemini } from "../lower/golden/gemini-generatecontent.ts"
import { BODIES as mistral } from "../lower/golden/mistral-chat.ts"
import { BODIES as chat } from "../lower/golden/openai-chat.ts"
import { BODIES as responses } from "../lower/golden/openai-responses.ts"
import { ROWS, type RowName, WORKSPACE } from "../lower/golden/rows.ts"

const WIRES = [
  { api: "anthropic-messages", at: "messages", bodies: anthropic },
  { api: "openai-responses", at: "input", bodies: responses },
  { api: "openai-chat", at: "messages", bodies: chat },
  { api: "gemini-generatecontent", at: "contents", bodies: gemini },
  { api: "bedrock-converse", at: "messages", bodies: bedrock },
  { api: "mistral-chat", at: "messages", bodies: mistral },
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
  return WIRES.map(({ api, at, bodies }) => ({
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
