import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it, onTestFinished } from "vitest"
import { openHost } from "../../packages/engine/host/host.ts"
import { newId } from "../../packages/core/message/id.ts"
import { McpServers } from "../../packages/engine/mcp/mcp-servers.ts"
import { McpConfig } from "../../packages/engine/mcp/server.ts"
import type { RecordedCall, ScriptStep } from "../../packages/engine/providers/scripted.ts"
import { loadedSkills } from "../../packages/engine/submit/loaded-skills.ts"
import { attachment, fileRef, png, temporaryFolder, text } from "../build.ts"
import { anthropicHouse, SONNET } from "./anthropic.ts"
import {
  gate,
  type House,
  newestOf,
  newSession,
  openHouse,
  say,
  transcript,
  until,
} from "./house.ts"
import { caller, look, pay } from "./tools.ts"
import { wordsOf } from "../store/build.ts"

/** A house whose model waits for a gate when it is told to wait. */
async function waitingHouse() {
  const door = gate()
  const script = (call: RecordedCall): readonly ScriptStep[] =>
    newestOf(call).includes("wait") ? [{ wait: door.wait }, { text: "Done." }] : [{ text: "Done." }]
  return { door, house: await openHouse({ script }) }
}

function blocksOf(call: RecordedCall | undefined): string[] {
  return (call?.newest?.blocks ?? []).map(({ type }) => type)
}

/** Break a column of a row behind the store's back. */
function damage({ data }: House, sql: string, ...values: string[]) {
  const database = new Database(join(data, "compositor.db"))
  database.prepare(sql).run(...values)
  database.close()
}

describe("what went wrong elsewhere: the queue", () => {
  it("[UX-001] [UX-002] keeps the pictures of a message that waits", async () => {
    const { door, house } = await waitingHouse()
    const id = await newSession(house)
    await say(house, id, "wait")
    await say(house, id, [
      text("look"),
      attachment("a.png", png(2, 2)),
      attachment("b.png", png(3, 3)),
    ])
    door.open()
    await house.host.idle()
    expect(blocksOf(house.model.calls.at(-1))).toEqual(["text", "image", "image"])
  })

  it("[UX-004] [UX-009] fires what waits when a turn ends because the model goes on and on", async () => {
    let answers = 0
    const house = await openHouse({
      tools: [look()],
      script: (call) =>
        newestOf(call).includes("next") || answers > 260
          ? [{ text: "Done." }]
          : [{ call: { id: `c${++answers}`, name: "look", input: { at: "a" } } }],
    })
    const id = await newSession(house)
    await say(house, id, "go on and on")
    const { message } = await say(house, id, "next")
    await house.host.idle()
    const [first] = await house.host.store.turns(id)
    expect(first?.error?.code).toBe("too_many_steps")
    // A hard failure holds the queue (UXH-003); nothing is lost, and it goes on when it is let go.
    await house.host.editQueued({ session_id: id, message_id: message.id, state: "queued" })
    await house.host.idle()
    expect((await house.host.store.message(id, message.id))?.state).toBe("fired")
  }, 60_000)

  it("[QUE-002] [CMP-130] keeps what was sent before a restart in the middle of a turn", async () => {
    const { house } = await waitingHouse()
    const id = await newSession(house)
    await say(house, id, "wait")
    const { message } = await say(house, id, "behind it")
    await house.host.close()
    const again = await openHouse({ data: house.data, script: [{ text: "Done." }], lease_ms: 50 })
    await until(async () => (await again.host.store.message(id, message.id))?.state === "fired")
    await again.host.idle()
    expect((await transcript(again, id)).filter((line) => line.startsWith("user"))).toEqual([
      "user: wait",
      "user: behind it",
    ])
  }, 30_000)

  it("[UXH-002] stops the turn that runs, and not the one that waits", async () => {
    const { house } = await waitingHouse()
    const id = await newSession(house)
    await say(house, id, "wait")
    await say(house, id, "then this")
    await until(() => house.model.calls.length === 1)
    await house.host.abort(id, false)
    await house.host.idle()
    const turns = await house.host.store.turns(id)
    expect(turns.map(({ state }) => state)).toEqual(["aborted", "finished"])
    expect((await transcript(house, id)).at(-1)).toBe("assistant: Done.")
  })

  it("[UX-004] goes on after an interruption, however often", async () => {
    const { house } = await waitingHouse()
    const id = await newSession(house)
    for (let round = 0; round < 3; round++) {
      await say(house, id, "wait")
      await say(house, id, `round ${round}`)
      await until(async () => (await house.host.store.liveTurns()).length === 1)
      await house.host.abort(id, false)
      await house.host.idle()
    }
    expect(await house.host.store.queue(id)).toEqual([])
    expect((await house.host.store.turns(id)).map(({ state }) => state)).toEqual([
      "aborted",
      "finished",
      "aborted",
      "finished",
      "aborted",
      "finished",
    ])
  })

  it("[UX-008] [QUE-003] shows a message in one place: while it waits there, once it fired here", async () => {
    const { door, house } = await waitingHouse()
    const id = await newSession(house)
    await say(house, id, "wait")
    const { message } = await say(house, id, "once", { message_id: newId("msg") })
    const again = await say(house, id, "once", { message_id: message.id })
    expect(again.replayed).toBe(true)
    const places = async () => {
      const { messages } = await house.host.store.history(id, { limit: 99 })
      const queue = await house.host.store.queue(id)
      return [messages, queue].map((list) => list.filter((one) => one.id === message.id).length)
    }
    expect(await places()).toEqual([0, 1])
    door.open()
    await house.host.idle()
    expect(await places()).toEqual([1, 0])
  })

  it("[CMP-047] resolves a command again when the message that waits is changed", async () => {
    const { door, house } = await waitingHouse()
    const id = await newSession(house)
    const search = (words: string) =>
      ({ type: "command", id: "/search", args: { raw: words }, raw: `/search ${words}` }) as const
    await say(house, id, "wait")
    const { message } = await say(house, id, [search("owls")])
    await house.host.editQueued({
      session_id: id,
      message_id: message.id,
      parts: [search("hawks")],
    })
    door.open()
    await house.host.idle()
    expect(newestOf(house.model.calls.at(-1)).join()).toContain("hawks")
    expect(newestOf(house.model.calls.at(-1)).join()).not.toMatch(/\/search|owls/)
  })
})

