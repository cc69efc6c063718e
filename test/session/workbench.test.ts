import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { TRUST_ALL } from "../../packages/engine/host/host.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { ASSISTANT, toolsOf } from "../../packages/engine/agents/agent.ts"
import { systemPrompt } from "../../packages/engine/turns/system-prompt.ts"
import { lastWords, answersIn, newSession, openHouse, say } from "./house.ts"
import { ask, caller, look, pay } from "./tools.ts"

const TABLES = capabilitiesOfApi("anthropic-messages")

describe("an agent", () => {
  function has(more: Partial<typeof ASSISTANT>, tools = true) {
    const offered = [look(), pay(), ask]
    return toolsOf({ ...ASSISTANT, ...more }, offered, { ...TABLES, tools }).map(({ id }) => id)
  }

  it("has all tools of the house, unless its manifest says which", () => {
    expect(has({})).toEqual(["look", "pay", "question"])
    expect(has({ tools: ["pay", "none"] })).toEqual(["pay"])
  })
  it("[TOL-002] has no tool that needs what its manifest does not grant", () =>
    expect(has({ grants: ["fs.read", "human"] })).toEqual(["look", "question"]))
  it("has none where its model calls none", () => expect(has({}, false)).toEqual([]))

  it("answers in the sessions that name it, with its own prompt and tools", async () => {
    const poet = { ...ASSISTANT, type: "poet", prompt: "You rhyme.", tools: ["look"] }
    const house = await openHouse({
      agents: [poet],
      tools: [look(), pay()],
      sections: async () => ({}),
    })
    const { session } = await house.host.store.createSession({
      id: (await newSession(house)).replace(/.$/, "Z"),
      agent: "poet",
      title: null,
      workspace_root: null,
      model: { provider_id: "scripted", model_id: "scripted" },
      metadata: {},
    })
    await say(house, session.id, "hello")
    await house.host.idle()
    const { envelope } = house.model.calls[0]?.call ?? {}
    expect(envelope?.system).toBe("You rhyme.")
    expect(envelope?.tools?.map(({ name }) => name)).toEqual(["look"])
    expect((await house.host.store.latestTurn(session.id))?.agent).toBe("poet")
  })
})

describe("the system prompt", () => {
  it("[SES-050] is always in one order, and leaves out what is empty", () => {
    const sections = { environment: "e", skills: " s ", manifest: "m", instructions: "i" }
    expect(systemPrompt(sections).body).toBe("m\n\ni\n\ns\n\ne")
    expect(systemPrompt({ manifest: "m", skills: "" }).body).toBe("m")
    expect(systemPrompt(sections).digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it("[SES-050] [SKL-004] says the project's instructions, then its skills, then the place", async () => {
    const house = await openHouse({ script: [{ text: "ok" }], trust: TRUST_ALL })
    await writeFile(join(house.workspace, "AGENTS.md"), "Use tabs.")
    const skill = join(house.workspace, ".agents", "skills", "tidy")
    await mkdir(skill, { recursive: true })
    const body = "---\nname: tidy\ndescription: When things are untidy.\n---\nSweep $ARGUMENTS."
    await writeFile(join(skill, "SKILL.md"), body)
    const id = await newSession(house)
    await say(house, id, "hello")
    await house.host.idle()
    const [turn] = await house.host.store.turns(id)
    const said = (await house.host.store.systemPrompt(turn?.system_prompt_digest ?? "")) ?? ""
    const places = [
      ASSISTANT.prompt,
      "Use tabs.",
      "- tidy: When things are untidy.",
      `The workspace is ${house.workspace}.`,
    ].map((words) => said.indexOf(words))
    expect(places).toEqual([0, ...places.slice(1).toSorted((a, b) => a - b)])
    expect(places.every((at) => at >= 0)).toBe(true)
    expect(said).not.toContain("Sweep")
    // What a session was told once it is told again, to the byte.
    await writeFile(join(house.workspace, "AGENTS.md"), "Use spaces.")
    await say(house, id, "again")
    await house.host.idle()
    expect(house.model.calls[1]?.call.envelope.system).toBe(said)
  })

  it("[SKL-003] leaves a skill's body to the skill tool", async () => {
    const house = await openHouse({
      trust: TRUST_ALL,
      script: caller([
        { name: "skill", input: { name: "tidy", arguments: "the floor" } },
        { name: "skill", input: { name: "none" } },
      ]),
    })
    const skill = join(house.workspace, ".agents", "skills", "tidy")
    await mkdir(skill, { recursive: true })
    const body = "---\nname: tidy\ndescription: When things are untidy.\n---\nSweep."
    await writeFile(join(skill, "SKILL.md"), body)
    const id = await newSession(house)
    await say(house, id, "tidy up")
    await house.host.idle()
    const said = lastWords(await answersIn(house, id))
    expect(said).toContain("<skill_content name=")
    expect(said).toContain("Sweep.\\n\\nArguments: the floor")
    expect(said).toContain("error: There is no skill none here.")
  })
})

describe("the built-in tools", () => {
  it("read a file of the workspace, and ask before they write one", async () => {
    const house = await openHouse({
      script: caller(
        [{ name: "read", input: { path: "a.txt" } }],
        [{ name: "write", input: { path: "b.txt", content: "new" } }],
      ),
    })
    await writeFile(join(house.workspace, "a.txt"), "what it says")
    const id = await newSession(house)
    await say(house, id, "read and write")
    await house.host.idle()
    const [first] = await answersIn(house, id)
    expect(JSON.stringify(first?.parts[0]?.data.output)).toContain("what it says")
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "waiting_on_approval",
      waiting: [{ tool: "write", asks: [{ permission: "fs.write" }] }],
    })
  })
})

describe("thinking", () => {
  it("is asked for by the variant of the message's model", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const id = await newSession(house)
    const model = { provider_id: "scripted", model_id: "scripted" }
    await say(house, id, "think", { model: { ...model, variant: "high" } })
    await house.host.idle()
    expect((await house.host.store.latestTurn(id))?.model).toEqual({ ...model, variant: "high" })
    // The scripted model cannot be told how much to think.
    expect(house.model.calls[0]?.call.envelope).not.toHaveProperty("thinking")
  })
})
