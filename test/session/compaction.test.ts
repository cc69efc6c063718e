import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import type { RecordedCall, Script, ScriptStep } from "../../packages/engine/providers/scripted.ts"
import { loadedSkills } from "../../packages/engine/submit/loaded-skills.ts"
import { writeConfig } from "./config.ts"
import { gate, type House, newSession, openHouse, say, transcript, until } from "./house.ts"
import { look } from "./tools.ts"

const SMALL = { provider_id: "scripted", model_id: "small" }
const WORDS = "some words that take room. "

/** A model that sums up when it is asked to, and else says that it heard. */
function listener(summary: Script = [{ text: "They greeted each other." }]): Script {
  return (call) => {
    if (!isSummary(call)) return [{ text: "Heard." }]
    return typeof summary === "function" ? summary(call) : summary
  }
}

function isSummary({ call }: RecordedCall): boolean {
  return call.envelope.system.startsWith("You summarise")
}

/** A model with room for so many tokens beside the scripted one. */
async function smallHouse(context_tokens: number, script: Script, more: object = {}) {
  const models = [{ ...SMALL, context_tokens, output_tokens: 500 }]
  return openHouse({ data: await writeConfig({ models }), script, ...more })
}

function told({ prompt }: RecordedCall): string[] {
  return prompt.map(({ role, blocks }) => {
    const said = blocks.map((block) => ("text" in block ? block.text : `<${block.type}>`)).join(" ")
    const summary = /<conversation_summary>\n([^]*)\n<\/conversation_summary>/.exec(said)?.[1]
    return `${role}: ${summary === undefined ? said : `(${summary})`}`
  })
}

function lastTold({ model }: House): string[] {
  const last = model.calls.findLast((call) => !isSummary(call))
  return last ? told(last) : []
}

async function talk(house: House, id: string, ...said: readonly string[]) {
  for (const words of said) {
    await say(house, id, words)
    await house.host.idle()
  }
}

async function markersIn({ host }: House, id: string) {
  const { messages } = await host.store.history(id, { limit: 500 })
  return messages.flatMap(({ parts }) =>
    parts.filter(({ type }) => type === "data-compaction").map(({ data }) => data),
  )
}