describe("what went wrong elsewhere: attachments and mentions", () => {
  it("[CMP-063] shows a mentioned file again when the message is sent again after a stop", async () => {
    const { house } = await waitingHouse()
    const id = await newSession(house)
    await writeFile(join(house.workspace, "a.txt"), "the words of the file")
    const mention = { type: "mention", target: { kind: "file", path: "a.txt" } } as const
    await say(house, id, [text("wait"), mention])
    await until(() => house.model.calls.length === 1)
    await house.host.abort(id, false)
    await house.host.idle()
    await say(house, id, [text("again"), mention])
    await house.host.idle()
    const asked = JSON.stringify(house.model.calls.at(-1)?.prompt)
    expect(asked).toContain("the words of the file")
    expect(newestOf(house.model.calls.at(-1)).length).toBeGreaterThan(1)
  })

  it("[CMP-003] sends a picture that comes without a word", async () => {
    const house = await openHouse()
    const id = await newSession(house)
    await say(house, id, [attachment("a.png", png(2, 2))])
    await house.host.idle()
    expect(blocksOf(house.model.calls.at(-1))).toEqual(["image"])
  })

  it("[CMP-003] sends all pictures of a paste, each with its own bytes, whatever they are called", async () => {
    const { house, bodies } = await anthropicHouse(() => ({ text: "I see." }))
    const id = await newSession(house)
    const pictures = [png(2, 2), png(3, 3), png(4, 4)]
    const parts = pictures.map((bytes) => attachment("image.png", bytes))
    await say(house, id, parts, { model: SONNET })
    await house.host.idle()
    const sent = JSON.stringify(bodies[0])
    for (const bytes of pictures) expect(sent).toContain(bytes.toString("base64"))
  })

  it("[BEY-02] goes on after a picture that a model finds too large", async () => {
    const large = png(9000, 9000)
    const { house } = await anthropicHouse((body) =>
      JSON.stringify(body).includes(large.toString("base64"))
        ? { status: 400, message: "image dimensions exceed max allowed size: 8000 pixels" }
        : { text: "I see." },
    )
    const id = await newSession(house)
    await say(house, id, [text("this"), attachment("large.png", large)], { model: SONNET })
    await house.host.idle()
    await say(house, id, "and now?", { model: SONNET })
    await house.host.idle()
    const turns = await house.host.store.turns(id)
    expect(turns.map(({ state }) => state)).toEqual(["finished", "finished"])
  })

  it("[CMP-022] reads from its own folder where two have 200 characters of their paths in common", async () => {
    const house = await openHouse()
    const base = join(await temporaryFolder(), "a".repeat(120), "b".repeat(120))
    const said: string[] = []
    for (const name of ["one", "two"]) {
      const workspace_root = join(base, name)
      await mkdir(workspace_root, { recursive: true })
      await writeFile(join(workspace_root, "a.txt"), `this is ${name}`)
      const { session } = await house.host.store.createSession({
        id: newId("ses"),
        agent: "assistant",
        title: null,
        workspace_root,
        model: { provider_id: "scripted", model_id: "scripted" },
        metadata: {},
      })
      await say(house, session.id, [fileRef("a.txt")])
      await house.host.idle()
      said.push(newestOf(house.model.calls.at(-1)).join())
    }
    expect(said[0]).toContain("this is one")
    expect(said[1]).toContain("this is two")
  })
})

