import type { EditorContextPart } from "../../packages/core/parts/editor-context.ts"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { png } from "../build.ts"
import { openDesk, partsIn, seen, typed, write } from "./house.ts"

const REVIEW =
  "---\ndescription: Review\n---\nReview $1 for $2. All: $ARGUMENTS, again $@. It costs $5."
const SKILL = "---\nname: tables\ndescription: When tables are drawn.\n---\nDraw straight lines."
const FILES = {
  ".agents/commands/review.md": REVIEW,
  ".agents/commands/plain.md": "Say hello.",
  ".agents/skills/tables/SKILL.md": SKILL,
}

describe("a command", () => {
  it("[CMP-041] [CMP-050] [CMP-051] [CMP-052] [CMP-054] becomes the text of its template", async () => {
    const desk = await openDesk(FILES)
    const sent = await typed(desk, "/review a.ts speed")
    expect(partsIn(sent).map(({ type, outcome }) => [type, outcome])).toEqual([
      ["command", "template"],
      ["text", undefined],
    ])
    expect(await seen(desk)).toEqual([
      "Review a.ts for speed. All: a.ts speed, again a.ts speed. It costs $5.",
    ])
  })

  it("[CMP-055] without arguments is resolved all the same", async () => {
    const desk = await openDesk(FILES)
    await typed(desk, "/plain")
    expect(await seen(desk)).toEqual(["Say hello."])
  })

  it("[CMP-043] that searches is a text with its intent", async () => {
    const desk = await openDesk()
    const sent = await typed(desk, "/search icon set")
    expect(partsIn(sent)[1]).toMatchObject({ type: "text", text: "icon set", intent: "search" })
    expect(await seen(desk)).toEqual(["icon set"])
  })

  it("[CMP-106] that reads shows the file", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.txt"), "one\ntwo\n")
    await typed(desk, "/read a.txt")
    expect(await seen(desk)).toEqual(["File a.txt:\none\ntwo\n"])
  })

  it("[CMP-044] [decision 5] that nobody knows goes on as typed, and the user is told", async () => {
    const desk = await openDesk()
    const sent = await typed(desk, "/nope do it")
    expect(sent.notices).toMatchObject([{ message: "/nope is no command here: sent as typed" }])
    expect(await seen(desk)).toEqual(["/nope do it"])
  })

  it("[decision 5] inside the text is text: don't /clear yet clears nothing", async () => {
    const desk = await openDesk()
    await typed(desk, "remember me")
    await desk.host.idle()
    const sent = await typed(desk, "don't /clear yet")
    expect([sent.actions, sent.notices]).toEqual([[], []])
    expect(await seen(desk)).toEqual(["don't /clear yet"])
    expect(desk.model.calls.at(-1)?.prompt).toHaveLength(3)
  })

  it("[CMP-042] [CMP-048] [decision 6] to the session is a row of the queue, and says what it did", async () => {
    const desk = await openDesk()
    await typed(desk, "remember me")
    const sent = await typed(desk, "/clear")
    expect(sent.message?.message.metadata.action).toEqual({ type: "clear" })
    await desk.host.idle()
    await typed(desk, "who am I?")
    await desk.host.idle()
    expect(desk.model.calls.at(-1)?.prompt).toHaveLength(1)
    const { messages } = await desk.host.store.history(desk.session, { limit: 9 })
    expect(messages.map(({ metadata }) => metadata.host === true)).toEqual([true, false, false])
  })

  it("[decision 6] before a message acts before it", async () => {
    const desk = await openDesk()
    await typed(desk, "first")
    await desk.host.idle()
    const sent = await typed(desk, "/rewind /search things")
    expect(sent.actions).toHaveLength(1)
    await desk.host.idle()
    expect(desk.model.calls.at(-1)?.prompt.map(({ role }) => role)).toEqual(["user"])
  })

  it("[QUE-003] [decision 6] sent twice under one id acts once", async () => {
    const desk = await openDesk()
    const first = await typed(desk, "/branch side", {
      message_id: "msg_0123456789ab000aaaaaaaaaaa",
    })
    await desk.host.idle()
    const again = await typed(desk, "/branch side", {
      message_id: "msg_0123456789ab000aaaaaaaaaaa",
    })
    expect(again.message?.replayed).toBe(true)
    expect(again.message?.message.id).toBe(first.message?.message.id)
    const sessions = await desk.host.store.sessions({ limit: 9 })
    expect(sessions.filter(({ parent_id }) => parent_id === desk.session)).toHaveLength(1)
  })

  it("that only shows something leaves no row", async () => {
    const desk = await openDesk(FILES)
    const sent = await typed(desk, "/help review")
    expect([sent.message, sent.shown[0]?.text]).toEqual([null, "/review  Review"])
    const unknown = await typed(desk, "/help nothing")
    expect(unknown.shown[0]?.text).toBe("There is no command /nothing here.")
  })

  it("[BEY-05] that lacks an argument is asked for it", async () => {
    const desk = await openDesk()
    await expect(typed(desk, "/search")).rejects.toMatchObject({
      code: "missing_arguments",
      details: [{ path: "/parts/0/args/query" }],
    })
  })

  it("[CMP-045] of a repository waits until it is trusted", async () => {
    const desk = await openDesk()
    const file = join(desk.workspace, ".agents/commands/theirs.md")
    await write(file, "Theirs: $1")
    await desk.host.workspaces.refresh(desk.workspace)
    await expect(typed(desk, "/theirs x")).rejects.toMatchObject({ code: "untrusted" })
    await desk.host.workspaces.trust.trust(file)
    await desk.host.workspaces.refresh(desk.workspace)
    await typed(desk, "/theirs x")
    expect(await seen(desk)).toEqual(["Theirs: x"])
  })

  it("[BEY-05] shows the shell command it would run, and runs what was approved", async () => {
    const desk = await openDesk({ ".claude/commands/now.md": "It is: !`echo noon`" })
    await expect(typed(desk, "/now")).rejects.toMatchObject({
      code: "shell_approval",
      details: [{ message: "echo noon" }],
    })
    const sent = await typed(desk, "/now", { approved_shell: ["echo noon"] }).catch(
      (error) => error,
    )
    if (sent instanceof Error) return expect(sent.message).toMatch(/bubblewrap|bwrap/)
    expect((await seen(desk)).join("")).toContain("It is: noon")
  })

  it("[BEY-05] refers to the files its template names, and leaves words that name none", async () => {
    const desk = await openDesk({
      ".claude/commands/team.md":
        "Ask @team about @notes.md, @missing/x.ts and @sub for $ARGUMENTS.",
    })
    await write(join(desk.workspace, "notes.md"), "remember\n")
    await write(join(desk.workspace, "sub", "a.txt"), "x")
    const sent = await typed(desk, "/team @nobody.md")
    expect(partsIn(sent).slice(1)).toMatchObject([
      { type: "text", text: "Ask @team about " },
      { type: "file-ref", ref: { kind: "path", path: "notes.md" } },
      { type: "text", text: ", @missing/x.ts and @sub for nobody.md." },
      { type: "file-ref", ref: { path: "nobody.md" }, argument_of: "/team" },
    ])
  })

  it("takes attachments along", async () => {
    const desk = await openDesk(FILES)
    const data = png(4, 4).toString("base64")
    await typed(desk, "/plain", {
      parts: [{ type: "file-attachment", name: "a.png", mime: "image/png", data }],
    })
    expect(await seen(desk)).toEqual(["Say hello.", "<image>"])
  })
})