describe("compaction", () => {
  it("[SES-030] [UXH-001] sums up on /compact, keeps every row, and goes on from the summary", async () => {
    const house = await openHouse({ script: listener() })
    const id = await newSession(house)
    await talk(house, id, "good morning", "how are you")
    await say(house, id, [{ type: "command", id: "/compact", args: { raw: "the greetings" } }])
    await house.host.idle()
    const asked = house.model.calls.find(isSummary)
    expect(told(asked as RecordedCall).join()).toContain("good morning")
    expect(told(asked as RecordedCall).join()).toContain("keeps: the greetings")
    expect(await markersIn(house, id)).toEqual([
      {
        type: "data-compaction",
        summary: "They greeted each other.",
        tail_start_id: null,
        auto: false,
        summary_tokens: 7,
      },
    ])
    await talk(house, id, "and you?")
    expect(lastTold(house)).toEqual(["user: (They greeted each other.)", "user: and you?"])
    expect((await transcript(house, id)).slice(0, 2)).toEqual([
      "user: good morning",
      "assistant: Heard.",
    ])
    const { messages } = await house.host.store.history(id, { limit: 50 })
    const marker = messages.find(({ metadata }) => metadata.compaction)
    expect(marker).toMatchObject({ role: "assistant", metadata: { usage: { output: 7 } } })
  })

  it("[SES-030] says so when there is nothing to sum up", async () => {
    const house = await openHouse({ script: listener() })
    const id = await newSession(house)
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await house.host.idle()
    expect((await transcript(house, id)).at(-1)).toBe(
      "assistant: There is nothing to summarise yet.",
    )
    expect(house.model.calls).toEqual([])
  })

  it("[SES-030] [UXH-001] sums up by itself when the next request leaves no room, and keeps the last turns", async () => {
    const house = await smallHouse(4000, listener())
    const id = await newSession(house)
    const long = WORDS.repeat(120)
    for (const words of [`one ${long}`, `two ${long}`, `three ${long}`, "four", "five"]) {
      await say(house, id, words, { model: SMALL })
      await house.host.idle()
    }
    const [marker] = await markersIn(house, id)
    expect(marker).toMatchObject({ auto: true, summary: "They greeted each other." })
    const { messages } = await house.host.store.history(id, { limit: 50 })
    expect(messages.find((one) => one.id === marker?.tail_start_id)).toMatchObject({ role: "user" })
    const turns = await house.host.store.turns(id)
    expect(turns.flatMap(({ notices }) => notices)[0]).toContain("was summarised")
    expect(lastTold(house)[0]).toBe("user: (They greeted each other.)")
    expect(lastTold(house).at(-1)).toBe("user: five")
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(5)
  })

  it("[SES-040] sums up with the model that knew it all before a smaller one goes on", async () => {
    const house = await smallHouse(3000, listener())
    const id = await newSession(house)
    await talk(house, id, `one ${WORDS.repeat(200)}`, `two ${WORDS.repeat(200)}`)
    expect(house.model.calls.filter(isSummary)).toHaveLength(0)
    await say(house, id, "three", { model: SMALL })
    await house.host.idle()
    const [asked] = house.model.calls.filter(isSummary)
    expect(asked?.call.envelope.model).toBe("scripted")
    expect(lastTold(house)).toEqual(["user: (They greeted each other.)", "user: three"])
    expect((await house.host.store.session(id))?.model).toEqual(SMALL)
  })

  it("[SES-030] sums up in the middle of a long turn, and keeps its newest steps", async () => {
    let step = 0
    const long = WORDS.repeat(60)
    const script: Script = (call): readonly ScriptStep[] => {
      if (isSummary(call)) return [{ text: "It looked around." }]
      step += 1
      if (step > 6) return [{ text: "Done." }]
      return [{ text: long }, { call: { id: `c${step}`, name: "look", input: { at: `${step}` } } }]
    }
    const house = await smallHouse(3000, script, { tools: [look([])] })
    const id = await newSession(house)
    await say(house, id, "look around", { model: SMALL })
    await house.host.idle()
    expect((await house.host.store.turns(id)).map(({ state }) => state)).toEqual(["finished"])
    expect((await markersIn(house, id)).length).toBeGreaterThan(0)
    const last = lastTold(house)
    expect(last[0]).toBe("user: (It looked around.)")
    expect(last.at(-1)).toBe("user: <tool-result>")
    expect((await transcript(house, id)).at(-1)).toBe("assistant: Done.")
  })

  it("[SES-012] [SES-020] counts only where the path contains it", async () => {
    const house = await openHouse({ script: listener() })
    const id = await newSession(house)
    await talk(house, id, "one", "two")
    const { messages } = await house.host.store.history(id, { limit: 9 })
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await house.host.idle()
    await talk(house, id, "three")
    const branch = async (from_message_id: string | null) => {
      const input = { id: newId("ses"), parent_id: id, title: null, metadata: {} }
      return (await house.host.store.branch({ ...input, from_message_id })).session.id
    }
    const [early, late] = [await branch(messages[1]?.id ?? null), await branch(null)]
    await talk(house, early, "four")
    expect(lastTold(house)).toEqual(["user: one", "assistant: Heard.", "user: four"])
    await talk(house, late, "four")
    expect(lastTold(house)).toEqual([
      "user: (They greeted each other.)",
      "user: three",
      "assistant: Heard.",
      "user: four",
    ])
    await house.host.store.rewind({ session_id: id, before_message_id: messages[2]?.id ?? null })
    await talk(house, id, "instead")
    expect(lastTold(house)).toEqual(["user: one", "assistant: Heard.", "user: instead"])
    await house.host.store.unrewind({ session_id: id })
    await talk(house, id, "again")
    expect(lastTold(house)).toEqual([
      "user: (They greeted each other.)",
      "user: three",
      "assistant: Heard.",
      "user: again",
    ])
  })

  it("[SES-030] is told the same after a restart, and sums up a summary", async () => {
    const script = listener((call) => [
      { text: told(call).join().includes("They.") ? "All of it." : "They." },
    ])
    const house = await openHouse({ script })
    const id = await newSession(house)
    await talk(house, id, "one")
    const compact = async ({ host }: House) => {
      await say({ host }, id, [{ type: "command", id: "/compact", args: {} }])
      await host.idle()
    }
    await compact(house)
    await house.host.close()
    const again = await openHouse({ script, data: house.data })
    await talk(again, id, "two")
    expect(lastTold(again)).toEqual(["user: (They.)", "user: two"])
    await compact(again)
    await talk(again, id, "three")
    expect(lastTold(again)).toEqual(["user: (All of it.)", "user: three"])
    const [, asked] = [...house.model.calls, ...again.model.calls].filter(isSummary)
    expect(asked && told(asked).join()).toContain("They.")
  })

  it("[SES-062] stops when it is told to, and leaves nothing behind", async () => {
    const door = gate()
    const house = await openHouse({ script: listener([{ wait: door.wait }, { text: "late" }]) })
    const id = await newSession(house)
    await talk(house, id, "one")
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await until(() => house.model.calls.some(isSummary))
    const busy = await house.host.store.latestTurn(id)
    expect(busy?.state).toBe("running")
    await house.host.abort(id, false)
    await house.host.idle()
    expect((await house.host.store.latestTurn(id))?.state).toBe("aborted")
    expect(await markersIn(house, id)).toEqual([])
    await talk(house, id, "two")
    expect(lastTold(house)).toEqual(["user: one", "assistant: Heard.", "user: two"])
  })

  it("[CMP-062] lets a skill be loaded again, unless the tail still has it", async () => {
    const house = await openHouse({ script: listener() })
    const id = await newSession(house)
    const skill = { type: "skill-content", name: "tea", text: "Boil.", initiator: "user" } as const
    await say(house, id, [{ type: "text", text: "tea" }, skill])
    await house.host.idle()
    expect((await loadedSkills(house.host.store, id)).size).toBe(1)
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await house.host.idle()
    expect((await loadedSkills(house.host.store, id)).size).toBe(0)
  })
})

