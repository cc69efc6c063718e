import type { Json, Kit } from "../kit.ts"
import type { Scenario } from "../scenario.ts"
import { BYTES, PARTS } from "../samples.ts"

/** The user's message: its shape, its parts, and what is kept of it. */
export const messageScenarios: readonly Scenario[] = [
  {
    title: "a message of every kind of part",
    rules: [
      "CMP-001",
      "CMP-003",
      "CMP-005",
      "CMP-006",
      "CMP-007",
      "CMP-008",
      "CMP-009",
      "CMP-010",
      "CMPH-001",
      "CMP-020",
      "CMP-100",
      "CMP-115",
      "CMP-120",
      "CMP-071",
      "CMP-072",
      "CMP-073",
      "CMP-080",
      "PER-013",
    ],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      const parts = [...PARTS, { type: "text", text: "and last" }]
      const { sent } = await kit.turn(id, { parts })
      const messages = await kit.messages(id)
      const stored = messages.find((message) => message.id === sent.message?.id)
      const kept = (stored?.parts ?? []).map(({ data }) => data)
      const own = kept.filter((part) => !("derived_from" in part))
      see.equal("CMP-001", "the role of what was sent", stored?.role, "user")
      see.holds("CMP-001", "its parts are a list", Array.isArray(stored?.parts), stored)
      see.equal("CMP-003", "the order of the stored parts", typesOf(own), typesOf(parts))
      for (const [rule, type] of SHAPES) {
        const wanted = parts.find((part) => part.type === type)
        const came = own.find((part) => part["type"] === type)
        see.equal(rule, `the stored part ${type}`, within(came, wanted), wanted)
      }
      const [ref, attached] = ["file-ref", "file-attachment"].map((type) =>
        own.find((part) => part["type"] === type),
      )
      see.holds("CMP-006", "a reference carries no bytes", !("data" in (ref ?? {})), ref)
      see.holds("CMP-020", "they are two shapes", ref?.["type"] !== attached?.["type"], [
        ref,
        attached,
      ])
      const context = own.find((part) => part["type"] === "editor-context")
      see.equal("CMP-071", "a kind nobody knows", context?.["kind"], "weather-of-the-host")
      see.equal("CMP-072", "its payload", context?.["payload"], { deep: { er: [1, null] } })
      see.equal(
        "CMP-073",
        "when and by whom",
        [context?.["emitted_at"], context?.["source"]],
        [7, "kit"],
      )
      see.holds("CMP-080", "it is stored with the message", context !== undefined, own)
      see.equal(
        "CMP-100",
        "the types of rows",
        stored?.parts.map(({ type }) => type),
        typesOf(kept),
      )
      see.holds(
        "CMP-120",
        "schema_version",
        typeof stored?.metadata["schema_version"] === "number",
        stored?.metadata,
      )
      const inspected = (await kit.client.inspect(id, { message: stored?.id ?? "" })) as Json
      const seen = inspected.parts.map(({ part }: Json) => part.type)
      see.equal("CMP-115", "the types that inspection shows", seen, typesOf(kept))
      const ids = [id, stored?.id ?? "", ...(stored?.parts ?? []).map((part) => part.id)]
      const wrong = ids.filter((one) => !ID.test(one))
      see.equal("PER-013", "ids that are none", wrong, [])
      const partIds = (stored?.parts ?? []).map((part) => part.id)
      see.equal("PER-013", "ids sort as they were made", partIds.toSorted(), partIds)
    },
  },
  {
    title: "one message in three forms",
    rules: ["CMP-004", "ATT-007", "ATT-009", "CMP-022"],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("three/forms.txt", "three forms\n")
      const id = await kit.session()
      const asParts = await kit.turn(id, {
        parts: [
          { type: "text", text: "Look at " },
          { type: "file-ref", ref: { kind: "path", path: "three/forms.txt" } },
        ],
      })
      const typed = await kit.turn(id, { source: "Look at @three/forms.txt" })
      const forms = [asParts, typed].map(({ sent }) => bare(sent.message?.parts ?? []))
      see.equal("CMP-004", "parts of the same message, typed", forms[1], forms[0])
      const ref = typed.sent.message?.parts.find(({ type }) => type === "file-ref")
      see.lacks("CMP-022", "the stored reference", JSON.stringify(ref?.data), "three forms")
      see.contains("CMP-022", "what the model was sent", typed.heard[0]?.raw ?? "", "three forms")
      const named = await kit.ask("POST", `/v1/sessions/${id}/messages`, {
        json: { message: "Read it", attachments: [{ path: "three/forms.txt" }] },
      })
      see.equal("ATT-007", "the status of { message, attachments }", named.status, 201)
      await kit.rest(id)
      const kinds = named.body.message.parts.map(({ type }: Json) => type)
      see.holds("ATT-007", "a part for the file", kinds.length === 2 && kinds[0] === "text", kinds)
      const before = (await kit.messages(id)).length
      const missing = await kit.ask("POST", `/v1/sessions/${id}/messages`, {
        json: { message: "Read", attachments: [{ path: "three/forms.txt" }, { path: "gone.txt" }] },
      })
      see.holds(
        "ATT-009",
        "it is refused",
        missing.status >= 400 && missing.status < 500,
        missing.status,
      )
      see.contains("ATT-009", "the refusal names it", missing.text, "gone.txt")
      see.equal("ATT-009", "nothing was kept", (await kit.messages(id)).length, before)
    },
  },
  {
    title: "a part that nobody knows",
    rules: ["CMP-121", "CMP-122"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      const poem = { type: "poem", text: "Roses are red.", meter: 3 }
      const { sent, heard } = await kit.turn(id, { parts: [poem, { type: "dance" }] as never })
      const kept = sent.message?.parts.map(({ data }) => data)
      see.equal("CMP-121", "it is kept as it is", kept, [poem, { type: "dance" }])
      see.contains("CMP-121", "it is shown by its text", heard[0]?.newest ?? "", "Roses are red.")
      const lines = await exported(kit, id)
      const older = lines.replaceAll('\\"schema_version\\":1', '\\"schema_version\\":0')
      await kit.client.sessions.remove(id)
      const again = await kit.ask("POST", "/v1/import", {
        body: older,
        headers: { "content-type": "application/x-ndjson" },
      })
      see.equal("CMP-122", "the status of reading back an older version", again.status, 200)
      const read = (await kit.messages(id)).find(({ role }) => role === "user")
      see.equal(
        "CMP-122",
        "its parts",
        read?.parts.map(({ data }) => data),
        kept,
      )
    },
  },
  {
    title: "bytes that no model reads",
    rules: ["CMP-031", "CMP-032", "CMP-096", "DOOR-02"],
    needs: ["model"],
    async live(kit, see) {
      const data = BYTES.toString("base64")
      const attached = { type: "file-attachment", name: "a.bin", mime: "image/png", data } as const
      const [id, other] = [await kit.session(), await kit.session()]
      const { sent, heard } = await kit.turn(id, { parts: [attached] })
      const [part] = sent.message?.parts ?? []
      see.holds(
        "CMP-031",
        "the stored part has no data",
        !("data" in (part?.data ?? {})),
        part?.data,
      )
      see.contains("CMP-032", "what the model sees", heard[0]?.newest ?? "", "a.bin")
      see.lacks("CMP-032", "what the model sees", heard[0]?.raw ?? "", data)
      see.lacks("CMP-096", "the request", heard[0]?.raw ?? "", data)
      const content = String(part?.data["content_id"])
      const [own, foreign, never] = await Promise.all([
        kit.ask("GET", `/v1/sessions/${id}/blobs/${content}`),
        kit.ask("GET", `/v1/sessions/${other}/blobs/${content}`),
        kit.ask("GET", `/v1/sessions/${other}/blobs/sha256:${"0".repeat(64)}`),
      ])
      see.equal("DOOR-02", "through its own session", own.status, 200)
      see.equal("DOOR-02", "through another", foreign.status, 404)
      see.equal(
        "DOOR-02",
        "like one that never was",
        foreign.body.error.code,
        never.body.error.code,
      )
    },
  },
  {
    title: "a message is there before the model is asked",
    rules: ["CMP-130", "CMP-111", "CMP-114", "DBG-001", "TUR-001"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      const seen: Promise<Json>[] = []
      kit.model.play(() => {
        seen.push(kit.ask("GET", `/v1/sessions/${id}/messages`))
        return { text: "Yes." }
      })
      const source = "Is /nothing-known in the middle @three/never.txt kept?"
      const { sent, heard } = await kit.turn(id, { source })
      const [during] = await Promise.all(seen)
      const there = during.body.messages.some((message: Json) => message.id === sent.message?.id)
      see.holds("CMP-130", "it can be read while the model is asked", there, during.body)
      const input = sent.message?.metadata["composer_input"] as Json
      see.equal("CMP-111", "what was typed is kept", input?.source, source)
      see.lacks("CMP-111", "what the model was sent", heard[0]?.raw ?? "", "@three/never.txt")
      const before = sent.message?.parts.map(({ data }) => data)
      await kit.lower([{ type: "text", text: "x" }], { session_id: id })
      const after = (await kit.messages(id))[0]?.parts.map(({ data }) => data)
      see.equal("CMP-114", "the stored parts after lowering", after, before)
      const { messages } = (await kit.client.inspect(id)) as Json
      const rows = messages[0].parts.map(({ data_json }: Json) => JSON.parse(data_json))
      see.equal("DBG-001", "the rows that inspection shows", rows, after)
      const { turns } = await kit.client.turns(id)
      see.equal("TUR-001", "whom the turn names", turns[0]?.message_id, sent.message?.id)
    },
  },
]

const SHAPES = [
  ["CMP-005", "text"],
  ["CMP-006", "file-ref"],
  ["CMP-007", "file-attachment"],
  ["CMP-009", "mention"],
  ["CMP-008", "command"],
  ["CMP-010", "editor-context"],
  ["CMPH-001", "directory-ref"],
] as const

const ID = /^[a-z]{3}_[0-9a-f]{12}[0-9A-Za-z]{14}$/

function typesOf(parts: readonly object[]): unknown[] {
  return parts.map((part) => (part as Json).type)
}

/** What came, as far as it was wanted: a server may add to it. */
function within(came: object | undefined, wanted: object | undefined): object {
  const keys = Object.keys(wanted ?? {})
  return Object.fromEntries(Object.entries(came ?? {}).filter(([key]) => keys.includes(key)))
}

function bare(parts: readonly { readonly data: object }[]): object[] {
  return parts.map(({ data }) => data)
}

async function exported(kit: Kit, id: string): Promise<string> {
  return (await kit.ask("GET", `/v1/export?session=${id}`)).text
}
