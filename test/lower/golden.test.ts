import { describe, expect, it } from "vitest"
import { BODIES as anthropic } from "./golden/anthropic-messages.ts"
import { BODIES as bedrock } from "./golden/bedrock-converse.ts"
import { BODIES as gemini } from "./golden/gemini-generatecontent.ts"
import { BODIES as mistral } from "./golden/mistral-chat.ts"
import { BODIES as chat } from "./golden/openai-chat.ts"
import { BODIES as responses } from "./golden/openai-responses.ts"
import { type Api, bodyOf, ROWS, type RowName, type Sight } from "./golden/rows.ts"

const GOLDEN: Readonly<Record<Api, Readonly<Record<Sight, Readonly<Record<RowName, object>>>>>> = {
  "anthropic-messages": anthropic,
  "openai-responses": responses,
  "openai-chat": chat,
  "gemini-generatecontent": gemini,
  "bedrock-converse": bedrock,
  "mistral-chat": mistral,
}

const NAMES = Object.keys(ROWS) as RowName[]

describe.each(Object.entries(GOLDEN))("lowered for %s", (api, sights) => {
  describe.each(Object.entries(sights))("%s", (sight, bodies) => {
    it.each(NAMES)("[CMP-112] %s", async (name) => {
      expect(await bodyOf(name, api as Api, sight as Sight)).toEqual(bodies[name])
    })
  })
})