describe("the ladder", () => {
  const TRANSIENT = { code: "overloaded", message: "too much to do", retryable: true }
  const TOO_LONG = { code: "http-400", message: "prompt is too long", retryable: false }

  /** What becomes of /compact when the summary is asked for as the script says. */
  async function compacted(
    answer: (asked: number, call: RecordedCall) => ScriptStep,
    more: object,
  ) {
    let asked = 0
    const house = await openHouse({ script: listener((call) => [answer(++asked, call)]), ...more })
    const id = await newSession(house)
    await talk(house, id, `one ${WORDS}`, "two")
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await house.host.idle()
    const [marker] = await markersIn(house, id)
    return { asked, marker, turn: await house.host.store.latestTurn(id) }
  }

  it("[SES-031] tries a passing fault again", async () => {
    const { asked, marker } = await compacted(
      (asked) => (asked === 1 ? { error: TRANSIENT } : { text: "in short" }),
      {},
    )
    expect([asked, marker?.summary]).toEqual([2, "in short"])
  })

  it("[SES-031] sums up without outputs, then in pieces, then without the middle", async () => {
    const refusing = (until: number) => (asked: number) =>
      asked < until ? { error: TOO_LONG } : { text: "in short" }
    for (const [until, asked] of [
      [2, 2],
      [3, 3],
      [4, 4],
    ] as const)
      expect((await compacted(refusing(until), {})).asked).toBe(asked)
  })

  it("[SES-031] does only what the settings allow, and says why it could not", async () => {
    const smart_recovery = {
      prune_tool_outputs: false,
      chunked_summarize: false,
      drop_middle: false,
    }
    const compaction = { retry_on_transient: false, smart_recovery }
    const { asked, marker, turn } = await compacted(() => ({ error: TRANSIENT }), { compaction })
    expect([asked, marker]).toEqual([1, undefined])
    expect(turn).toMatchObject({
      state: "error",
      error: { code: "compaction_failed", message: "too much to do" },
    })
  })

  it("[SES-031] sums up in pieces what is longer than any request may be", async () => {
    const house = await smallHouse(4000, listener([{ text: "a piece" }]))
    const id = await newSession(house)
    await talk(house, id, WORDS.repeat(1500))
    await house.host.store.changeSession({ id, model: SMALL })
    await house.host.close()
    const again = await openHouse({ data: house.data, script: listener([{ text: "a piece" }]) })
    await say(again, id, [{ type: "command", id: "/compact", args: {} }], { model: SMALL })
    await again.host.idle()
    expect(again.model.calls.filter(isSummary).length).toBeGreaterThan(0)
    expect((await markersIn(again, id)).at(0)?.summary).toBe("a piece")
  })
})