describe("a mention", () => {
  it("[CMP-060] [CMP-061] [CMP-062] of a skill loads it as its call would, and is not sent", async () => {
    const desk = await openDesk(FILES)
    const sent = await typed(desk, "see @skill:tables please")
    expect(partsIn(sent).map(({ type }) => type)).toContain("mention")
    const shown = await seen(desk)
    expect(shown.join("\n")).toContain("Draw straight lines.")
    expect(shown.join("\n")).not.toContain("@skill")
  })

  it("[CMP-046] of a skill by its slash is the same", async () => {
    const desk = await openDesk(FILES)
    await typed(desk, "/tables")
    expect((await seen(desk)).at(-1)).toContain("Draw straight lines.")
  })

  it("[CMP-024] [CMP-063] of a file is lowered as a reference with its range", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.txt"), "one\ntwo\nthree\n")
    await typed(desk, "look at @a.txt#L2-3 now")
    expect(await seen(desk)).toEqual(["look at ", "File a.txt, lines 2-3:\ntwo\nthree", " now"])
  })

  it("[CMP-064] of a symbol is its identifier", async () => {
    const desk = await openDesk()
    await typed(desk, "@symbol:Foo")
    expect((await seen(desk))[0]).toContain('<editor_context kind="ref">')
  })

  it("[CMP-070] [CMP-071] [CMP-072] [CMP-073] [CMP-076] [CMP-080] of the editor's state is that state", async () => {
    const desk = await openDesk()
    const selection: EditorContextPart = {
      type: "editor-context",
      kind: "selection",
      source: "canvas",
      payload: { node: 7 },
      emitted_at: 1,
    }
    const sent = await typed(desk, "make @selection red", { contexts: [selection] })
    expect(partsIn(sent).at(-2)).toMatchObject({ ...selection, derived_from: expect.any(String) })
    expect(await seen(desk)).toContain(
      '<editor_context kind="selection" source="canvas">{"node":7}</editor_context>',
    )
  })

  it("[CMP-026] [CMP-079] of a selection in a file is those lines of the file", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.txt"), "one\ntwo\nthree\n")
    const payload = { path: "a.txt", range: { start: 2, end: 3 }, text: "two\nthree" }
    const selected = (more: object): EditorContextPart => ({
      type: "editor-context",
      kind: "selection",
      payload: { ...payload, ...more },
      emitted_at: 1,
    })
    const sent = await typed(desk, "explain @selection", { contexts: [selected({})] })
    expect(partsIn(sent).at(-1)).toMatchObject({
      type: "file-ref",
      ref: { kind: "path", path: "a.txt", range: payload.range },
      derived_from: expect.any(String),
    })
    expect((await seen(desk)).at(-1)).toBe("File a.txt, lines 2-3:\ntwo\nthree")
    for (const more of [{ unsaved: true }, { path: "gone.txt" }, { range: { start: 3, end: 1 } }]) {
      const other = await typed(desk, "explain @selection", { contexts: [selected(more)] })
      expect(partsIn(other).at(-1)).toMatchObject({ type: "editor-context", kind: "selection" })
    }
  })

  it("[CMP-065] of nothing is left out, and the user is told", async () => {
    const desk = await openDesk()
    const sent = await typed(desk, "make @selection red")
    expect(sent.notices).toMatchObject([{ message: "nothing here says what @selection is" }])
    expect(await seen(desk)).toEqual(["make ", " red"])
  })
})

