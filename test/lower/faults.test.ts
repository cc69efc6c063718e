import type { PartData } from "../../packages/core/parts/define-part.ts"
import { DEFAULT_POLICY } from "../../packages/core/lower/policy.ts"
import { describe, expect, it } from "vitest"
import { lowerAssistant } from "../../packages/core/lower/assistant.ts"
import { promptMessages } from "../../packages/core/lower/lower.ts"
import type { Block } from "../../packages/core/model/prompt.ts"
import { attachment, named, text } from "../build.ts"
import {
  type Api,
  bodyOfMessages,
  capabilitiesFor,
  FILES,
  MODELS,
  type Sight,
} from "./golden/rows.ts"
import { house } from "./house.ts"

/** What becomes of a file on each API for a model that has every sense: `native`, or what stands in
 *  its place. Other libraries throw, send what is refused, or write base64 into words. */
type Fate = "native" | "text" | "described"
const FATES: Readonly<Record<string, Readonly<Record<Api, Fate>>>> = {
  "svg image": everywhere("text"),
  "heic image": { ...everywhere("described"), "gemini-generatecontent": "native" },
  "png that says it is a jpeg": everywhere("native"),
  "png of no exact type": everywhere("native"),
  "text that says it is a png": everywhere("text"),
  csv: everywhere("text"),
  docx: { ...everywhere("described"), "openai-responses": "native", "bedrock-converse": "native" },
  wav: {
    ...everywhere("native"),
    "anthropic-messages": "described",
    "openai-responses": "described",
  },
  mp4: {
    ...everywhere("described"),
    "gemini-generatecontent": "native",
    "bedrock-converse": "native",
  },
  zip: everywhere("described"),
  "bytes of no kind": everywhere("described"),
  "nothing at all": everywhere("text"),
}

function everywhere(fate: Fate): Record<Api, Fate> {
  return Object.fromEntries(Object.keys(MODELS).map((api) => [api, fate])) as Record<Api, Fate>
}

const ATTACHED: Readonly<Record<string, PartData>> = {
  "svg image": attachment("a.svg", FILES.svg, "image/svg+xml"),
  "heic image": attachment("a.heic", FILES.heic, "image/heic"),
  "png that says it is a jpeg": attachment("a.jpg", FILES.png, "image/jpeg"),
  "png of no exact type": attachment("a", FILES.png, "image/*"),
  "text that says it is a png": attachment("a.png", Buffer.from("hello"), "image/png"),
  csv: attachment("a.csv", FILES.csv, "text/csv"),
  docx: attachment("a.docx", FILES.docx, "application/octet-stream"),
  wav: attachment("a.wav", FILES.wav, "audio/x-wav"),
  mp4: attachment("a.mp4", FILES.mp4, "video/mp4"),
  zip: attachment("a.zip", FILES.zip, "application/zip"),
  "bytes of no kind": attachment("a.bin", FILES.binary),
  "nothing at all": attachment("a.txt", new Uint8Array(), "text/plain"),
}

const APIS = Object.keys(MODELS) as Api[]
const SIGHTS: readonly Sight[] = ["vision", "text-only"]
const OUTCOMES: Readonly<Record<Fate, string>> = {
  native: "native",
  text: "inlined",
  described: "descriptor",
}

describe("files that break other libraries", () => {
  const cases = Object.keys(FATES).flatMap((name) => APIS.map((api) => [name, api] as const))

  it.each(cases)("[CMP-105] [BEY-02] %s, on %s", async (name, api) => {
    for (const sight of SIGHTS) {
      const { said, receipt, base64 } = await sent(ATTACHED[name] as PartData, api, sight)
      const fate = FATES[name]?.[api] ?? "described"
      if (sight === "vision") expect(receipt?.outcome).toBe(OUTCOMES[fate])
      else expect(receipt?.outcome === "native").toBe(name === "docx" && fate === "native")
      expect(said.includes(base64) && base64 !== "").toBe(receipt?.outcome === "native")
      expect(strayBase64(JSON.parse(said))).toEqual([])
      expect(receipt?.reason).not.toBe("")
    }
  })

  it("[CMPH-014] the type that is sent is that of the bytes, whatever was said", async () => {
    for (const api of APIS)
      for (const name of ["png that says it is a jpeg", "png of no exact type"]) {
        const { said } = await sent(ATTACHED[name] as PartData, api, "vision")
        expect(said).toMatch(/image\/png|"format":"png"/)
        expect(said).not.toMatch(/image\/jpeg|image\/\*|"jpeg"/)
      }
  })
})