describe("what went wrong elsewhere: rows", () => {
  const WORSE = ['{"type":"file-attachment","na', "null", "[]", '{"type":7}', '{"type":"text"}', ""]

  it("[CMP-121] reads a session on, whatever one of its rows holds", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    const { message } = await say(house, id, [
      text("a file"),
      attachment("a.bin", Buffer.from("x")),
    ])
    await house.host.idle()
    for (const json of WORSE) {
      damage(
        house,
        'UPDATE chat_parts SET data_json = ? WHERE message_id = ? AND "index" = 1',
        json,
        message.id,
      )
      const again = await openHouse({ data: house.data, script: [{ text: "Done." }] })
      expect((await transcript(again, id))[0]).toMatch(/^user: a file/)
      await say(again, id, "go on")
      await again.host.idle()
      expect((await again.host.store.latestTurn(id))?.state).toBe("finished")
      expect(JSON.stringify(again.model.calls.at(-1)?.prompt)).toContain("a file")
      await again.host.close()
    }
  }, 60_000)

  it("skips an answer and metadata that something broke", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const id = await newSession(house)
    await say(house, id, "one")
    await house.host.idle()
    const { messages } = await house.host.store.history(id, { limit: 9 })
    const [question, answer] = messages
    damage(house, "UPDATE chat_parts SET data_json = '{' WHERE message_id = ?", answer?.id ?? "")
    damage(house, "UPDATE chat_messages SET metadata_json = '{' WHERE id = ?", question?.id ?? "")
    const again = await openHouse({ data: house.data, script: [{ text: "Done." }] })
    await say(again, id, "two")
    await again.host.idle()
    expect((await again.host.store.latestTurn(id))?.state).toBe("finished")
    expect((await again.host.store.history(id, { limit: 9 })).messages).toHaveLength(4)
  })

  it("leaves a settings file alone that it cannot read, and says why", async () => {
    const data = join(await temporaryFolder(), "data")
    await mkdir(data)
    const file = join(data, "config.json")
    await writeFile(file, '{ "models": [ ')
    await expect(openHost({ data, workspace: null, environment: {} })).rejects.toThrow()
    expect(await readFile(file, "utf8")).toBe('{ "models": [ ')
  })
})

