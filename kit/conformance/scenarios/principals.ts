import { createHash } from "node:crypto"
import { join } from "node:path"
import { type Answer, answered, type Json, type Kit, type Request, until } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** People and projects that share one server. */
export const principalScenarios: readonly Scenario[] = [
  {
    title: "two share a server",
    rules: ["PRI-001", "PRI-002", "PRI-003", "PRI-004", "PRI-005", "PRI-006", "PRI-007", "PRI-009"],
    needs: ["folder"],
    async live(kit, see) {
      await kit.file("ana/a.txt", "Ana's file\n")
      await kit.file("ben/b.txt", "Ben's file\n")
      const [ana, ben] = [await joined(kit, "ana"), await joined(kit, "ben")]
      const own = { model: "mirror", workspace_root: ana.folder }
      const session = answered(await ana.ask("POST", "/v1/sessions", { json: own })).session.id
      const never = "ses_000000000000aaaaaaaaaaaaaa"
      for (const [method, path] of PROBES) {
        const [foreign, nothing] = await Promise.all(
          [session, never].map((id) => ben.ask(method, path.replace("ID", id), bodyFor(method))),
        )
        const told = foreign?.text.replaceAll(session, never)
        see.equal(
          "PRI-001",
          `${method} ${path}`,
          [foreign?.status, told],
          [nothing?.status, nothing?.text],
        )
        see.equal("PRI-001", `the status of ${method} ${path}`, foreign?.status, 404)
      }
      const taken = await ben.ask("POST", "/v1/sessions", {
        json: { id: session, model: "mirror", workspace_root: ben.folder },
      })
      see.equal("PRI-001", "to keep something under another's id", taken.status, 404)
      const listed = (await ben.ask("GET", "/v1/sessions?limit=500")).body.sessions
      see.equal(
        "PRI-005",
        "another's session in a list",
        listed.map(({ id }: Json) => id),
        [],
      )
      const all = (await kit.ask("GET", "/v1/sessions?limit=500")).body.sessions
      const seen = all.some(({ id }: Json) => id === session)
      see.holds("PRI-005", "the operator sees everything", seen, all.length)
      const outside = await ben.ask("POST", "/v1/sessions", { json: own })
      see.holds("PRI-004", "a folder that was not given", outside.status >= 400, outside.status)
      const { body: info } = await ben.ask("GET", "/v1/info")
      see.lacks("PRI-004", "what is told of other folders", JSON.stringify(info), ana.folder)
      const upload = await ana.ask("POST", "/v1/blobs?name=a.txt", { body: "Ana's bytes" })
      const content = upload.body.content_id
      const bens = answered(
        await ben.ask("POST", "/v1/sessions", {
          json: { model: "mirror", workspace_root: ben.folder },
        }),
      ).session.id
      const part = {
        type: "file-attachment",
        name: "x.txt",
        mime: "text/plain",
        content_id: content,
      }
      const stolen = await ben.ask("POST", `/v1/sessions/${bens}/messages`, {
        json: { parts: [part] },
      })
      see.holds("PRI-003", "another's content id in a message", stolen.status >= 400, stolen.status)
      const read = await ben.ask("GET", `/v1/sessions/${bens}/blobs/${content}`)
      see.equal("PRI-003", "another's content id, read", read.status, 404)
      const note = { json: { scope: "user", body: "Ana's note." } }
      answered(await ana.ask("PUT", "/v1/memory/shared-name", note))
      const peeked = await ben.ask("GET", "/v1/memory/shared-name")
      see.equal("PRI-002", "another's memory", peeked.status, 404)
      const [first, second] = [
        await ana.ask("PUT", "/v1/entities/assistant/same-name", { json: {} }),
        await ben.ask("PUT", "/v1/entities/assistant/same-name", { json: {} }),
      ]
      see.equal("PRI-002", "the same name twice", [first.status, second.status], [201, 201])
      const digest = createHash("sha256").update(ana.token).digest("hex")
      const tokens = await kit.ask("GET", `/v1/principals/${encodeURIComponent(ana.id)}/tokens`)
      see.lacks("PRI-006", "what a token says", tokens.text, ana.token)
      see.holds(
        "PRI-006",
        "its length",
        ana.token.length >= 43 && digest.length === 64,
        ana.token.length,
      )
      const operator = await ben.ask("GET", "/v1/principals")
      see.equal("PRI-005", "a route of the operator's", operator.status, 404)
      for (const path of [
        "/v1/trust",
        "/v1/import",
        "/v1/models/refresh",
        "/v1/mcp/any/reconnect",
      ]) {
        const { status } = await ben.ask("POST", path, {
          json: { path: join(ben.folder, "b.txt") },
        })
        see.equal("PRI-009", `${path}, which changes what others' prompts read`, status, 404)
      }
      const [held] = tokens.body.tokens
      await kit.ask("DELETE", `/v1/principals/${encodeURIComponent(ana.id)}/tokens/${held.id}`)
      const late = await ana.ask("GET", "/v1/sessions")
      see.equal("PRI-006", "a token that was taken back", late.status, 401)
      await until(async () => (await auditOf(kit, ben.id)).length > 0, "the audit")
      const [entry] = await auditOf(kit, ben.id)
      const missing = ["at", "principal", "action", "named", "status"].filter(
        (key) => !(key in entry),
      )
      see.equal("PRI-007", "what an entry lacks", missing, [])
      await kit.ask("DELETE", `/v1/principals/${encodeURIComponent(ben.id)}`)
      await kit.ask("DELETE", `/v1/principals/${encodeURIComponent(ana.id)}`)
    },
  },
  {
    title: "what only the house says",
    rules: ["PRI-008"],
    needs: [],
    async live(kit, see) {
      const id = await kit.session()
      for (const metadata of [
        { trigger: { source: "api", fired_at: 1 } },
        { action: { type: "clear" } },
      ]) {
        const sent = await kit.ask("POST", `/v1/sessions/${id}/messages`, {
          json: { parts: [{ type: "text", text: "x" }], metadata },
        })
        see.equal("PRI-008", JSON.stringify(metadata), sent.status, 422)
      }
    },
  },
]

const PROBES = [
  ["GET", "/v1/sessions/ID"],
  ["GET", "/v1/sessions/ID/messages"],
  ["GET", "/v1/sessions/ID/queue"],
  ["GET", "/v1/sessions/ID/draft"],
  ["GET", "/v1/sessions/ID/turns"],
  ["GET", "/v1/sessions/ID/inspect"],
  ["GET", "/v1/export?session=ID"],
  ["DELETE", "/v1/sessions/ID"],
] as const

function bodyFor(method: string): Request {
  return method === "POST" ? { json: {} } : {}
}

interface Joined {
  readonly id: string
  readonly token: string
  readonly folder: string
  ask(method: string, path: string, request?: Request): Promise<Answer>
}

async function joined(kit: Kit, name: string): Promise<Joined> {
  const id = `user:${name}-${Date.now().toString(36)}`
  const folder = join(kit.folder, name)
  answered(await kit.ask("POST", "/v1/principals", { json: { id, workspaces: [folder] } }))
  const path = `/v1/principals/${encodeURIComponent(id)}/tokens`
  const { secret: token } = answered(await kit.ask("POST", path, { json: {} }))
  return {
    id,
    token,
    folder,
    ask: (method, at, request = {}) =>
      kit.ask(method, at, {
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
      }),
  }
}

async function auditOf(kit: Kit, principal: string): Promise<Json[]> {
  const { body } = await kit.ask("GET", `/v1/audit?principal=${encodeURIComponent(principal)}`)
  return body.entries
}
