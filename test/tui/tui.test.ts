import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { png, temporaryFolder } from "../build.ts"
import { until } from "../session/house.ts"
import { pay } from "../session/tools.ts"
import { Terminal } from "./terminal.ts"

const RULE = "─".repeat(80)

/** Says what it was told; "hold" makes it wait in the middle, "pay" makes it call a tool first. */
const echo: NonNullable<Parameters<typeof Terminal.open>[0]>["script"] = (words, held) => {
  if (words.includes("hold")) return [{ text: "be" }, { wait: held }, { text: "gun" }]
  if (words.endsWith("pay ann"))
    return [{ call: { id: "c1", name: "pay", input: { whom: "ann" } } }]
  return [{ text: `heard ${words.split("\n")[0]}` }]
}

/** Numbers of tokens differ from model to model. */
function figures(screen: string): string {
  return screen.replace(/\d+ tokens/g, "N tokens")
}

describe.skipIf(missing("tmux"))("the terminal", { timeout: 60_000 }, () => {
  it("shows an empty composer, and how things stand", async () => {
    const terminal = await Terminal.open({ script: echo })
    expect(await terminal.shows("ready")).toBe(
      [
        RULE,
        "",
        RULE,
        "ready · mirror · 0 tokens · Enter sends · ^X x-ray · ^R sessions · ^O models",
      ].join("\n"),
    )
  })

  it("[CMP-004] composes with the palette and a file, and keeps what the browser keeps", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("/sea")
    expect(await terminal.shows("Ask for a search")).toContain("→ /search")
    terminal.press("Tab")
    await terminal.shows("/search")
    terminal.type("the @mai")
    await terminal.shows("→ src/main.ts")
    terminal.press("Tab")
    terminal.type("please")
    await terminal.shows("/search the @src/main.ts please")
    terminal.press("Enter")
    expect(figures(await terminal.shows(/heard[^]*ready/))).toBe(
      [
        "> /search the @src/main.ts please",
        "",
        "heard the src/main.ts please|File src/main.ts:",
        "",
        RULE,
        "",
        RULE,
        "ready · mirror · N tokens · Enter sends · ^X x-ray · ^R sessions · ^O models",
      ].join("\n"),
    )
    const { client, workspace } = terminal
    const { session } = await client.sessions.create({ workspace_root: workspace })
    // What the page sends for it: the source, and the nodes that its editor found.
    const source = "/search the @src/main.ts please"
    const { nodes } = await client.commands.parse({ session: session.id, source })
    await client.send(session.id, { source, nodes } as object)
    const unnamed = (parts: unknown) =>
      JSON.stringify(parts).replace(/"derived_from":"[^"]*"/g, '"derived_from":"x"')
    const [ours] = await terminal.said((await sessionNamed(terminal, "/search")) ?? "")
    const [theirs] = await terminal.said(session.id)
    expect(unnamed(ours)).toBe(unnamed(theirs))
  })

  it("[UX-001] [EA-023] queues two while one is answered, and edits one", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("hold this", "Enter")
    await terminal.shows(/\nbe\n/)
    terminal.type("second", "Enter")
    terminal.type("third", "Enter")
    expect(figures(await terminal.shows("2. third"))).toBe(
      [
        "> hold this",
        "",
        "be",
        "",
        "  1. second",
        "  2. third",
        RULE,
        "",
        RULE,
        "answering · mirror · N tokens · 2 queued · Enter queues · ^S steers · Esc stops…",
      ].join("\n"),
    )
    terminal.press("C-q")
    await terminal.shows("› 1. second")
    terminal.press("e")
    await terminal.shows("editing a queued message")
    terminal.type(" and a half", "Enter")
    await terminal.shows("1. second and a half")
    terminal.press("C-q")
    terminal.press("Down")
    await terminal.shows("› 2. third")
    terminal.press("x")
    await terminal.shut("2. third")
    terminal.press("Escape")
    await new Promise((resolve) => setTimeout(resolve, 200))
    terminal.release()
    await terminal.shows("heard second and a half")
    expect((await terminal.said()).flat()).toMatchObject([
      { text: "hold this" },
      { text: "second and a half" },
    ])
  })

  it("[EA-023] gives the draft back when a queued message was edited, whose files stay with it", async () => {
    const terminal = await Terminal.open({ script: echo })
    await writeFile(join(terminal.workspace, "shot.png"), png(3, 3))
    await terminal.shows("ready")
    terminal.type("hold this", "Enter")
    await terminal.shows(/\nbe\n/)
    await terminal.paste(join(terminal.workspace, "shot.png"))
    await terminal.shows("[shot.png]")
    terminal.type("look", "Enter")
    await terminal.shows("1. look")
    terminal.type("half a thought")
    await terminal.shows("half a thought")
    terminal.press("C-q")
    await terminal.shows("› 1. look")
    terminal.press("e")
    expect(await terminal.shows("[shot.png]")).not.toContain("half a thought")
    terminal.type(" closer", "Enter")
    expect(await terminal.shows("1. look closer")).not.toContain("[shot.png]")
    await terminal.shows("half a thought")
    terminal.release()
    await terminal.shows("heard look closer")
    expect((await terminal.said())[1]).toMatchObject([
      { type: "text", text: "look closer" },
      { type: "file-attachment", name: "shot.png" },
    ])
    expect(terminal.screen).toContain("half a thought")
  })

  it("[EA-022] steers the answer that is being given", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("hold this", "Enter")
    await terminal.shows(/\nbe\n/)
    terminal.type("shorter")
    await terminal.shows("shorter")
    terminal.press("C-s")
    await until(
      async () => (await terminal.client.queue.list(await terminal.session())).queue.length === 1,
    )
    terminal.release()
    expect(await terminal.shows("heard shorter")).toMatch(/begun\n\n> shorter\n\nheard shorter/)
    const { turns } = await terminal.client.turns(await terminal.session())
    expect(turns).toHaveLength(1)
  })

  it("[UX-020] [UX-022] [BEY-09] asks beside, and brings the answer back as a quote", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("main thing", "Enter")
    await terminal.shows("heard main thing")
    const main = await terminal.session()
    terminal.type("/side", "Enter")
    expect(await terminal.shows("sidecar ·")).toContain("> main thing")
    terminal.type("aside", "Enter")
    await terminal.shows("heard aside")
    terminal.type("/bring", "Enter")
    await terminal.shut("sidecar ·")
    expect(await terminal.shows("[quote: heard aside]")).not.toContain("> aside")
    terminal.type("use that", "Enter")
    await terminal.shows("heard use that")
    expect((await terminal.said(main)).at(-1)).toMatchObject([
      { type: "text", text: "use that" },
      { type: "quote", text: "heard aside" },
    ])
  })

  it("[CMP-007] pastes a long text as a file, a shorter one as a mark, a picture as itself", async () => {
    const bin = await temporaryFolder()
    const terminal = await Terminal.open({
      script: echo,
      environment: { PATH: `${bin}:${process.env["PATH"]}` },
    })
    await writeFile(join(terminal.workspace, "shot.png"), png(3, 3))
    await writeFile(join(bin, "wl-paste"), `#!/bin/sh\ncat '${terminal.workspace}/shot.png'\n`)
    await chmod(join(bin, "wl-paste"), 0o755)
    await terminal.shows("ready")
    const short = Array.from({ length: 12 }, (_, n) => `row\t${n}`).join("\n")
    await terminal.paste(short)
    await terminal.shows("[pasted 12 lines #1]")
    const long = Array.from({ length: 1500 }, (_, n) => `line ${n}`).join("\n")
    await terminal.paste(long)
    await terminal.shows("[pasted-1500-lines.txt]")
    await terminal.paste(join(terminal.workspace, "shot.png"))
    await terminal.shows("[pasted-1500-lines.txt] [shot.png]")
    terminal.press("C-v")
    await terminal.shows("[pasted.png]")
    terminal.press("Enter")
    await terminal.shows("heard")
    const [parts] = await terminal.said()
    expect(parts).toMatchObject([
      { type: "text", text: short },
      { type: "file-attachment", name: "pasted-1500-lines.txt", size: long.length },
      { type: "file-attachment", name: "shot.png", mime: "image/png" },
      { type: "file-attachment", name: "pasted.png", mime: "image/png" },
    ])
  })

  it("[ACP-004] shows calls, asks for approval, and goes on", async () => {
    const log: string[] = []
    const terminal = await Terminal.open({ script: echo, host: { tools: [pay(log)] } })
    await terminal.shows("ready")
    terminal.type("pay ann", "Enter")
    expect(await terminal.shows("May pay run?")).toContain("  whom: ann\n→ Yes")
    terminal.press("Down")
    await terminal.shows("→ Always in this session")
    terminal.press("Up")
    terminal.press("Enter")
    await terminal.shows('✓ pay {"whom":"ann"} → {"paid":"ann"}')
    expect(log).toEqual(["pay ann begins", "pay ann ends"])
  })

  it("[ACP-004] shows all of what would run before anybody says yes to it", async () => {
    const command = `echo ${"harmless ".repeat(30)}; rm -rf everything`
    const script = [{ call: { id: "c1", name: "pay", input: { whom: command, notes: "a\nb" } } }]
    const terminal = await Terminal.open({ script: () => script, host: { tools: [pay([])] } })
    await terminal.shows("ready")
    terminal.type("go", "Enter")
    const screen = await terminal.shows("May pay run?")
    expect(screen).toContain("rm -rf everything\n  notes:\n    a\n    b\n→ Yes")
    expect(screen).toContain("Enter chooses · Esc goes back")
    terminal.press("Escape")
    await terminal.shows("Enter on an empty line answers it")
    expect(terminal.screen).toContain("rm -rf everything")
    terminal.press("Enter")
    await terminal.shows("→ Yes")
  })

  it("[SES-071] asks again what was waited for when the terminal was left", async () => {
    const log: string[] = []
    const terminal = await Terminal.open({
      script: echo,
      host: { tools: [pay(log)] },
      shell: true,
    })
    await terminal.shows("ready")
    terminal.type("pay ann", "Enter")
    await terminal.shows("→ Yes")
    terminal.press("C-c")
    await terminal.shows("Enter on an empty line answers it")
    terminal.press("C-c")
    terminal.press("C-c")
    await terminal.shows(/[#$]\s*$/)
    terminal.again("--continue")
    await terminal.shows("→ Yes")
    terminal.press("Enter")
    await terminal.shows('✓ pay {"whom":"ann"} → {"paid":"ann"}')
    expect(log).toEqual(["pay ann begins", "pay ann ends"])
  })

  it("[BEY-01] shows what the model would see of a draft", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("look at @src/main.ts#L1-2")
    await terminal.shows("#L1-2")
    terminal.press("Escape")
    await new Promise((resolve) => setTimeout(resolve, 300))
    terminal.press("C-x")
    const screen = await terminal.shows("used with the history")
    expect(screen).toMatch(/^inlined +text/m)
    expect(screen).toMatch(/^range +file-ref/m)
    expect(screen).toContain("look at @src/main.ts#L1-2")
    expect(await terminal.said()).toEqual([])
  })

  it("[SES-010] rewinds, branches, and opens sessions and models from lists", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    for (const words of ["first", "second"]) {
      terminal.type(words, "Enter")
      await terminal.shows(`heard ${words}`)
    }
    terminal.type("/rewind ", "Enter")
    await terminal.shut("heard second")
    expect(terminal.screen).toContain("heard first")
    terminal.type("/branch other way", "Enter")
    await terminal.shows("This is a branch: other way")
    terminal.press("C-r")
    await terminal.shows("Session:")
    terminal.type("first")
    await terminal.shows("→ first")
    terminal.press("Enter")
    await terminal.shut("This is a branch")
    terminal.press("C-o")
    await terminal.shows("Model:")
    terminal.press("Escape")
    await terminal.shut("Model:")
  })

  it("draws itself anew when the window changes", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("a sentence that is long enough to be broken into lines", "Enter")
    await terminal.shows(/heard a sentence[^]*ready/)
    terminal.resize(40, 20)
    expect(figures(await terminal.shows(/heard[^]*─{40}\nready .*…/)).split("\n")).toEqual([
      "> a sentence that is long enough to be",
      "  broken into lines",
      "",
      "heard a sentence that is long enough to",
      "be broken into lines",
      "",
      "─".repeat(40),
      "",
      "─".repeat(40),
      expect.stringMatching(/^ready · mirror · N tokens · Enter s\w*…$/),
    ])
    terminal.resize(100, 30)
    expect(await terminal.shows(/\n─{100}\n/)).toContain(
      "> a sentence that is long enough to be broken into lines",
    )
  })

  it("stops a turn with Escape, steps aside with Ctrl-Z, and leaves with Ctrl-C twice", async () => {
    const terminal = await Terminal.open({ script: echo, shell: true })
    await terminal.shows("ready")
    terminal.type("hold this", "Enter")
    await terminal.shows(/\nbe\n/)
    terminal.press("Escape")
    await terminal.shows("ready ·")
    terminal.press("C-z")
    await terminal.shows(/Stopped|suspended/i)
    terminal.type("echo still $((20 + 22))", "Enter")
    await terminal.shows("still 42")
    terminal.type("fg", "Enter")
    await terminal.shows(/─{80}\n\n─{80}\nready/)
    terminal.press("C-c")
    await terminal.shows("Ctrl-C again leaves")
    terminal.press("C-c")
    await new Promise((resolve) => setTimeout(resolve, 500))
    terminal.type("echo code $?", "Enter")
    await terminal.shows("code 0")
  })

  it("shows nothing of what a model says that would move the cursor", async () => {
    const terminal = await Terminal.open({
      script: () => [{ text: "a\u001b[2J\u001b]0;title\u0007b\u202ec\u0000d" }],
    })
    await terminal.shows("ready")
    terminal.type("go", "Enter")
    expect(await terminal.shows("ab\\u202ec\\u0000d")).toContain("> go")
  })

  it("[TOL-005] asks what a model asks: from a list, in other words, or a line for each", async () => {
    const ask = (questions: readonly object[]) => [
      { call: { id: "c1", name: "question", input: { questions } } },
    ]
    const script: typeof echo = (words) => {
      if (words.endsWith("one"))
        return ask([{ question: "Which colour?", options: ["Red", "Green"] }])
      if (words.endsWith("many"))
        return ask([
          { question: "Name?" },
          { question: "Pets?", options: ["cat", "dog"], multi_select: true },
        ])
      return [{ text: `heard ${words}` }]
    }
    const terminal = await Terminal.open({ script })
    await terminal.shows("ready")
    terminal.type("one", "Enter")
    expect(await terminal.shows("→ Red")).toContain("\nWhich colour?\n→ Red")
    terminal.press("Escape")
    await terminal.shows("what you type is the answer")
    terminal.type("Blue", "Enter")
    await terminal.shows('{"answers":[["Blue"]]}')
    terminal.type("many", "Enter")
    expect(await terminal.shows("on a line of its own:")).toContain(
      "1. Name?\n2. Pets? (cat, dog; several with commas between)",
    )
    terminal.type("Ann", "M-Enter")
    terminal.type("cat, dog", "Enter")
    await terminal.shows('{"answers":[["Ann"],["cat","dog"]]}')
  })

  it("says why a turn failed that left no answer", async () => {
    const terminal = await Terminal.open({
      script: () => [
        { error: { code: "overloaded", message: "too many at once", retryable: false } },
      ],
    })
    await terminal.shows("ready")
    terminal.type("go", "Enter")
    expect(await terminal.shows("✗ too many at once")).toMatch(/> go\n\n✗ too many at once\n/)
  })

  it("leaves no session behind in which nothing was said", async () => {
    const terminal = await Terminal.open({ script: echo, shell: true })
    await terminal.shows("ready")
    const sessions = async () =>
      (await terminal.client.sessions.list()).sessions.map(({ id }) => id)
    const [first] = await sessions()
    terminal.type("/new", "Enter")
    await until(async () => ![first, undefined].includes((await sessions())[0]))
    await until(async () => (await sessions()).length === 1)
    terminal.press("C-d")
    await until(async () => (await sessions()).length === 0)
  })

  it("keeps a session from which something is on its way", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    const first = await terminal.session()
    terminal.type("hello", "Enter")
    terminal.type("/new", "Enter")
    await until(async () => (await terminal.session()) !== first)
    await until(async () => (await terminal.said(first)).length === 1)
  })

  it("leaves code between fences as it is, and marks what a sidecar is", async () => {
    const text = "**strong** `a`\n```md\n**not** `strong`\n````\n~~~\n```\n**after**"
    const terminal = await Terminal.open({ script: () => [{ text }] })
    await terminal.shows("ready")
    terminal.type("go", "Enter")
    expect(await terminal.shows("**after**")).toContain(text)
    terminal.type("/side", "Enter")
    expect(await terminal.shows("── a sidecar: what is said here")).not.toContain("do not go on")
  })

  it("gives the terminal back when it is told to end, and keeps the draft", async () => {
    const terminal = await Terminal.open({ script: echo, shell: true })
    await terminal.shows("ready")
    terminal.type("half a thought")
    await terminal.shows("half a thought")
    terminal.end()
    await terminal.shows(/Terminated|[#$]\s*$/)
    terminal.type("echo code $?", "Enter")
    expect(await terminal.shows("code 143")).toMatch(/\n[#$] echo code/)
    const { draft } = await terminal.client.draft.get(await terminal.session())
    expect(draft?.source).toBe("half a thought")
  })

  it("keeps what was typed when the server refuses it", async () => {
    const terminal = await Terminal.open({ script: echo })
    await terminal.shows("ready")
    terminal.type("/search ", "Enter")
    const screen = await terminal.shows(/query/)
    expect(screen).toMatch(/─\n\/search/)
  })
})

async function sessionNamed({ client }: Terminal, title: string) {
  const { sessions } = await client.sessions.list()
  return sessions.find((session) => session.title?.startsWith(title))?.id
}
