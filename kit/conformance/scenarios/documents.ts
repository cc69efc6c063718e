import { type DocumentExample, readExamples } from "../fixtures.ts"
import type { Answer, Json, Kit } from "../kit.ts"
import type { Scenario, Seeing } from "../scenario.ts"

const RULES = ["CMP-001", "CMP-010", "CMP-024", "CMP-031", "CMP-120", "EA-002", "EA-006", "UX-036"]

/** What the source documents give as examples is accepted as it is written, and kept as it was said. */
export const documentScenarios: readonly Scenario[] = [
  {
    title: "a session in which nothing was said is inspected",
    rules: ["DBG-007"],
    needs: [],
    async live(kit, see) {
      const { status, body } = await kit.ask("GET", `/v1/sessions/${await kit.session()}/inspect`)
      see.equal("DBG-007", "an empty session", [status, body?.message_id], [200, null])
    },
  },
  {
    title: "the examples of the source documents",
    rules: RULES,
    needs: ["folder"],
    async live(kit, see) {
      await kit.file("designs/icon.svg", "<svg/>\n")
      await kit.file("src/lib/foo.ts", "// a line\n".repeat(30))
      await kit.file("file.py", "print(1)\n")
      for (const example of await readExamples()) await SENDING[example.sent](kit, see, example)
    },
  },
]

type Sending = (kit: Kit, see: Seeing, example: DocumentExample) => Promise<void>

const SENDING: Readonly<Record<DocumentExample["sent"], Sending>> = {
  async message(kit, see, { name, body }) {
    const rule = body.metadata ? "CMP-120" : "CMP-001"
    const answer = await sendPaused(kit, body)
    see.equal(rule, `${name}: accepted`, answer.status, 201)
    seeParts(see, rule, { name, answer, parts: body.parts })
    const context = ownParts(answer).find(({ type }: Json) => type === "editor-context")
    if (!context) return
    see.holds("CMP-010", `${name}: it is stamped`, Number.isInteger(context.emitted_at), context)
  },
  async part(kit, see, { name, body }) {
    const rule = body.type === "file-ref" ? "CMP-024" : "CMP-031"
    const answer = await sendPaused(kit, { parts: [body] })
    see.equal(rule, `${name}: accepted`, answer.status, 201)
    seeParts(see, rule, { name, answer, parts: [body] })
  },
  async entity(kit, see, { name, body }) {
    const entity = `/v1/entities/assistant/example-${Date.now().toString(36)}`
    await kit.ask("PUT", entity, { json: {} })
    const sent = await kit.ask("POST", `${entity}/send`, { json: { ...body, mode: "paused" } })
    see.equal("EA-002", `${name}: accepted`, sent.status, 200)
    const [kept] = (await kit.ask("GET", `${entity}/inbox`)).body?.inbox ?? []
    see.equal("EA-002", `${name}: its source`, kept?.payload?.source, body.payload.source)
    const raws = (nodes: Json[] = []) => nodes.map(({ kind, raw }) => [kind, raw])
    see.equal("EA-006", `${name}: its nodes`, raws(kept?.payload?.nodes), raws(body.payload.nodes))
    for (const { start, end, raw } of kept?.payload?.nodes ?? [])
      see.equal("EA-006", `${name}: a span`, kept.payload.source.slice(start, end), raw)
    await kit.ask("DELETE", entity)
  },
  async memory(kit, see, { name, body }) {
    const { name: called, ...entry } = body
    const path = `/v1/memory/${called}`
    const json = { ...entry, workspace: kit.folder }
    see.equal("UX-036", `${name}: accepted`, (await kit.ask("PUT", path, { json })).status, 200)
    const where = `?workspace=${encodeURIComponent(kit.folder)}`
    const { memory } = (await kit.ask("GET", path + where)).body
    const { scope, description, type, body: text } = memory ?? {}
    see.equal("UX-036", `${name}: kept`, { scope, description, type, body: text }, entry)
    await kit.ask("DELETE", path + where)
  },
  // An editor says it over another wire; the same pair is what a surface sends here.
  async prompt(kit, see, { name, body }) {
    const { content, _meta: about } = body.params
    const { attachments } = about["sandboxagent.dev"]
    const answer = await sendPaused(kit, { message: content, attachments })
    see.equal("CMP-001", `${name}: accepted`, answer.status, 201)
    see.equal("CMP-001", `${name}: its words`, ownParts(answer)[0]?.text, content)
  },
}

/** Held, so that the kit's model is not asked for what is only to be accepted. */
async function sendPaused(kit: Kit, body: object): Promise<Answer> {
  const id = await kit.session()
  const json = { ...body, mode: "paused" }
  return kit.ask("POST", `/v1/sessions/${id}/messages`, { json })
}

function ownParts({ body }: Answer): Json[] {
  const parts: Json[] = (body?.message?.parts ?? []).map(({ data }: Json) => data)
  return parts.filter((part) => !("derived_from" in part))
}

interface Sent {
  readonly name: string
  readonly answer: Answer
  readonly parts: readonly Json[]
}

/** Every field that was said is there, in its place; bytes may be kept elsewhere, and be told as what they are. */
function seeParts(see: Seeing, rule: string, { name, answer, parts }: Sent) {
  const kept = ownParts(answer)
  see.equal("CMP-001", `${name}: its parts`, typesOf(kept), typesOf(parts))
  for (const [at, { data: _, ...said }] of parts.entries()) {
    const came = Object.keys(said).map((key) => [key, kept[at]?.[key]])
    see.equal(rule, `${name}: part ${at}`, Object.fromEntries(came), said)
  }
}

function typesOf(parts: readonly Json[]): string[] {
  return parts.map(({ type }) => type)
}
