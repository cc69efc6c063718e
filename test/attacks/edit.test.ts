import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { pipe, startServer, until } from "./outside/product.ts"
import { openScreen } from "./outside/screen.ts"
import {
  dataOf,
  FOREIGN_PARTS,
  heldSession,
  partsOf,
  pipedWords,
  sendWaiting,
  waiting,
  waitingMessage,
} from "./outside/waiting.ts"

const FILE = { type: "file-attachment", name: "a.txt", mime: "text/plain", data: "aGVsbG8=" }
const CONTEXT = { type: "editor-context", kind: "tab", payload: { path: "x" }, emitted_at: 1 }

describe("PATCH of a message that waits", () => {
  it("[QUE-009] leaves every part that its new words do not replace (001-003-004, 13)", async () => {
    const server = await startServer({ files: { "workspace/a.ts": "one\ntwo\n" } })
    const session = await heldSession(server)
    const patch = (id: string, body: object) =>
      server.call("PATCH", `/v1/sessions/${session}/queue/${id}`, body)

    const typed = await sendWaiting(server, session, {
      source: "look at @a.ts",
      parts: [{ type: "text", text: "piped\n  text\n" }, FILE, CONTEXT],
    })
    const answer = await patch(typed.id, { source: "look again" })
    expect(answer.status).toBe(200)
    const [words, ...others] = partsOf(answer.json.message)
    expect(words.data).toEqual({ type: "text", text: "look again" })
    expect(others).toEqual(partsOf(typed).slice(2))

    const given = await sendWaiting(server, session, {
      parts: [CONTEXT, { type: "text", text: "one" }, FILE, { type: "text", text: "two" }],
    })
    const changed = await patch(given.id, { source: "new words" })
    const [context, , file] = dataOf(given)
    expect(dataOf(changed.json.message)).toEqual([
      context,
      { type: "text", text: "new words" },
      file,
    ])

    const removed = await patch(typed.id, { source: "alone", parts: [] })
    expect(dataOf(removed.json.message)).toEqual([{ type: "text", text: "alone" }])
  })

  it("[QUE-009] gives a part that is sent back the id, the expansion and the lines it had", async () => {
    const server = await startServer({
      files: {
        "workspace/a.ts": "one\ntwo\nthree\n",
        "workspace/.agents/commands/greet.md": "Say hello to $ARGUMENTS.",
      },
    })
    const session = await heldSession(server)
    const message = await sendWaiting(server, session, {
      source: "first @a.ts#L2-3 then /explain it",
      parts: [FILE],
    })
    const own = message.parts.filter((part: { data: object }) => !("derived_from" in part.data))
    const parts = own.map(({ data }: { data: object }) => data)
    const reply = await server.call("PATCH", `/v1/sessions/${session}/queue/${message.id}`, {
      parts: [...parts, { type: "text", text: "and more" }],
    })
    expect(partsOf(reply.json.message).slice(0, -1)).toEqual(partsOf(message))
  })

  it("[QUE-009] puts parts into a source where they are said to stand", async () => {
    const server = await startServer()
    const session = await heldSession(server)
    const { id } = await sendWaiting(server, session, { source: "x" })
    const path = `/v1/sessions/${session}/queue/${id}`
    const reply = await server.call("PATCH", path, {
      source: "/clear is a word,  and so is @a.ts",
      literals: ["/clear", "@a.ts"],
      inserts: [{ at: 17, part: CONTEXT }],
      parts: [FILE],
    })
    expect(
      reply.json.message?.parts.map((part: { data: { text?: string } }) => part.data.text),
    ).toEqual(["/clear is a word,", undefined, "  and so is @a.ts", undefined])
    const outside = await server.call("PATCH", path, {
      source: "short",
      inserts: [{ at: 99, part: CONTEXT }],
    })
    expect(outside.status).toBe(422)
    expect(outside.json.error.details[0].path).toBe("/inserts/0/at")
  })
})

describe.skipIf(missing("tmux"))("the terminal program", () => {
  it("[QUE-009] saves a message unchanged that came by pipe or HTTP, and shows its parts (000-002, F2)", async () => {
    const server = await startServer({ files: { "workspace/src/foo.ts": "1\n2\n3\n4\n5\n" } })
    const session = await heldSession(server)
    pipe(server.folders, "def f():\n    return 1\n", pipedWords(session))
    const [, byPipe] = await waiting(server, session)
    const byHttp = await sendWaiting(server, session, { parts: FOREIGN_PARTS })
    const screen = openScreen(server.folders, ["-s", session], { columns: 140, rows: 50 })
    await screen.shows("3. ")

    const openNumber = async (number: number) => {
      screen.type("", "C-q", ...Array(number - 1).fill("Down"), "e")
      await screen.shows("editing a queued message")
    }
    const isPutBack = (id: string) =>
      until(
        async () => (await waitingMessage(server, session, id))?.state === "queued",
        "the message was put back",
      )
    await openNumber(2)
    const shownPipe = screen.text
    expect(shownPipe).toContain("queued")
    expect(shownPipe).toContain("[text: def f(): return 1]")
    expect(shownPipe).toContain("[@src/foo.ts:3-4]")
    screen.type("", "Enter")
    await isPutBack(byPipe.id)
    expect(partsOf(await waitingMessage(server, session, byPipe.id))).toEqual(partsOf(byPipe))

    await openNumber(3)
    const shownHttp = screen.text
    expect(shownHttp).toContain("        return 1")
    expect(shownHttp).toContain("[context: selection]fix this:")
    expect(shownHttp).toContain("[a.txt]  after the file, /clear and @a.ts are words")
    screen.type("", "Enter")
    await isPutBack(byHttp.id)
    expect(partsOf(await waitingMessage(server, session, byHttp.id))).toEqual(partsOf(byHttp))

    // A word more changes that text and nothing else.
    await openNumber(3)
    screen.type(" indeed", "Enter")
    await isPutBack(byHttp.id)
    const after = partsOf(await waitingMessage(server, session, byHttp.id))
    const before = partsOf(byHttp)
    expect(after[6].data).toEqual({ type: "text", text: "the last one indeed" })
    expect(after.toSpliced(6, 1)).toEqual(before.toSpliced(6, 1))
  })

  it("[QUE-009] removes a part of an edited message by a second backspace only", async () => {
    const server = await startServer()
    const session = await heldSession(server)
    const message = await sendWaiting(server, session, {
      parts: [{ type: "text", text: "one " }, FILE, { type: "text", text: " two" }],
    })
    const screen = openScreen(server.folders, ["-s", session])
    await screen.shows("2. ")
    screen.type("", "C-q", "Down", "e")
    await screen.shows("one [a.txt] two")
    screen.type("", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace")
    await screen.shows("backspace again removes [a.txt]")
    screen.type("", "BSpace")
    await until(() => !screen.text.includes("[a.txt]"))
    screen.type("", "Enter")
    await until(async () => {
      const stored = await waitingMessage(server, session, message.id)
      return stored?.state === "queued" && stored.parts.length === 1
    }, "it was saved without the file")
  })
})
