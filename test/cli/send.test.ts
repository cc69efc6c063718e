import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import { newId } from "../../packages/core/message/id.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import { onTestFinished } from "vitest"
import { png } from "../build.ts"
import { pay } from "../session/tools.ts"
import { kept } from "./kept.ts"
import { setting } from "./run.ts"

describe("compositor send", { timeout: 60_000 }, () => {
  it("[CMP-004] takes a command, references, attachments and a pipe in one call", async () => {
    const place = await setting()
    await writeFile(join(place.workspace, "a.ts"), "one\ntwo\nthree\n")
    await writeFile(join(place.workspace, "x.png"), png(2, 2))
    const words = ["send", "-c", "/search", "these", "-r", "a.ts#L1-2", "-a", "x.png"]
    const { code, out, error } = await place.run(words, { stdin: "diff --git a b\n" })
    expect([code, error]).toEqual([0, expect.stringContaining("session ses_")])
    expect(out).toContain("diff --git a b")
    const { messages } = await kept(place)
    expect(messages[0]?.parts.map(({ data }) => data)).toMatchObject([
      { type: "command", id: "/search", args: { raw: "these" } },
      { type: "text", text: "these", intent: "search" },
      { type: "text", text: "diff --git a b\n" },
      { type: "file-ref", ref: { path: "a.ts", range: { start: 1, end: 2 } } },
      { type: "file-attachment", name: "x.png", mime: "image/png" },
    ])
  })

  it("keeps 10 MB from a pipe, whole, as a file beside the message", async () => {
    const place = await setting()
    const text = Array.from({ length: 700_000 }, (_, n) => `line ${n} ü`).join("\n")
    const stdin = Buffer.from(text).subarray(0, 10 * 1024 * 1024)
    const { code } = await place.run(["send", "summarise", "this"], { stdin })
    expect(code).toBe(0)
    const { messages, bytes } = await kept(place)
    const [, file] = messages[0]?.parts.map(({ data }) => data) ?? []
    expect(file).toMatchObject({ name: "stdin.txt", size: stdin.length })
    const stored = bytes.get(String(file?.content_id)) ?? Buffer.alloc(0)
    const digest = (buffer: Buffer) => createHash("sha256").update(buffer).digest("hex")
    expect(digest(stored)).toBe(digest(stdin))
  })

  it.each([
    [["-a", "nope.png"], "nope.png: there is no such file"],
    [["-r", "nope.ts#L1-2"], "nope.ts: there is no such file in "],
    [["-c", "review"], "a command begins with a slash"],
    [["--mode", "soon"], "--mode soon: say immediate"],
  ])("says what is missing, sends nothing, and exits with 2 (%j)", async (flags, words) => {
    const place = await setting()
    const { code, out, error } = await place.run(["send", "hello", ...flags])
    expect([code, out]).toEqual([2, ""])
    expect(error).toContain(words)
    expect((await kept(place)).messages).toEqual([])
  })

  it("works where no server lives, and says so where one was named and does not answer", async () => {
    const place = await setting()
    const alone = await place.run(["send", "hello"])
    expect([alone.code, alone.out]).toEqual([0, expect.stringContaining("hello")])
    const far = ["send", "hello", "--url", "http://127.0.0.1:9", "--token", "x"]
    const { code, error } = await place.run(far)
    expect(code).toBe(4)
    expect(error).toBe("compositor: the server at http://127.0.0.1:9 does not answer\n")
    const told = await place.run([...far, "--json"])
    expect(JSON.parse(told.error)).toEqual({
      error: { code: "unreachable", message: expect.stringContaining("does not answer") },
    })
  })

  it("says that a queue is full, and loses nothing that was accepted", async () => {
    const place = await setting()
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = scriptedProvider([{ wait: promise }, { text: "ok" }])
    const running = await serve({
      data: place.data,
      workspace: place.workspace,
      environment: {},
      providers: new Map([["mirror", model]]),
    })
    onTestFinished(() => running.close())
    const client = createClient({ url: running.url, token: running.token })
    const { session } = await client.sessions.create({})
    const say = (id: string) => client.send(session.id, { id, source: "x", mode: "queued" })
    await client.send(session.id, { source: "first" })
    const ids = Array.from({ length: 1000 }, () => newId("msg"))
    for (let at = 0; at < ids.length; at += 100) await Promise.all(ids.slice(at, at + 100).map(say))
    const { code, error } = await place.run(["send", "one more", "--session", session.id])
    expect(code).toBe(1)
    expect(error).toMatch(/the queue of ses_\w+ is full: 1000 messages wait already/)
    expect((await say(ids[0] ?? "")).replayed).toBe(true)
    expect((await client.queue.list(session.id)).queue).toHaveLength(1000)
    await client.abort(session.id, { clear: true })
    resolve()
  })

  it("answers in lines of JSON when asked to", async () => {
    const place = await setting()
    const { code, out } = await place.run(["send", "hello", "--json"])
    expect(code).toBe(0)
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string })
    expect(lines[0]).toMatchObject({ type: "sent", message: { role: "user" } })
    expect(lines.at(-1)).toMatchObject({ type: "turn", turn: { state: "finished" } })
    expect(lines.some(({ type }) => type === "delta")).toBe(true)
  })

  it("exits with 5 where a person must decide, and goes on when they did", async () => {
    const place = await setting()
    let asked = false
    const model = scriptedProvider(() => {
      if (asked) return [{ text: "done" }]
      asked = true
      return [{ call: { id: "c1", name: "pay", input: { whom: "ann" } } }]
    })
    const running = await serve({
      data: place.data,
      workspace: place.workspace,
      environment: {},
      providers: new Map([["mirror", model]]),
      tools: [pay()],
    })
    onTestFinished(() => running.close())
    const sent = await place.run(["send", "pay ann"])
    expect(sent.code).toBe(5)
    const [, session = "", call = ""] =
      /compositor approve (ses_\w+) (prt_\w+)/.exec(sent.error) ?? []
    expect(sent.error).toMatch(/pay waits for your yes.*:\n {2}whom: "ann"\n/)
    const approved = await place.run(["approve", session, call])
    expect(approved).toMatchObject({ code: 0, out: "done\n" })
    expect((await place.run(["approve", session])).code).toBe(2)
  })
})
