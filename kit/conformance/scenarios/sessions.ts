import { gate, type Json, type Kit, until, words } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** Branches, rewinding, summaries, sidecars, and what deleting leaves. */
export const sessionScenarios: readonly Scenario[] = [
  {
    title: "branch and rewind",
    rules: ["DEC-02", "SES-010", "SES-011", "SES-020", "SES-021", "DEC-17", "PER-004"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      await kit.turn(id, "the first word is oak")
      const second = await kit.turn(id, "the second word is elm")
      const before = await kit.messages(id)
      const before_message_id = second.sent.message?.id ?? null
      const rewound = await kit.client.sessions.rewind(id, { before_message_id })
      const { snapshot_ids } = rewound
      see.holds("SES-011", "the snapshots behind it", Array.isArray(snapshot_ids), rewound)
      const hidden = await kit.messages(id)
      see.equal("SES-010", "what a rewind leaves", hidden.length, 2)
      const asked = await kit.turn(id, "and now?")
      see.lacks("SES-010", "what was hidden", asked.heard[0]?.said ?? "", "elm")
      see.contains("SES-010", "what was not", asked.heard[0]?.said ?? "", "oak")
      const fresh = await kit.session()
      await kit.turn(fresh, "one")
      const last = await kit.turn(fresh, "two")
      const whole = await kit.messages(fresh)
      await kit.client.sessions.rewind(fresh, { before_message_id: last.sent.message?.id ?? null })
      await kit.client.sessions.unrewind(fresh)
      see.equal("SES-010", "an un-rewind restores every row", await kit.messages(fresh), whole)
      const inherited = (await kit.messages(id)).slice(0, 2)
      see.equal("DEC-02", "rows that a rewind kept", inherited, before.slice(0, 2))
      const { session: branch } = await kit.client.sessions.branch(id, {
        from_message_id: before[1]?.id ?? "",
      })
      see.equal(
        "SES-020",
        "what a branch shares",
        bare(await kit.messages(branch.id)),
        bare(before.slice(0, 2)),
      )
      see.equal("SES-020", "whose branch it is", branch.parent_id, id)
      const other = await kit.turn(branch.id, "in the branch")
      see.lacks("SES-020", "what came later", other.heard[0]?.said ?? "", "and now?")
      const door = gate()
      kit.model.play(() => ({ text: "Slow.", until: door.wait }))
      const running = await kit.client.send(id, words("unfinished"))
      await until(() => kit.model.heard.length === 1, "a request")
      const inside = await kit.ask("POST", `/v1/sessions/${id}/branch`, {
        json: { from_message_id: running.message?.id },
      })
      see.equal("SES-020", "a point inside an unfinished turn", inside.status, 409)
      door.open()
      await kit.rest(id)
      await kit.client.sessions.update(id, { archived: true })
      see.equal("PER-004", "archived, in the list", await isListed(kit, id, {}), false)
      see.equal(
        "PER-004",
        "archived, when asked for",
        await isListed(kit, id, { archived: true }),
        true,
      )
      see.equal("PER-004", "it is not deleted", (await kit.messages(id)).length > 0, true)
      const { branches } = await kit.client.sessions.remove(id)
      see.equal("SES-021", "the branches that live on", branches, [branch.id])
      const gone = await kit.ask("GET", `/v1/sessions/${id}`)
      see.equal("SES-021", "the session itself", gone.status, 404)
      see.contains(
        "SES-021",
        "what the branch reads",
        JSON.stringify(await kit.messages(branch.id)),
        "oak",
      )
      const lines = (await kit.ask("GET", "/v1/export?blobs=false")).text
      see.lacks("DEC-17", "what nobody reads any more", lines, "the second word is elm")
      const purged = await kit.turn(fresh, "a word to purge: yew")
      await kit.client.purge(fresh, purged.sent.message?.id ?? "")
      const left = JSON.stringify(await kit.messages(fresh))
      see.lacks("DEC-17", "a purged message", left, "a word to purge: yew")
      const [reset] = await kit.frames(`/v1/sessions/${fresh}/events?after=0`, () => true)
      see.equal("DEC-17", "the stream starts anew", reset?.event, "reset")
      await kit.client.sessions.remove(branch.id)
    },
  },
  {
    title: "a conversation is summarised",
    rules: ["SES-030", "SES-012", "SES-031", "UXH-001"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      await kit.turn(id, "the word is larch")
      let failures = 0
      const door = gate()
      kit.model.play((heard) => {
        if (!isSummary(heard)) return { text: "Heard." }
        failures += 1
        if (failures === 1) return { refuse: { status: 503, message: "overloaded" } }
        return { text: "They spoke of a tree.", until: door.wait }
      })
      const compacting = kit.client.send(id, { source: "/compact" })
      await until(() => failures === 2, "the summary to be asked for again")
      see.equal("SES-031", "how often it was asked for", failures, 2)
      see.equal("UXH-001", "the session meanwhile", (await kit.client.status(id)).state, "busy")
      door.open()
      await compacting
      await kit.rest(id)
      const after = await kit.turn(id, "and now?")
      const said = after.heard[0]?.said ?? ""
      see.contains("SES-030", "the summary goes on", said, "They spoke of a tree.")
      see.lacks("SES-030", "what was said before", said, "larch")
      see.contains("SES-030", "nothing is deleted", JSON.stringify(after.messages), "larch")
      const [first] = after.messages
      const { session } = await kit.client.sessions.branch(id, {
        from_message_id: after.messages[1]?.id ?? first?.id ?? "",
      })
      const early = await kit.turn(session.id, "what was the word?")
      see.contains("SES-012", "a branch before it", early.heard[0]?.said ?? "", "larch")
    },
  },
  {
    title: "a side conversation",
    rules: ["UX-020", "UX-021", "UX-022", "UX-023", "BEY-09"],
    needs: ["model"],
    async live(kit, see) {
      const main = await kit.session()
      await kit.turn(main, "the word is maple")
      const metadata = { ephemeral: true }
      const { session } = await kit.client.sessions.branch(main, { metadata })
      see.equal("UX-020", "its metadata", session.metadata["ephemeral"], true)
      const aside = await kit.turn(session.id, "what is a fjord?")
      const [heard] = aside.heard
      see.contains("UX-022", "the history up to its point", heard?.said ?? "", "maple")
      const changing = ["write", "edit", "bash"].filter((name) => heard?.tools.includes(name))
      see.equal("UX-020", "tools that change something", changing, [])
      const note = aside.messages.some(({ role }) => role === "system")
      see.holds(
        "UX-020",
        "a note at its beginning",
        note,
        aside.messages.map(({ role }) => role),
      )
      const after = await kit.turn(main, "go on")
      see.lacks("UX-022", "the main conversation", after.heard[0]?.said ?? "", "fjord")
      see.equal("UX-021", "in the list", await isListed(kit, session.id, {}), false)
      see.equal(
        "UX-021",
        "when asked for",
        await isListed(kit, session.id, { ephemeral: "only" }),
        true,
      )
      await kit.ask("POST", `/v1/sessions/${session.id}/close`, { json: {} })
      see.equal(
        "UX-023",
        "closed, it is kept",
        await isListed(kit, session.id, { ephemeral: "only" }),
        true,
      )
      const said = aside.messages.findLast(({ role }) => role === "assistant")
      const brought = await kit.ask("POST", `/v1/sessions/${session.id}/bring-back`, {
        json: { message_id: said?.id },
      })
      see.equal("BEY-09", "what is brought back", brought.body.part?.type, "quote")
      const { draft } = await kit.client.draft.get(main)
      see.contains("BEY-09", "the main draft", JSON.stringify(draft), session.id)
      await kit.ask("POST", `/v1/sessions/${session.id}/close`, { json: { as: "promote" } })
      see.equal("BEY-09", "promoted", await isListed(kit, session.id, {}), true)
    },
  },
  {
    title: "a draft on two surfaces",
    rules: ["BEY-10"],
    needs: [],
    async live(kit, see) {
      const id = await kit.session()
      const path = `/v1/sessions/${id}/draft`
      const save = (base_revision: number, source: string, updated_by: string) =>
        kit.ask("PUT", path, { json: { base_revision, draft: { source }, updated_by } })
      const first = await save(0, "begun in a browser", "browser")
      see.equal("BEY-10", "saved", [first.status, first.body.revision], [200, 1])
      const lost = await save(0, "written elsewhere", "terminal")
      see.equal("BEY-10", "one that lost", lost.status, 409)
      see.equal(
        "BEY-10",
        "the draft",
        (await kit.client.draft.get(id)).draft?.source,
        "begun in a browser",
      )
      const { stash } = await kit.client.draft.stash(id)
      see.contains("BEY-10", "the stash", JSON.stringify(stash), "written elsewhere")
    },
  },
  {
    title: "a session is written out and read back",
    rules: ["DBG-002", "PER-001", "PER-002", "PER-005", "PER-007", "PER-010"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session({ title: "to be carried" })
      await kit.turn(id, "carry this")
      const lines = (await kit.ask("GET", `/v1/export?session=${id}`)).text
      const rows = lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const row = (type: string) => rows.find((one) => one.type === type)?.data ?? {}
      const kinds = new Set(rows.map(({ type }) => type))
      const three = ["session", "message", "part"].filter((kind) => !kinds.has(kind))
      see.equal("PER-001", "kinds of rows that are missing", three, [])
      for (const [rule, type, columns] of COLUMNS)
        see.equal(rule, `columns of a ${type} that are missing`, lacking(row(type), columns), [])
      const permissions = JSON.parse(row("session").permissions_json ?? "null")
      see.holds(
        "PER-010",
        "permissions are a list of rules",
        Array.isArray(permissions),
        permissions,
      )
      await kit.client.sessions.remove(id)
      const back = await kit.ask("POST", "/v1/import", {
        body: lines,
        headers: { "content-type": "application/x-ndjson" },
      })
      see.equal("DBG-002", "the import", back.status, 200)
      const again = (await kit.ask("GET", `/v1/export?session=${id}`)).text
      see.equal("DBG-002", "the same lines", again, lines)
    },
  },
]

function isSummary({ system }: { readonly system: string }): boolean {
  return /summar/i.test(system.slice(0, 200))
}

async function isListed(kit: Kit, id: string, query: object): Promise<boolean> {
  const { sessions } = await kit.client.sessions.list({ limit: 500, ...query })
  return sessions.some((session) => session.id === id)
}

function bare(messages: readonly Json[]): Json[] {
  return messages.map(({ id, role, parts }) => [id, role, parts.map(({ data }: Json) => data)])
}

function lacking(row: object, columns: string): string[] {
  return columns.split(" ").filter((column) => !(column in row))
}

const COLUMNS = [
  [
    "PER-002",
    "session",
    "id agent workspace_root model_json parent_id parent_message_id permissions_json metadata_json prompt_tokens completion_tokens reasoning_tokens cache_read cache_write total_tokens cost_usd created_at updated_at archived_at",
  ],
  ["PER-005", "message", "id session_id role metadata_json created_at updated_at"],
  [
    "PER-007",
    "part",
    "id message_id session_id index type data_json tool_call_id tool_state created_at updated_at",
  ],
] as const