describe("a message", () => {
  it("[CMP-074] tells several of the editor's states in their order", async () => {
    const desk = await openDesk()
    const state = (kind: string, at: number): EditorContextPart => ({
      type: "editor-context",
      kind,
      payload: { at },
      emitted_at: at,
    })
    await desk.host.submit({
      session_id: desk.session,
      parts: [state("open", 1), state("viewport", 2), state("open", 3)],
    })
    expect(await seen(desk)).toEqual([
      '<editor_context kind="open">{"at":1}</editor_context>',
      '<editor_context kind="viewport">{"at":2}</editor_context>',
      '<editor_context kind="open">{"at":3}</editor_context>',
    ])
  })

  it("[CMP-049] tells no model which commands there are", async () => {
    const desk = await openDesk({
      ".agents/commands/zebra.md": "---\ndescription: Counts striped horses\n---\nCount.",
    })
    await typed(desk, "/zebra")
    await desk.host.idle()
    const body = await desk.model.calls.at(-1)?.body()
    expect(body).toContain("Count.")
    expect(body).not.toMatch(/zebra|striped|\/rewind|\/compact/)
  })

  it("[CMP-002] [CMP-004] [CMP-020] [CMP-021] is the same from a surface that parses and one that does not", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.png"), "x")
    const ref = { type: "file-ref", ref: { kind: "path", path: "a.png" } } as const
    const data = png(2, 2).toString("base64")
    const attached = { type: "file-attachment", name: "a.png", mime: "image/png", data } as const
    const byText = await typed(desk, "see @a.png", { parts: [attached] })
    const byParts = await desk.host.submit({
      session_id: desk.session,
      parts: [{ type: "text", text: "see " }, ref, attached],
    })
    await desk.host.idle()
    expect(partsIn(byText)).toEqual(partsIn(byParts))
    expect(partsIn(byText).map(({ type }) => type)).toEqual(["text", "file-ref", "file-attachment"])
  })
})

describe("what was typed", () => {
  it("[CMP-111] [CMP-114] [CMP-115] is kept as it was, whatever became of it", async () => {
    const desk = await openDesk(FILES)
    const sent = await typed(desk, "/review a b")
    await desk.host.idle()
    const stored = await desk.host.store.message(desk.session, sent.message?.message.id ?? "")
    expect(stored?.metadata.composer_input).toEqual({ source: "/review a b" })
    expect(stored?.parts.map(({ data }) => data)).toEqual(partsIn(sent))
  })
})
