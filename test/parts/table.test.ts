import { describe, expect, it } from "vitest"
import { DEFAULT_POLICY } from "../../packages/core/lower/policy.ts"
import { NOTHING_SPENT } from "../../packages/core/file/policy.ts"
import { none, type PartData, type PartDefinition } from "../../packages/core/parts/define-part.ts"
import { SCHEMAS } from "../../packages/core/parts/schemas.ts"
import { AnyPart } from "../../packages/core/parts/read-part.ts"
import { CHIPS, PARTS, type Part, writePart } from "../../packages/core/parts/table.ts"
import { quotePart } from "../../packages/core/parts/quote.ts"
import { fileAttachmentPart } from "../../packages/core/parts/file-attachment.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import { admitPart } from "../../packages/engine/submit/admit.ts"
import { newSession, openDoor, send } from "../server/house.ts"

// Asks every part of the table for what `definePart` promises, so that a new one is asked too.

const DEFINITIONS: readonly (readonly [string, PartDefinition<Part>])[] = Object.entries(PARTS)
const SECRET = `sk-ant-api03-${"Qx7".repeat(30)}AA`
const CONTENT_ID = /sha256:[0-9a-f]{64}/g

/** What a definition says of its own example, or forgets to say. */
function faultsOf(definition: PartDefinition<Part>): string[] {
  const { example, chip } = definition
  const data = JSON.stringify(writePart(example))
  const at = {
    part_id: "prt_1",
    capabilities: capabilitiesOfApi("anthropic-messages"),
    policy: DEFAULT_POLICY,
    spent: NOTHING_SPENT,
  }
  const text = { type: "text", name: "a", mime: "text/plain", kind: "text", text: "words" } as const
  const file = { ...text, range: null, size: 5, content_id: null, lines: null, note: null }
  const verdict = definition.lower(example, at, definition.load === none ? null : file)
  const named: readonly string[] = definition.blobs(example)
  return [
    ...(definition.schema(SCHEMAS).safeParse(writePart(example)).success ? [] : ["its example"]),
    ...(Object.keys(definition.texts).length > 0 ? [] : ["texts"]),
    ...[...data.matchAll(CONTENT_ID)].flatMap(([id]) => (named.includes(id) ? [] : [`blob ${id}`])),
    ...(verdict.reason !== "" && verdict.rule !== "" ? [] : ["a receipt"]),
    ...(typeof definition.words(example) === "string" ? [] : ["words"]),
    ...(definition.acp(example, "/home").block.type ? [] : ["an ACP block"]),
    ...(["label", "mark", "line"] as const).filter((name) => chip[name](example).trim() === ""),
  ]
}

describe("the table of parts", () => {
  it("lists every type under its own name, with its own chip", () => {
    for (const [type, definition] of DEFINITIONS) {
      expect(definition.type).toBe(type)
      expect(definition.example.type).toBe(type)
      expect(definition.chip).toBe(new Map<string, unknown>(Object.entries(CHIPS)).get(type))
    }
  })

  it("shows what a definition forgets", () => {
    expect(faultsOf({ ...fileAttachmentPart, blobs: none })).toMatchObject([/^blob/])
    expect(faultsOf({ ...quotePart, texts: {} })).toEqual(["texts"])
    const chip = { ...quotePart.chip, label: () => "" }
    expect(faultsOf({ ...quotePart, chip })).toEqual(["label"])
  })
})

describe.each(DEFINITIONS)("a part of type %s", (_, definition) => {
  const { example } = definition
  const data = writePart(example)

  it("says everything that is asked of it", () => {
    expect(faultsOf(definition)).toEqual([])
    expect(AnyPart.parse(data)).toEqual(example)
  })

  it("[BEY-04] comes in without a secret, wherever in it the secret stands", async () => {
    for (const planted of plantings(definition)) {
      const part = AnyPart.safeParse(planted.data)
      // A secret in an enumeration or an id does not fit, and does not come in.
      if (!part.success) continue
      const kept = writePart(await admitPart(policyOf(), part.data))
      const bytes = typeof kept.data === "string" ? Buffer.from(kept.data, "base64") : ""
      const whole = `${JSON.stringify(kept)} ${bytes.toString()}`
      expect(whole, planted.path).not.toContain(SECRET)
    }
  })

  it("[DBG-002] [PER-009] survives a store, an export, an import and a sweep", async () => {
    const [from, to] = [await openDoor({ turns: false }), await openDoor({ turns: false })]
    const session = await newSession(from)
    const { body: upload } = await from.ask("post", "/v1/blobs?name=a.csv", { body: "a,b\n1,2\n" })
    const sent = JSON.parse(JSON.stringify(data).replace(CONTENT_ID, upload.content_id))
    const { message } = await send(from, session, "", { parts: [sent], mode: "paused" })
    const stored = message.parts.find((row: { type: string }) => row.type === data.type)
    const { mime: _mime, size: _size, ...said } = sent
    expect(stored.data).toMatchObject(said)
    const first = (await from.ask("get", "/v1/export")).text
    expect((await to.ask("post", "/v1/import", { body: first })).status).toBe(200)
    expect((await to.ask("get", "/v1/export")).text).toBe(first)
    for (const { host } of [from, to]) {
      await host.store.sweep({ uploads_before: Date.now() + 1e9, streams_before: 0 })
      const kept = await host.store.knownBlobs()
      const isNamed = definition.blobs(example).length > 0
      expect(kept.includes(upload.content_id)).toBe(isNamed)
    }
  })
})

/** The example with a secret at every place where a text may stand: at the paths of its definition, in
 *  every string that it has, and in a field that nobody knows. */
function plantings(definition: PartDefinition<Part>): { path: string; data: PartData }[] {
  const data = writePart(definition.example)
  const words = `It is ${SECRET} for now.`
  const named = Object.entries(definition.texts).map(([path, origin]) => {
    const text = origin.startsWith("base64 ") ? Buffer.from(words).toString("base64") : words
    return [path.replace(/\*\*$/, "planted"), text] as const
  })
  const held = leavesOf(data, []).map((path) => [path, words] as const)
  return [...named, ...held, ["planted", words] as const].map(([path, text]) => ({
    path,
    data: { ...planted(data, path.split("."), text), type: data.type },
  }))
}

function leavesOf(value: unknown, path: readonly string[]): string[] {
  if (typeof value === "string") return [path.join(".")]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
}

function planted(value: object, [name = "", ...rest]: readonly string[], text: string): object {
  const inner: unknown = new Map<string, unknown>(Object.entries(value)).get(name)
  const into = typeof inner === "object" && inner !== null ? inner : {}
  const next = rest.length === 0 ? text : planted(into, rest, text)
  return Array.isArray(value)
    ? value.map((each, at) => (String(at) === name ? next : each))
    : { ...value, [name]: next }
}