describe("media that tools give back", () => {
  const MEDIA = { png: "image/png", pdf: "application/pdf", wav: "audio/wav" } as const
  const cases = (Object.keys(MEDIA) as (keyof typeof MEDIA)[]).flatMap((kind) =>
    APIS.flatMap((api) => SIGHTS.map((sight) => [kind, api, sight] as const)),
  )

  it.each(cases)("[VIS-002] [BEY-02] %s, on %s, %s", async (kind, api, sight) => {
    const rooms = await house()
    const capabilities = capabilitiesFor(api, sight)
    const media = {
      name: `a.${kind}`,
      mime: MEDIA[kind],
      ...(await rooms.blobs.putBytes(FILES[kind])),
    }
    const block = blockOf(kind, media)
    const data = {
      type: "tool-attach",
      tool_call_id: "call_1",
      state: "output-available",
      input: {},
      output: { data: "here it is", blocks: [block] },
    }
    const answer = lowerAssistant([{ id: "prt_1", data }], {
      capabilities,
      policy: DEFAULT_POLICY,
      closed: true,
    })
    const body = await bodyOfMessages([...ASKED, ...answer.messages], { api, rooms })
    const base64 = FILES[kind].toString("base64")
    const native = FATE_OF_RESULT[kind].includes(api) && sight === "vision"
    expect(JSON.stringify(body).split(base64)).toHaveLength(native ? 2 : 1)
    expect(answer.receipts[0]?.outcome).toBe(native ? "native" : "descriptor")
    expect(answer.media).toHaveLength(native ? 1 : 0)
    expect(strayBase64(body)).toEqual([])
    expect(JSON.stringify(body)).toContain("here it is")
  })
})

const ASKED = [{ role: "user", blocks: [{ type: "text", text: "Look." }] }] as const

/** The APIs that carry such a medium at all, in the result or behind it. */
const FATE_OF_RESULT: Readonly<Record<"png" | "pdf" | "wav", readonly Api[]>> = {
  png: APIS,
  pdf: APIS,
  wav: APIS.filter((api) => FATES.wav?.[api] === "native"),
}

function blockOf(
  kind: "png" | "pdf" | "wav",
  media: Extract<Block, { type: "audio" }>["media"],
): Block {
  if (kind === "png") return { type: "image", media, width: 3, height: 2 }
  return kind === "pdf" ? { type: "document", media } : { type: "audio", media }
}

async function sent(part: PartData, api: Api, sight: Sight) {
  const rooms = await house()
  const parts = [named(text("Look.")), named(part)]
  const lowered = await rooms.lower(parts, capabilitiesFor(api, sight))
  const body = await bodyOfMessages(promptMessages(lowered), { api, rooms })
  const { data } = part as { data?: string }
  return { said: JSON.stringify(body), receipt: lowered.receipts[1], base64: data ?? "" }
}

/** Base64 in words. On a wire it is a string of its own, or follows the head of a data URL. */
function strayBase64(value: unknown): string[] {
  if (typeof value === "string") {
    const words = value.replace(/^data:[\w./+-]+(?:; ?\w+=\w+)*;base64,/, "")
    return WHOLE.test(words) ? [] : (value.match(LONG) ?? [])
  }
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(strayBase64)
    : []
}

const WHOLE = /^[A-Za-z0-9+/]*={0,2}$/
const LONG = /(?:[A-Za-z0-9+/]{4}){8,}={0,2}/g
