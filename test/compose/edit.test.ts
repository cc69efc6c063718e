import { describe, expect, it } from "vitest"
import { openMessage, partsBesideWords } from "../../packages/core/compose/editable.ts"
import { readMarks, writeMarks } from "../../packages/core/compose/marks.ts"
import { tortureEdit } from "../../kit/torture/edit.ts"
import { missing } from "../machine.ts"

const everything = process.env["CI"] === "true"
const EDITED = everything
  ? { count: 1000, chromium: 20, terminal: 20 }
  : { count: 100, chromium: 6, terminal: 6 }

describe("messages that are edited", () => {
  it("[QUE-009] have the same parts when they are saved unchanged", {
    timeout: 600_000,
  }, async () => {
    const seed = Math.floor(Math.random() * 2 ** 32)
    const chromium = missing("chromium") ? 0 : EDITED.chromium
    const terminal = missing("tmux") ? 0 : EDITED.terminal
    expect(await tortureEdit({ ...EDITED, chromium, terminal, seed })).toBe(true)
  })

  it("[QUE-009] open as text with marks for what text cannot carry", () => {
    const opened = open(
      { type: "quote", session_id: "s", message_id: "m", text: "q" },
      { type: "text", text: "see [x] and /clear" },
      { type: "x", value: 1 },
      { type: "text", text: " now" },
      { type: "text", text: "twice" },
    )
    expect(opened.source).toBe("see [x] and /clear now")
    expect(opened.literals).toEqual(["/clear"])
    const { text, marks } = writeMarks(opened.source, opened.inserts)
    expect(text).toBe("[quote: q]see [x] and /clear[x #2] now")
    expect(readMarks(text.replace("[x #2]", ""), marks).lost).toEqual(["[x #2]"])
    expect(readMarks(text, marks).inserts).toEqual(opened.inserts)
    expect(opened.rest).toEqual([{ type: "text", text: "twice" }])
  })

  it("[QUE-009] keep words that look like commands, also where they touch a part", () =>
    expect(
      open({ type: "text", text: "end" }, { type: "x" }, { type: "text", text: "$pdf /x" })
        .literals,
    ).toEqual(["$pdf", "/x"]))

  it("[QUE-009] keep beside new words what the old ones did not say", () => {
    const file = { type: "file-ref", ref: { kind: "path", path: "a.ts" } }
    const metadata = {
      composer_input: {
        source: "see @a.ts",
        nodes: [{ kind: "file", start: 4, end: 9, raw: "@a.ts", path: "a.ts" }],
      },
    }
    const parts = rows({ type: "text", text: "see " }, file, file, { type: "text", text: "piped" })
    expect(partsBesideWords({ metadata, parts })).toEqual({
      leading: [],
      following: [file, { type: "text", text: "piped" }],
    })
  })
})

function open(...parts: readonly Readonly<Record<string, unknown>>[]) {
  return openMessage({ metadata: {}, parts: rows(...parts) })
}

function rows(...parts: readonly Readonly<Record<string, unknown>>[]) {
  return parts.map((data, index) => ({
    id: `prt_${index}`,
    message_id: "msg_1",
    session_id: "ses_1",
    index,
    type: String(data.type),
    data,
    tool_call_id: null,
    tool_state: null,
    created_at: 0,
    updated_at: 0,
  }))
}
