import { type Json, type Kit, until, words } from "../kit.ts"
import { attached, png, zip } from "../samples.ts"
import type { Scenario } from "../scenario.ts"

const KEYS = {
  user: ["schema_version", "queue_enqueued_at"],
  assistant: ["usage", "model", "agent", "system_prompt_digest"],
}

const OF_ANSWERS =
  /^(text|reasoning|tool-[\w-]+|dynamic-tool|file|source-url|source-document|data-[\w-]+)$/

/** What goes out over a session's life. */
export const requestScenarios: readonly Scenario[] = [
  {
    title: "what was sent is sent again",
    rules: [
      "COS-001",
      "SES-002",
      "SES-003",
      "DBG-003",
      "DBG-005",
      "BIN-022",
      "SES-050",
      "PER-006",
      "PER-008",
    ],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("AGENTS.md", "Instructions of the kit: be brief.\n")
      await kit.trust("AGENTS.md")
      const id = await kit.session()
      const first = await kit.turn(id, "one")
      const second = await kit.turn(id, "two")
      const [before, after] = [first.heard[0], second.heard[0]]
      const prefix = after?.unmarked.slice(0, before?.unmarked.length)
      see.equal("COS-001", "the prefix", prefix, before?.unmarked)
      see.equal("COS-001", "the system prompt", after?.system, before?.system)
      const marks = (after?.raw.match(/"cache_control"/g) ?? []).length
      see.holds("COS-001", "at most four breakpoints", marks <= 4, marks)
      const system = after?.system ?? ""
      const places = ["Instructions of the kit", "skill", kit.folder].map((one) =>
        system.lastIndexOf(one),
      )
      const ordered = places.every(
        (place, at) => place >= 0 && (at === 0 || place > (places[at - 1] ?? 0)),
      )
      see.holds("SES-050", "instructions, skills, environment", ordered, places)
      const messages = await kit.messages(id)
      const known = messages.every(({ role, metadata }) =>
        KEYS[role === "user" ? "user" : "assistant"].every((key) => key in metadata),
      )
      see.holds("PER-006", "what is told of each message", known, messages)
      const answers = messages.filter(({ role }) => role === "assistant")
      const types = answers.flatMap(({ parts }) => parts.map(({ type }) => type))
      const named = types.every((type) => OF_ANSWERS.test(type))
      see.holds("PER-008", "the parts of answers", named, types)
      const turn = await kit.lastTurn(id)
      const usage = { input: 10, output: 3, reasoning: 0, cache_read: 5, cache_write: 2 }
      see.equal("SES-002", "the turn's usage", turn.usage, usage)
      const inspected = (await kit.client.inspect(id)) as Json
      const shown = ["timeline", "usage", "cost_usd", "permissions"].filter(
        (key) => !(key in inspected),
      )
      see.equal("DBG-003", "what inspection does not show", shown, [])
      const [request] = inspected.turns
      see.equal("DBG-003", "the model", request.model, turn.model)
      see.holds(
        "DBG-003",
        "the tool catalog",
        request.tool_catalog.length > 0,
        request.tool_catalog,
      )
      see.contains(
        "DBG-003",
        "the system prompt",
        JSON.stringify(request.system_prompt),
        "be brief",
      )
      see.contains(
        "DBG-005",
        "the request can be made again",
        JSON.stringify(inspected.lowered.body),
        "two",
      )
      see.holds("BIN-022", "what it was lowered by", Boolean(turn.capabilities_revision), turn)
      const { models } = (await kit.ask("GET", "/v1/models")).body
      const revised = models.every(
        ({ revision, layers }: Json) => revision && Array.isArray(layers),
      )
      see.holds("BIN-022", "the map says who had a say", revised, models[0])
      const { session } = await kit.client.sessions.get(id)
      see.holds(
        "SES-003",
        "a cost is worked out",
        typeof session.cost_usd === "number",
        session.cost_usd,
      )
      const recorded = JSON.stringify(turn)
      see.holds("SES-003", "no price in the turn", !/price|cost/i.test(recorded), recorded)
      await kit.file("AGENTS.md", "")
    },
  },
  {
    title: "a model refuses a picture",
    rules: ["BEY-02"],
    needs: ["model"],
    async live(kit, see) {
      const bad = attached("bad.png", png(13 + Math.floor(Math.random() * 200), 9))
      kit.model.play((heard) =>
        heard.raw.includes(bad.data)
          ? { refuse: { status: 400, message: "Could not process image" } }
          : { text: "I see." },
      )
      const id = await kit.session()
      await kit.turn(id, { parts: [{ type: "text", text: "look" }, bad] })
      see.equal(
        "BEY-02",
        "requests: with it, and without",
        kit.model.heard.map(({ raw }) => raw.includes(bad.data)),
        [true, false],
      )
      const turn = await kit.lastTurn(id)
      see.equal("BEY-02", "how the turn ended", turn.state, "finished")
      see.equal("BEY-02", "the user is told", turn.notices.length, 1)
      const again = await kit.turn(id, "and now?")
      see.lacks("BEY-02", "it is not sent again", again.heard[0]?.raw ?? "", bad.data)
    },
  },
  {
    title: "a file changes between turns",
    rules: ["BEY-03", "DEC-04"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`)
      const path = await kit.file("fresh/a.txt", lines.join("\n"))
      const id = await kit.session()
      const ref = { type: "file-ref", ref: { kind: "path", path } } as const
      const first = await kit.turn(id, { parts: [ref] })
      see.contains("BEY-03", "shown whole", first.heard[0]?.newest ?? "", "line 40\n")
      const same = await kit.turn(id, { parts: [ref] })
      see.lacks(
        "BEY-03",
        "unchanged, it is not shown again",
        same.heard[0]?.newest ?? "",
        "line 40",
      )
      see.contains("BEY-03", "which is said", same.heard[0]?.newest ?? "", "nchanged")
      await kit.file(path, lines.with(29, "line thirty").join("\n"))
      const changed = await kit.turn(id, { parts: [ref] })
      see.contains("BEY-03", "what changed", changed.heard[0]?.newest ?? "", "+line thirty")
      see.lacks("BEY-03", "and no more", changed.heard[0]?.newest ?? "", "line 50")
      see.contains(
        "DEC-04",
        "what was sent is read again",
        changed.heard[0]?.said ?? "",
        "\nline 30\n",
      )
      const range = { start: 2, end: 2 }
      kit.model.play()
      const ranged = await kit.client.send(id, {
        parts: [{ type: "file-ref", ref: { kind: "path", path, range } }],
        mode: "paused",
      })
      await kit.file(path, "other words\nentirely\n")
      await kit.client.queue.update(id, ranged.message?.id ?? "", { state: "queued" })
      await kit.rest(id)
      see.contains(
        "DEC-04",
        "a range as it was when sent",
        kit.model.heard.at(-1)?.newest ?? "",
        "line 2",
      )
      const whole = await kit.client.send(id, { parts: [ref], mode: "paused" })
      await kit.file(path, "the newest words\n")
      await kit.client.queue.update(id, whole.message?.id ?? "", { state: "queued" })
      await kit.rest(id)
      see.contains(
        "DEC-04",
        "a whole file as it is when fired",
        kit.model.heard.at(-1)?.newest ?? "",
        "the newest words",
      )
    },
  },
  {
    title: "the model is changed",
    rules: ["SES-040", "CMP-102", "CMPH-010", "CMPH-011", "CMPH-013", "CMPH-017"],
    needs: ["model"],
    async live(kit, see) {
      const { models } = (await kit.ask("GET", "/v1/models")).body
      const [provider] = kit.model_name.split("/")
      const other = models.find(
        ({ provider_id, model_id }: Json) =>
          provider_id === provider && `${provider_id}/${model_id}` !== kit.model_name,
      )
      if (!other) throw new Error(`the server knows no second model of ${provider}`)
      const id = await kit.session()
      const claimed = { kind: "image", route: { type: "native", model: "mine", trace: [] } }
      const archive = { ...attached("a.zip", zip({ "a.txt": "hello" })), ...claimed }
      const first = await kit.turn(id, { parts: [{ type: "text", text: "one" }, archive] })
      const routed = first.sent.message?.parts[1]?.data as Json
      const said = [typeof routed?.route?.type, Array.isArray(routed?.route?.trace)]
      see.equal("CMPH-010", "the route of a file, and why", said, ["string", true])
      see.holds("CMPH-013", "what its card says", routed?.route?.type !== "native", routed)
      see.holds("CMPH-011", "what a surface says of it", routed?.route?.model !== "mine", routed)
      const model = { provider_id: other.provider_id, model_id: other.model_id }
      const switched = await kit.turn(id, { ...words("two"), model })
      see.equal("SES-040", "who is asked", switched.heard[0]?.model, other.model_id)
      const { session } = await kit.client.sessions.get(id)
      see.equal("SES-040", "the session keeps it", session.model.model_id, other.model_id)
      const later = (await kit.messages(id))[0]?.parts[1]?.data
      const shown = (await kit.messages(id))[0]?.parts.map(({ data }) => data)
      const first_shown = first.sent.message?.parts.map(({ data }) => data)
      see.equal("CMP-102", "parts that were shown, told and lowered twice", shown, first_shown)
      see.equal("CMPH-017", "the part, after another model's turn", later, routed)
      const report = await kit.client.switchReport(id, kit.model_name)
      see.equal("SES-040", "what a change would do", report.from.model_id, other.model_id)
    },
  },
  {
    title: "skills",
    rules: [
      "SKL-001",
      "SKL-002",
      "SKL-003",
      "SKL-004",
      "CMP-062",
      "DEC-07",
      "BIN-031",
      "BIN-032",
      "UX-032",
      "UX-038",
      "EA-031",
      "TRU-003",
      "TRU-004",
      "TRU-005",
    ],
    needs: ["model", "folder"],
    async live(kit, see) {
      const body = "Read everything twice, says the kit."
      await kit.file(
        ".agents/skills/twice/SKILL.md",
        skill("twice", "Load when the kit asks.", body),
      )
      await kit.file(".agents/skills/pdf/SKILL.md", skill("pdf", "The project's own.", "Ours."))
      await kit.file("AGENTS.md", "Root words.\n")
      const wary = await kit.session()
      const quoted = (await kit.turn(wary, "hello")).heard[0]
      const again = (await kit.turn(wary, "and again")).heard[0]
      see.lacks(
        "TRU-003",
        "what nobody trusted, as system words",
        quoted?.system ?? "",
        "Root words",
      )
      see.contains("TRU-003", "the quotation", quoted?.raw ?? "", "Root words.")
      const often = (again?.raw.split("Root words.").length ?? 1) - 1
      see.equal("TRU-005", "how often it is said", often, 1)
      await kit.trust("AGENTS.md")
      await kit.trust(".agents/skills/twice/SKILL.md")
      await kit.trust(".agents/skills/pdf/SKILL.md")
      const id = await kit.session()
      const first = await kit.turn(id, { source: "@skill:twice please" })
      const [heard] = first.heard
      const system = heard?.system ?? ""
      see.contains("SKL-001", "its name and line", system, "Load when the kit asks.")
      see.contains("SKL-002", "the project's comes first", system, "The project's own.")
      see.lacks("SKL-003", "its body in the system prompt", system, body)
      see.contains("SKL-004", "the project's instructions", system, "Root words.")
      see.contains("TRU-004", "what is trusted by now", system, "Root words.")
      see.contains("DEC-07", "its body", heard?.raw ?? "", body)
      const call = heard?.wire.messages.some(
        ({ content }) =>
          typeof content !== "string" &&
          content.some(({ type, name }) => type === "tool_use" && name === "skill"),
      )
      const block = heard?.raw.includes("skill_content") ?? false
      see.holds("DEC-07", "as a call's result, or as a block", call === true || block, heard?.raw)
      const second = await kit.turn(id, { source: "@skill:twice please" })
      const times = (second.heard[0]?.raw.split(body).length ?? 1) - 1
      see.equal("CMP-062", "how often its body was sent", times, 1)
      await kit.file(".agents/skills/later/SKILL.md", skill("later", "Came later.", "x"))
      await kit.trust(".agents/skills/later/SKILL.md")
      const third = await kit.turn(id, "go on")
      see.equal("SKL-003", "the list stays as it was", third.heard[0]?.system, system)
      kit.model.playCalls([{ name: "skill", input: { name: "twice" } }])
      const fresh = await kit.session()
      const called = await kit.turn(fresh, "load it")
      see.contains(
        "SKL-003",
        "its body, by the tool",
        called.heard[1]?.results.join("\n") ?? "",
        body,
      )
      for (const format of FORMATS) {
        kit.model.playCalls([{ name: "skill", input: { name: format } }])
        const loaded = await kit.turn(await kit.session(), "load it")
        const line = loaded.heard[0]?.system.split("\n").find((one) => one.includes(format)) ?? ""
        see.holds("BIN-031", `the line of ${format}`, /load|when|use/i.test(line), line)
        const text = loaded.heard[1]?.results.join("\n") ?? ""
        const sections = [/detect/i, /convert|extract|attach|read/i, /output|attach|route/i]
        see.holds(
          "BIN-032",
          `the body of ${format}`,
          sections.every((one) => one.test(text)),
          text,
        )
      }
      kit.model.playCalls([{ name: "skill", input: { name: "memory" } }])
      const memory = await kit.turn(await kit.session(), "load it")
      const text = memory.heard[1]?.results.join("\n") ?? ""
      see.contains("UX-032", "when to remember", text, "memory_write")
      see.holds("UX-038", "what is worth it", /correct/.test(text) && /outside/.test(text), text)
      await bySlash(kit, body).then((raw) =>
        see.contains("EA-031", "a skill behind a command of an input", raw, body),
      )
      await kit.file("AGENTS.md", "")
    },
  },
]

const FORMATS = ["archive", "office"]

function skill(name: string, description: string, body: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`
}

/** What the model hears when an entity is sent a skill's command. */
async function bySlash(kit: Kit, body: string): Promise<string> {
  const entity = `/v1/entities/assistant/skill-${Date.now().toString(36)}`
  const began = await kit.ask("PUT", entity, { json: { workspace_root: kit.folder } })
  const session = began.body.entity.session_id
  await kit.client.sessions.update(session, { model: kit.model_name })
  kit.model.play()
  const source = "/twice and go"
  const nodes = [{ kind: "slash_command", start: 0, end: 6, raw: "/twice", name: "twice" }]
  await kit.ask("POST", `${entity}/send`, {
    json: { type: "composer_input", payload: { source, nodes } },
  })
  await until(() => kit.model.heard.length > 0, `the model to be told ${body}`)
  await kit.rest(session)
  const commands = (await kit.ask("GET", `${entity}/commands`)).body.commands
  const published = commands.some(({ name }: Json) => name === "twice")
  return published ? (kit.model.heard[0]?.raw ?? "") : "the command twice was not published"
}
