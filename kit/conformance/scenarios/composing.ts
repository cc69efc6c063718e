import type { Json } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** What was typed: what is found in it, and what commands come to. */
export const composingScenarios: readonly Scenario[] = [
  {
    title: "what is found in a source",
    rules: ["CMP-060", "CMP-040", "CMP-024", "EA-002", "EA-003", "EA-041", "CMP-061"],
    needs: ["folder"],
    async live(kit, see) {
      const source = "/search 😀 fast, then @src/one.ts#L10-25 and @skill:review and @file:a.ts"
      const { nodes, parts } = await kit.parse(source)
      const off = nodes.filter(({ start, end, raw }: Json) => source.slice(start, end) !== raw)
      see.equal("EA-002", "nodes whose span is not their text", off, [])
      const ordered = nodes.every(
        (node: Json, at: number) => at === 0 || nodes[at - 1].end <= node.start,
      )
      see.holds("EA-003", "nodes are in order and do not overlap", ordered, nodes)
      const many = await kit.parse("/search a\n/search b")
      see.holds("EA-003", "an answer with nodes", Array.isArray(many.nodes), many)
      const [command] = parts.filter(({ type }: Json) => type === "command")
      see.equal("CMP-040", "the command", command?.id, "/search")
      const [file] = parts.filter(({ type }: Json) => type === "file-ref")
      see.equal("CMP-024", "the range", file?.ref.range, { start: 10, end: 25 })
      const mentions = parts.filter(({ type }: Json) => type === "mention")
      see.equal("CMP-060", "the skill", mentions[0]?.target.kind, "skill")
      // A file that is mentioned is lowered as a reference, and may be stored as one (EA-041).
      const paths = parts.map(({ target, ref }: Json) => target?.path ?? ref?.path)
      see.holds("CMP-060", "the file", paths.includes("a.ts"), parts)
      const plain = (await kit.parse("See @src/one.ts#L2 and @skill:review.")).parts
      const types = plain.map(({ type }: Json) => type)
      see.equal("EA-041", "what nodes and gaps become", types, [
        "text",
        "file-ref",
        "text",
        "mention",
        "text",
      ])
      const lowered = await kit.lower([], { message: { source: "@skill:review do it" } })
      see.lacks("CMP-061", "the literal", JSON.stringify(lowered.prompt), "@skill")
      const kept = lowered.parts.find(({ type }: Json) => type === "mention")
      see.equal("CMP-061", "the mention is kept", kept?.target.name, "review")
    },
  },
  {
    title: "what commands come to",
    rules: [
      "CMP-041",
      "CMP-043",
      "CMP-044",
      "CMP-045",
      "CMP-047",
      "CMP-050",
      "CMP-051",
      "CMP-054",
      "CMP-055",
      "BEY-05",
      "BEY-06",
      "DEC-05",
    ],
    needs: ["folder"],
    async live(kit, see) {
      await kit.file(".agents/commands/greet.md", "Greet $1 and $2. All: $ARGUMENTS. Keep \\$5.\n")
      await kit.file(".agents/commands/bare.md", "A fixed text.\n")
      await kit.file(".claude/commands/theirs.md", "Theirs: $ARGUMENTS\n")
      await kit.file(".agents/commands/shelly.md", "Today: !`date`\n")
      const before = await kit.expand("/greet a b")
      see.lacks("BEY-06", "an untrusted template", JSON.stringify(before.parts), "Greet a")
      for (const name of ["greet", "bare", "shelly"]) await kit.trust(`.agents/commands/${name}.md`)
      await kit.trust(".claude/commands/theirs.md")
      const greeted = await kit.expand("/greet Ann $ARGUMENTS  now")
      const text = textIn(greeted)
      see.contains("CMP-050", "the numbered slots", text, "Greet Ann and $ARGUMENTS.")
      see.contains("CMP-051", "all of them, as typed", text, "All: Ann $ARGUMENTS  now.")
      see.contains("BEY-05", "a value is never read again", text, "and $ARGUMENTS.")
      see.contains("BEY-05", "an escaped dollar", text, "Keep $5.")
      const derived = greeted.parts.filter(({ type }: Json) => type === "text")
      see.holds("CMP-054", "it is a text part", derived.length > 0, greeted.parts)
      const bare = await kit.expand("/bare")
      see.contains("CMP-055", "a command without slots", textIn(bare), "A fixed text.")
      const shell = await kit.ask("POST", "/v1/expand", {
        json: { source: "/shelly", workspace: kit.folder },
      })
      see.holds(
        "BEY-05",
        "a shell command that nobody approved",
        shell.status === 409,
        shell.status,
      )
      see.contains("BEY-05", "the exact command is told", shell.text, "date")
      const searched = await kit.expand("/search the errors")
      const found = searched.parts.find(({ type }: Json) => type === "text")
      see.equal(
        "CMP-043",
        "what /search comes to",
        [found?.text, found?.intent],
        ["the errors", "search"],
      )
      const unknown = await kit.expand("/frobnicate now")
      see.contains(
        "CMP-044",
        "it is sent as typed",
        JSON.stringify(unknown.parts),
        "/frobnicate now",
      )
      const lowered = await kit.lower([], { message: { source: "/frobnicate now" } })
      see.contains("CMP-044", "and lowered so", JSON.stringify(lowered.prompt), "/frobnicate now")
      see.holds("CMP-044", "with a notice", lowered.warnings.length > 0, lowered.warnings)
      const outcomes = [searched, unknown, await kit.expand("/compact")].map(outcomesOf)
      see.equal("CMP-041", "the outcomes of each", outcomes, [
        ["structured"],
        ["pass-through"],
        ["action"],
      ])
      const template = await kit.lower([], { message: { source: "/greet Ann Bob" } })
      see.lacks("CMP-047", "the literal of a command", JSON.stringify(template.prompt), "/greet")
      const { commands } = await kit.client.commands.list({ workspace: kit.folder })
      const names = commands.map(({ name }) => name)
      const all = ["branch", "compact", "archive", "rewind", "greet", "theirs"]
      see.equal(
        "CMP-045",
        "missing in the catalog",
        all.filter((name) => !names.includes(name)),
        [],
      )
      const theirs = commands.find(({ name }) => name === "theirs")
      see.equal("BEY-06", "whose it is", theirs?.command.source.tool, "claude")
      see.contains(
        "BEY-06",
        "by its own rules",
        textIn(await kit.expand("/theirs x y")),
        "Theirs: x y",
      )
      const inside = await kit.expand("please don't /clear yet")
      see.equal("DEC-05", "what is done", inside.actions ?? [], [])
      const leading = await kit.expand("/clear")
      see.equal("DEC-05", "when it leads", (leading.actions ?? []).length, 1)
    },
  },
  {
    title: "commands in a turn",
    rules: ["CMP-042", "CMP-048", "CMP-049", "DEC-06", "CMP-076", "CMP-079"],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("sel/a.ts", "one\ntwo\nthree\n")
      const id = await kit.session()
      await kit.turn(id, "Remember the word apple.")
      const cleared = await kit.turn(id, { source: "/clear" })
      see.equal("CMP-042", "requests that an action made", cleared.heard.length, 0)
      const after = await kit.turn(id, "What was the word?")
      see.lacks("CMP-042", "the action, to the model", after.heard[0]?.raw ?? "", "/clear")
      see.lacks("DEC-06", "what was said before /clear", after.heard[0]?.said ?? "", "apple")
      const row = cleared.sent.message
      see.holds("DEC-06", "it is a row of the queue", row?.id.startsWith("msg_") === true, row)
      const { system, wire } = after.heard[0] ?? { system: "", wire: { tools: [] } }
      const told = system + JSON.stringify(wire.tools ?? [])
      see.lacks("CMP-049", "the commands, to the model", told, "/compact")
      const read = await kit.turn(id, { source: "/read sel/a.ts" })
      see.contains("CMP-048", "what a command has to say", read.heard[0]?.newest ?? "", "two")
      const contexts = [
        { type: "editor-context", kind: "selection", payload: { node: 7 }, emitted_at: 1 } as const,
      ]
      const selected = await kit.turn(id, { source: "Paint @selection blue", contexts })
      see.contains(
        "CMP-076",
        "@selection",
        selected.heard[0]?.newest ?? "",
        '<editor_context kind="selection"',
      )
      const payload = { path: "sel/a.ts", range: { start: 2, end: 2 } }
      const lines = [{ type: "editor-context", kind: "selection", payload, emitted_at: 1 } as const]
      const ranged = await kit.turn(id, { source: "Explain @selection", contexts: lines })
      const types = ranged.sent.message?.parts.map(({ type }) => type) ?? []
      see.holds("CMP-079", "lines of a file", types.includes("file-ref"), types)
    },
  },
  {
    title: "a composer's input",
    rules: [
      "EA-001",
      "EA-004",
      "EA-005",
      "EA-006",
      "EA-007",
      "EA-010",
      "EA-011",
      "EA-012",
      "EA-023",
    ],
    needs: [],
    async live(kit, see) {
      const entity = `/v1/entities/assistant/kit-${Date.now().toString(36)}`
      const began = await kit.ask("PUT", entity, { json: {} })
      const session = began.body.entity.session_id
      const send = (payload: object, more: object = {}) =>
        kit.ask("POST", `${entity}/send`, {
          json: { type: "composer_input", payload, mode: "paused", ...more },
        })
      const source = "/nobody-knows-it look at gone.ts"
      const nodes = [
        {
          kind: "slash_command",
          start: 0,
          end: 16,
          raw: "/nobody-knows-it",
          name: "nobody-knows-it",
          args: { x: 1 },
        },
        { kind: "galaxy", start: 17, end: 21, raw: "look", arms: 4 },
        { kind: "file", start: 25, end: 32, raw: "gone.ts", path: "gone.ts" },
      ]
      const sent = await send({ source, nodes })
      see.equal("EA-001", "it needs no declaration", sent.status, 200)
      see.equal("EA-007", "unknown commands and files", sent.status, 200)
      see.holds(
        "EA-010",
        "an answer with a txid and a key",
        Boolean(sent.body.txid && sent.body.key),
        sent.body,
      )
      const rows = await kit.frames(
        `/v1/sessions/${session}/events`,
        ({ data }) => data?.headers?.txid === sent.body.txid,
      )
      see.holds("EA-010", "its txid stands in the stream", rows.length > 0, rows.length)
      const inbox = (await kit.ask("GET", `${entity}/inbox`)).body.inbox
      see.equal("EA-004", "nodes with what nobody knows", inbox[0]?.payload.nodes, nodes)
      const twice = await send({ source: "once" }, { key: "msg_00000000000a00000000000001" })
      const again = await send({ source: "once" }, { key: "msg_00000000000a00000000000001" })
      const keys = (await kit.ask("GET", `${entity}/inbox`)).body.inbox.map(({ key }: Json) => key)
      const count = keys.filter((key: string) => key === twice.body.key).length
      see.equal("EA-010", "the same key twice", [count, again.body.key], [1, twice.body.key])
      const before = keys.length
      const faulty = await send({ source: 5, nodes: [{ kind: "file", start: -1 }] })
      see.equal("EA-005", "a faulty payload", faulty.status, 422)
      see.holds("EA-005", "every fault at once", faulty.body.error.details.length > 2, faulty.body)
      const left = (await kit.ask("GET", `${entity}/inbox`)).body.inbox.length
      see.equal("EA-005", "nothing was stored", left, before)
      const shifted = await send({
        source: "see @a.ts now",
        nodes: [{ kind: "file", start: 5, end: 10, raw: "@a.ts", path: "a.ts" }],
      })
      see.equal("EA-006", "a node that is off by one", shifted.status, 200)
      see.holds("EA-006", "a warning", (shifted.body.warnings ?? []).length > 0, shifted.body)
      const lost = await send({
        source: "see nothing",
        nodes: [{ kind: "file", start: 5, end: 10, raw: "@b.ts", path: "b.ts" }],
      })
      see.equal("EA-006", "a node that is nowhere", lost.status, 422)
      const changed = await kit.ask("PATCH", `${entity}/inbox/${sent.body.key}`, {
        json: { payload: { source: "edited" } },
      })
      see.equal("EA-023", "an edit while it waits", changed.status, 200)
      const gone = await kit.ask("DELETE", `${entity}/inbox/${sent.body.key}`)
      see.equal("EA-023", "a cancel while it waits", gone.status, 200)
      const late = await kit.ask("DELETE", `${entity}/inbox/${sent.body.key}`)
      see.equal("EA-023", "once it is over", late.status, 409)
      const types = (await kit.ask("GET", "/v1/entity-types")).body.types
      const commands = (await kit.ask("GET", `${entity}/commands`)).body.commands
      const declared = types.find(({ type }: Json) => type === "assistant")?.slash_commands ?? []
      const names = commands.map(({ name }: Json) => name)
      const missing = declared.filter(({ name }: Json) => !names.includes(name))
      see.equal("EA-012", "declared commands that are no rows", missing, [])
      const all = types.flatMap(({ slash_commands }: Json) => slash_commands)
      const shapeless = all.filter(({ name }: Json) => typeof name !== "string")
      see.equal("EA-011", "declared commands without a name", shapeless, [])
      await kit.ask("DELETE", entity)
    },
  },
]

function textIn(expanded: Json): string {
  return expanded.parts
    .filter(({ type }: Json) => type === "text")
    .map(({ text }: Json) => text)
    .join("\n")
}

/** What became of the commands in it; an action is told beside the parts. */
function outcomesOf(expanded: Json): string[] {
  const commands = expanded.parts.filter(({ type }: Json) => type === "command")
  const outcomes = commands.map(({ outcome }: Json) => outcome)
  return [...outcomes, ...(expanded.actions ?? []).map(() => "action")]
}
