import { openPart } from "../../packages/core/parts/table.ts"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import type { ExportRow } from "../../packages/engine/store/store.ts"
import { exported } from "../store/build.ts"
import { type Desk, openDesk, partsIn, seen, typed, write } from "./house.ts"

const TABLES = "---\nname: tables\ndescription: When tables are drawn.\n---\nDraw straight lines."
const QUIET =
  "---\nname: quiet\ndescription: For the model.\nuser-invocable: false\n---\nSpeak softly."
const NOTED = "---\nname: noted\ndescription: With a file.\n---\nSee @notes.md and @nobody."
const GREET =
  "---\nname: greet\ndescription: Greets.\nargument-hint: who\n---\nGreet $ARGUMENTS warmly."
const FILES = {
  ".claude/skills/tables/SKILL.md": TABLES,
  ".claude/skills/quiet/SKILL.md": QUIET,
  ".claude/skills/noted/SKILL.md": NOTED,
  ".claude/skills/greet/SKILL.md": GREET,
}

describe("a skill that is mentioned", () => {
  it("[CMP-060] [CMP-062] is found though it cannot be typed as a command", async () => {
    const desk = await openDesk(FILES)
    await typed(desk, "be @skill:quiet now")
    expect((await seen(desk)).join("\n")).toContain("Speak softly.")
  })

  it("[CMP-062] brings the files that its body refers to, and leaves words that name none", async () => {
    const desk = await openDesk(FILES)
    await write(join(desk.workspace, "notes.md"), "remember\n")
    const sent = await typed(desk, "@skill:noted")
    expect(partsIn(sent).slice(1)).toMatchObject([
      { type: "skill-content", text: "See  and @nobody." },
      { type: "file-ref", ref: { kind: "path", path: "notes.md" } },
    ])
    expect((await seen(desk)).join("\n")).toContain("remember")
  })

  it("[BEY-05] asks before its body runs a command", async () => {
    const desk = await openDesk({
      ".claude/skills/now/SKILL.md": "---\nname: now\ndescription: Now.\n---\n!`echo noon`",
    })
    await expect(typed(desk, "@skill:now")).rejects.toMatchObject({
      code: "shell_approval",
      details: [{ message: "echo noon" }],
    })
  })

  it("[decision 7] is loaded once, and the receipt says why not again", async () => {
    const desk = await openDesk(FILES)
    await typed(desk, "use @skill:tables")
    await desk.host.idle()
    const again = await typed(desk, "again @skill:tables and @skill:tables")
    expect(partsIn(again).map(({ type, loaded }) => [type, loaded])).toEqual([
      ["text", undefined],
      ["mention", "before"],
      ["text", undefined],
      ["mention", "before"],
    ])
    expect(await seen(desk)).toEqual(["again ", " and "])
    expect(await reasons(desk)).toContain(
      "The model has the skill tables already, so it is not sent again.",
    )
  })

  it("[decision 7] is the same by its slash, and once for each of its arguments", async () => {
    const desk = await openDesk(FILES)
    expect(await bodies(desk, "/greet Ada")).toEqual(["Greet Ada warmly."])
    expect(await bodies(desk, "/greet Ada")).toEqual([])
    expect(await bodies(desk, "/greet Bob")).toEqual(["Greet Bob warmly."])
    const sent = await typed(desk, "/greet Bob")
    expect(partsIn(sent)).toMatchObject([
      { type: "command", outcome: "skill" },
      { type: "mention", target: { kind: "skill", name: "greet", arguments: "Bob" } },
    ])
  })

  it("[decision 7] [decision 2] is loaded again when what loaded it was rewound, and not after it came back", async () => {
    const desk = await openDesk(FILES)
    const first = await typed(desk, "@skill:tables")
    await desk.host.idle()
    const before_message_id = first.message?.message.id ?? null
    await desk.host.store.rewind({ session_id: desk.session, before_message_id })
    expect(await bodies(desk, "@skill:tables")).toEqual(["Draw straight lines."])
    expect(await bodies(desk, "@skill:tables")).toEqual([])
    await desk.host.store.unrewind({ session_id: desk.session })
    expect(await bodies(desk, "@skill:tables")).toEqual([])
  })

  it("[decision 7] [decision 2] is there in a branch behind it, and not in one before it", async () => {
    const desk = await openDesk(FILES)
    const hello = await typed(desk, "hello")
    await desk.host.idle()
    await typed(desk, "@skill:tables")
    await desk.host.idle()
    const branchAt = async (from_message_id: string | null) => {
      const about = { parent_id: desk.session, title: null, metadata: {}, from_message_id }
      const { session } = await desk.host.store.branch({ id: newId("ses"), ...about })
      return session.id
    }
    const behind = { ...desk, session: await branchAt(null) }
    expect(await bodies(behind, "@skill:tables")).toEqual([])
    const early = { ...desk, session: await branchAt(hello.message?.message.id ?? "") }
    expect(await bodies(early, "@skill:tables")).toEqual(["Draw straight lines."])
    expect((await seen(early)).at(-1)).toContain("Draw straight lines.")
  })

  it("[decision 7] is loaded again behind a compaction, and not because someone sent one", async () => {
    const desk = await openDesk(FILES)
    await typed(desk, "@skill:tables")
    await desk.host.idle()
    await typed(desk, "x", { parts: [openPart({ type: "data-compaction", text: "x" })] })
    expect(await bodies(desk, "@skill:tables")).toEqual([])
    const rows = await exported(desk.host.store, desk.session)
    const later = await openDesk(FILES)
    await later.host.store.importRows({ rows: rows.map(compacted) })
    const again = { ...later, session: desk.session }
    expect(await bodies(again, "@skill:tables")).toEqual(["Draw straight lines."])
  })
})

/** Every answer is the summary of what was said before it. */
function compacted(row: ExportRow): ExportRow {
  const part = row.type === "part" ? JSON.parse(String(row.data.data_json)) : undefined
  if (part?.text !== "ok") return row
  const summary = { summary: "ok", tail_start_id: null, auto: false, summary_tokens: 1 }
  const data_json = JSON.stringify({ type: "data-compaction", ...summary })
  return { type: "part", data: { ...row.data, type: "data-compaction", data_json } }
}

async function bodies(desk: Desk, source: string): Promise<unknown[]> {
  const sent = await typed(desk, source)
  await desk.host.idle()
  return partsIn(sent).flatMap(({ type, text }) => (type === "skill-content" ? [text] : []))
}

async function reasons({ host, session }: Desk): Promise<string[]> {
  const turn = (await host.store.turns(session)).at(-1)
  return (await host.store.receipts(session, turn?.id ?? "")).map(({ reason }) => reason)
}
