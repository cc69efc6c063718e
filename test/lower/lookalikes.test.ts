import type { LoadedPart } from "../../packages/core/lower/loaded-part.ts"
import { DEFAULT_POLICY } from "../../packages/core/lower/policy.ts"
import { describe, expect, it } from "vitest"
import { lowerAssistant } from "../../packages/core/lower/assistant.ts"
import { lower, promptMessages } from "../../packages/core/lower/lower.ts"
import { showName } from "../../packages/core/file/name.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { escapeMarkers, escapeWholeMarker, MARKERS } from "../../packages/core/model/marker.ts"
import type { PromptMessage } from "../../packages/core/model/prompt.ts"
import { DIALECTS } from "../../packages/core/wires/openai-dialects.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { fileRef, loaded, opaqueFile, text, textFile } from "../build.ts"
import { FORGERIES } from "../model/spellings.ts"

const BLOCK_APIS = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "gemini-generatecontent",
  "bedrock-converse",
  "mistral-chat",
]
const ONE_STRING = DIALECTS.filter(({ limits }) => limits.one_string).map(({ api }) => api)
// One pattern finds them all, so two names in every spelling stand for the others.
const OF_TWO = FORGERIES.filter(([name]) => /^(?:editor_context|quoted_file)/.test(name))
const NONCE = "0123456789abcdef"
const EDITOR = {
  type: "editor-context",
  kind: "selection",
  payload: { a: 1 },
  emitted_at: 1,
} as const

/** Who else than the host may have written a text, and how it comes in. */
const ORIGINS: Readonly<Record<string, (forged: string) => LoadedPart>> = {
  "the user, as all of a block": (forged) => loaded(text(forged)),
  "a command file": (forged) => loaded({ ...text(`So: ${forged}`), derived_from: "p" }),
  "an MCP prompt": (forged) => loaded({ ...text(forged), derived_from: "p" }),
  "a skill": (forged) =>
    loaded({ type: "skill-content", name: forged, text: `A\n${forged}`, initiator: "user" }),
  "a quote": (forged) =>
    loaded({ type: "quote", session_id: forged, message_id: "m", text: forged }),
  "an unknown part": (forged) => loaded({ type: "data-new", text: `x ${forged}` }),
  "a binary's name": (forged) =>
    loaded(fileRef("a"), opaqueFile(showName(forged), "application/x-thing")),
  "a text file's name": (forged) => loaded(fileRef("a"), textFile(showName(forged), "hello")),
  "a directory's name": (forged) =>
    loaded({ type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: forged } }),
  "editor state": (forged) =>
    loaded({ ...EDITOR, kind: forged, source: forged, payload: { [forged]: forged } }),
  "a mention": (forged) => loaded({ type: "mention", target: { kind: "symbol", name: forged } }),
}

async function strings(api: string, messages: readonly PromptMessage[]): Promise<string[]> {
  const wire = findWire(api)
  if (!wire) throw new Error(`${api} is no wire`)
  const fragments = messages.map((message) => wire.encode(message, "m"))
  const body = wire.body({ model: "m", system: "s", max_tokens: 1 }, fragments)
  return stringsIn(JSON.parse(await fragmentText(body, () => nothing())))
}

async function* nothing(): AsyncIterable<Uint8Array> {}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** Text without what the host itself wrote: its own markers, whole. */
function withoutHost(said: string, nonce: string): string {
  const own = MARKERS.map((name) => `<${name}[^<>]*${nonce}[^<>]*>|</${name}>`).join("|")
  return said.replace(new RegExp(own, "g"), "")
}

describe.each(Object.entries(ORIGINS))("a look-alike by %s", (origin, part) => {
  const isHosts = origin === "editor state" || origin === "a mention"

  it.each(BLOCK_APIS)("[TRU-001] is no block of the host's on %s", async (api) => {
    for (const [spelling, forged] of OF_TWO) {
      const capabilities = capabilitiesOfApi(api, ["text"])
      const lowered = lower([part(forged), loaded(text("Hi."))], capabilities, DEFAULT_POLICY)
      const said = await strings(api, promptMessages(lowered))
      const foreign = isHosts ? said.map((one) => withoutHost(one, "")) : said
      const escaped = foreign.map((one) =>
        one.startsWith("<skill_content name=") ? one : escapeWholeMarker(one),
      )
      expect(foreign, spelling).toEqual(escaped)
    }
  })

  it.each(ONE_STRING)("[TRU-002] is told from the host's words on %s", async (api) => {
    const policy = { ...DEFAULT_POLICY, nonce: NONCE }
    for (const [spelling, forged] of OF_TWO) {
      const capabilities = capabilitiesOfApi(api, ["text"])
      const file = loaded(fileRef("evil.md"), textFile("evil.md", `hello\n\n${forged}`))
      const parts = [part(forged), file, loaded(EDITOR)]
      const said = await strings(api, promptMessages(lower(parts, capabilities, policy)))
      const whole = said.join("\n")
      expect(
        whole.split(`<editor_context kind="selection" nonce="${NONCE}">`),
        spelling,
      ).toHaveLength(2)
      const foreign = said.map((one) => withoutHost(one, NONCE))
      const inArguments = foreign.map((one) => (one.startsWith("{") ? one : escapeMarkers(one)))
      expect(foreign, spelling).toEqual(inArguments)
    }
  })
})

describe("a wire that makes one string of a message", () => {
  it("[TRU-002] is known to lowering by its name", () => {
    const isOneString = (api: string) => capabilitiesOfApi(api).one_string
    for (const { api, name } of DIALECTS) expect(isOneString(api), api).toBe(name !== "openai")
    for (const api of BLOCK_APIS) expect(isOneString(api), api).toBe(false)
  })
})

describe("a result that is a look-alike", () => {
  it.each(FORGERIES)("[TRU-001] is escaped, unless the skill tool gave it: %s", (_, forged) => {
    const shown = (type: string) => {
      const data = {
        type,
        tool_call_id: "c",
        state: "output-available",
        input: {},
        output: { data: forged },
      }
      const { messages } = lowerAssistant([{ id: "p", data }], {
        capabilities: capabilitiesOfApi("anthropic-messages"),
        policy: DEFAULT_POLICY,
        closed: true,
      })
      return stringsIn(messages.at(-1)?.blocks)
    }
    expect(shown("tool-read")).toContain(escapeMarkers(forged))
    expect(shown("tool-skill")).toContain(forged)
  })
})
