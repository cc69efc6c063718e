import { describe, expect, it } from "vitest"
import { BODIES as anthropicText } from "./golden/anthropic-messages-text-only.ts"
import { BODIES as anthropic } from "./golden/anthropic-messages-vision.ts"
import { BODIES as bedrockText } from "./golden/bedrock-converse-text-only.ts"
import { BODIES as bedrock } from "./golden/bedrock-converse-vision.ts"
import { BODIES as geminiText } from "./golden/gemini-generatecontent-text-only.ts"
import { BODIES as gemini } from "./golden/gemini-generatecontent-vision.ts"
import { BODIES as mistralText } from "./golden/mistral-chat-text-only.ts"
import { BODIES as mistral } from "./golden/mistral-chat-vision.ts"
import { BODIES as chatText } from "./golden/openai-chat-text-only.ts"
import { BODIES as chat } from "./golden/openai-chat-vision.ts"
import { BODIES as responsesText } from "./golden/openai-responses-text-only.ts"
import { BODIES as responses } from "./golden/openai-responses-vision.ts"
import { type Api, bodyOf, ROWS, type RowName, type Sight } from "./golden/rows.ts"

const GOLDEN: Readonly<Record<Api, Readonly<Record<Sight, Readonly<Record<RowName, object>>>>>> = {
  "anthropic-messages": { vision: anthropic, "text-only": anthropicText },
  "openai-responses": { vision: responses, "text-only": responsesText },
  "openai-chat": { vision: chat, "text-only": chatText },
  "gemini-generatecontent": { vision: gemini, "text-only": geminiText },
  "bedrock-converse": { vision: bedrock, "text-only": bedrockText },
  "mistral-chat": { vision: mistral, "text-only": mistralText },
}

const NAMES = Object.keys(ROWS) as RowName[]

describe.each(Object.entries(GOLDEN))("lowered for %s", (api, sights) => {
  describe.each(Object.entries(sights))("%s", (sight, bodies) => {
    it.each(NAMES)("[CMP-112] %s", async (name) => {
      expect(await bodyOf(name, api as Api, sight as Sight)).toEqual(bodies[name])
    })
  })
})
