import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ASSISTANT } from "../../packages/engine/agents/agent.ts"
import { readAgent } from "../../packages/engine/agents/read-agent.ts"
import { temporaryFolder } from "../build.ts"
import { newSession, openServed, type Served, settled, writeFiles } from "./served.ts"

const REVIEWER = `---
description: Reviews what was written.
model: scripted
tools: read, grep
permissions:
  shell.run: deny
  fs.write:
    "docs/**": allow
    "**": ask
skills: []
context:
  kinds: { selection: mention }
  max_parts: 3
gestures:
  - mime: image/
    becomes: attachment
scratch: { bytes: 1000000 }
---

You review code and change nothing.
`

describe("an agent's file", () => {
  const read = (text: string) => readAgent(text, { type: "reviewer", path: "reviewer.md" })

  it("says in its head what the agent may, and in its body what it is", () => {
    expect(read(REVIEWER)).toEqual({
      description: "Reviews what was written.",
      faults: [],
      agent: {
        type: "reviewer",
        prompt: "You review code and change nothing.",
        model: { provider_id: "scripted", model_id: "scripted" },
        tools: ["read", "grep"],
        grants: "all",
        permissions: [
          { permission: "shell.run", pattern: "**", action: "deny", source: "manifest" },
          { permission: "fs.write", pattern: "docs/**", action: "allow", source: "manifest" },
          { permission: "fs.write", pattern: "**", action: "ask", source: "manifest" },
          ...ASSISTANT.permissions.filter(
            ({ permission }) => permission !== "shell.run" && permission !== "fs.write",
          ),
        ],
        skills: [],
        context: { ...ASSISTANT.context, kinds: { selection: "mention" }, max_parts: 3 },
        gestures: [{ mime: "image/", becomes: "attachment" }],
        scratch: { bytes: 1_000_000, files: ASSISTANT.scratch.files },
      },
    })
  })
  it("needs no head", () =>
    expect(read("You rhyme.").agent).toEqual({
      ...ASSISTANT,
      type: "reviewer",
      prompt: "You rhyme.",
    }))
  it("is told of where it does not fit, and not used", () => {
    expect(read("---\nscratch: { bytes: many }\n---\nHi.")).toMatchObject({
      faults: [expect.stringContaining("scratch.bytes")],
    })
    expect(read("---\npermissions: { shell.run: perhaps }\n---\nHi.").agent).toBeUndefined()
    expect(read("---\ndescription: Nothing\n---\n").faults).toEqual([
      "there is no prompt below its head",
    ])
  })
})

describe("the settings of a house", () => {
  it("[SKL-002] name further folders of skills", async () => {
    const folder = await temporaryFolder()
    const skill = "---\nname: fold\ndescription: When paper is to be folded.\n---\nFold it."
    await writeFiles(folder, { "more/fold/SKILL.md": skill })
    const served = await openServed({
      files: { "data/config.json": { skills: { paths: [join(folder, "more")] } } },
    })
    const id = await newSession(served)
    await served.client.send(id, { source: "hello" })
    await settled(served, id)
    const { system } = served.model.calls[0]?.call.envelope ?? {}
    expect(system).toContain("- fold: When paper is to be folded.")
  })
  it("are not ignored where they do not fit", async () => {
    const files = { "data/config.json": { memory: { project: "nowhere" } } }
    await expect(openServed({ files })).rejects.toThrow(
      /config\.json does not fit: \/memory\/project/,
    )
  })
})

describe("what a session is told", () => {
  it("[SKL-003] [SES-050] is the same to the byte after a restart, and in its branches", async () => {
    const folder = await temporaryFolder()
    const first = await openServed({ folder, files: { "workspace/AGENTS.md": "Use tabs." } })
    const id = await newSession(first)
    const say = async (served: Served, session: string) => {
      await served.client.send(session, { source: "hello" })
      await settled(served, session)
      return served.model.calls.at(-1)?.call.envelope.system
    }
    await first.client.commands.trust({})
    const told = await say(first, id)
    expect(told).toContain("Use tabs.")
    await first.running.close()
    const files = {
      "workspace/AGENTS.md": "Use spaces.",
      "home/.agents/memory/new.md": "Something new.",
      "home/.agents/agents/poet.md": "You rhyme.",
    }
    const second = await openServed({ folder, files })
    expect(await say(second, id)).toBe(told)
    const { session } = await second.client.sessions.branch(id)
    expect(await say(second, session.id)).toBe(told)
    await second.client.commands.trust({})
    const other = await say(second, await newSession(second))
    expect(other).toContain("Use spaces.")
    expect(other).toContain("- new (user)")
  })
})

describe("agents", () => {
  const FILE = "workspace/.agents/agents/reviewer.md"

  it("of a repository are named, and answer nobody before they are trusted", async () => {
    const served = await openServed({ files: { [FILE]: REVIEWER } })
    const { client, workspace } = served
    const listed = async () => (await client.agents({ workspace })).agents
    expect(await listed()).toMatchObject([
      { type: "assistant", scope: "builtin", trusted: true },
      { type: "reviewer", scope: "project", trusted: false, description: expect.any(String) },
    ])
    expect((await listed())[1]).not.toHaveProperty("tools")
    const refused = client.sessions.create({ agent: "reviewer" })
    await expect(refused).rejects.toMatchObject({ status: 409, code: "untrusted" })
    await client.commands.trust({ workspace, path: join(served.folder, FILE) })
    const { session } = await client.sessions.create({ agent: "reviewer" })
    expect(session).toMatchObject({ agent: "reviewer", model: { provider_id: "scripted" } })
    await client.send(session.id, { source: "review" })
    await settled(served, session.id)
    const { envelope } = served.model.calls[0]?.call ?? {}
    expect(envelope?.system.startsWith("You review code and change nothing.")).toBe(true)
    expect(envelope?.tools?.map(({ name }) => name)).toEqual(["read", "grep"])
    expect(envelope?.system).not.toContain("Skills (")
    const { turns } = await client.turns(session.id)
    expect(turns[0]).toMatchObject({ agent: "reviewer", model: { provider_id: "scripted" } })
  })

  it("of the user are used at once; no file takes the assistant's name", async () => {
    const served = await openServed({
      files: {
        "home/.agents/agents/poet.md": "You rhyme.",
        "home/.agents/agents/assistant.md": "You are evil.",
      },
    })
    const { agents } = await served.client.agents({ workspace: served.workspace })
    expect(agents.map(({ type, scope }) => [type, scope])).toEqual([
      ["assistant", "builtin"],
      ["poet", "user"],
    ])
    const said = async (agent: string) => {
      const id = await newSession(served, { agent })
      await served.client.send(id, { source: "hello" })
      await settled(served, id)
      return served.model.calls.at(-1)?.call.envelope.system ?? ""
    }
    expect(await said("poet")).toMatch(/^You rhyme\./)
    expect(await said("assistant")).not.toContain("evil")
  })

  it("[SES-050] are told the day on which a session began, and the place", async () => {
    const served = await openServed({ files: { "workspace/AGENTS.md": "Use tabs." } })
    await served.client.commands.trust({})
    const id = await newSession(served)
    await served.client.send(id, { source: "hello" })
    await settled(served, id)
    const { system = "" } = served.model.calls[0]?.call.envelope ?? {}
    const day = new Date().toISOString().slice(0, 10)
    const words = [
      ASSISTANT.prompt,
      "Use tabs.",
      "Skills (",
      `This session began on ${day}`,
      `The workspace is ${served.workspace}.`,
    ]
    const places = words.map((word) => system.indexOf(word))
    expect(places.every((at) => at >= 0)).toBe(true)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  })
})