describe("what went wrong elsewhere: turns and paths", () => {
  it("[SES-062] gives every call a result after a stop", async () => {
    const door = gate()
    onTestFinished(() => door.open())
    const calls = [
      { name: "pay", input: { whom: "a" } },
      { name: "pay", input: { whom: "b" } },
    ]
    const log: string[] = []
    const house = await openHouse({
      tools: [pay(log, () => door.wait)],
      script: caller(calls),
      rules: async () => [
        { permission: "net.fetch", pattern: "**", action: "allow", source: "project", added_at: 0 },
      ],
    })
    const id = await newSession(house)
    await say(house, id, "pay both")
    await until(() => log.length > 0)
    await house.host.abort(id, false)
    await house.host.idle()
    await say(house, id, "and now?")
    await house.host.idle()
    const blocks = house.model.calls.at(-1)?.prompt.flatMap((message) => message.blocks) ?? []
    const ids = (type: string) =>
      blocks.filter((block) => block.type === type).map((block) => "id" in block && block.id)
    expect(ids("tool-call")).toHaveLength(2)
    expect(ids("tool-result")).toEqual(ids("tool-call"))
  })

  it("[SES-010] [SES-020] reads right after hide, un-hide, branch and hide again, in parent and branch", async () => {
    const house = await openHouse({ script: [{ text: "Done." }] })
    const { store } = house.host
    const id = await newSession(house)
    for (const words of ["one", "two", "three"]) {
      await say(house, id, words)
      await house.host.idle()
    }
    const asked = async (session: string) =>
      (await transcript(house, session)).filter((line) => line.startsWith("user"))
    const { messages } = await store.history(id, { limit: 99 })
    const two = messages.find((message) => wordsOf(message) === "two")?.id ?? ""
    await store.rewind({ session_id: id, before_message_id: two })
    expect(await asked(id)).toEqual(["user: one"])
    const rewound = await store.branch(branchOf(id))
    await store.unrewind({ session_id: id })
    expect(await asked(id)).toEqual(["user: one", "user: two", "user: three"])
    const whole = await store.branch(branchOf(id))
    await store.rewind({ session_id: id, before_message_id: two })
    await say(house, id, "instead")
    await say(house, whole.session.id, "four")
    await say(house, rewound.session.id, "other")
    await house.host.idle()
    expect(await asked(id)).toEqual(["user: one", "user: instead"])
    expect(await asked(whole.session.id)).toEqual([
      "user: one",
      "user: two",
      "user: three",
      "user: four",
    ])
    expect(await asked(rewound.session.id)).toEqual(["user: one", "user: other"])
  })

  it("[MCP-001] finds the prompts of every page", async () => {
    const script = join(import.meta.dirname, "paging-server.ts")
    const about = { command: process.execPath, args: [script] }
    const servers = new McpServers(McpConfig.parse({ mcpServers: { paging: about } }))
    onTestFinished(() => servers.close())
    const commands = await servers.commands()
    expect(commands.map(({ prompt }) => prompt)).toEqual(["one", "two", "three"])
  }, 30_000)

  it("[CMP-062] runs nothing of a skill again by itself after a summary", async () => {
    const house = await openHouse({
      script: ({ call }) =>
        call.envelope.system.startsWith("You summarise")
          ? [{ text: "Tea was made." }]
          : [{ text: "Done." }],
    })
    const id = await newSession(house)
    const skill = {
      type: "skill-content",
      name: "tea",
      arguments: "two cups",
      text: "Boil.",
      initiator: "user",
    } as const
    await say(house, id, [text("make tea"), skill])
    await house.host.idle()
    await say(house, id, [{ type: "command", id: "/compact", args: {} }])
    await house.host.idle()
    await say(house, id, "thanks")
    await house.host.idle()
    expect(JSON.stringify(house.model.calls.at(-1)?.prompt)).not.toMatch(/two cups|Boil/)
    expect((await loadedSkills(house.host.store, id)).size).toBe(0)
  })
})

function branchOf(parent_id: string) {
  return { id: newId("ses"), parent_id, from_message_id: null, title: null, metadata: {} }
}
