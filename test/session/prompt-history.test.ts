import { openPart } from "../../packages/core/parts/table.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { MODELS } from "../../packages/core/wires/models.ts"
import type { KnownModels } from "../../packages/engine/providers/known-models.ts"
import type { WireFragment } from "../../packages/core/wires/body.ts"
import { type RecordedCall, scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { attachment, fileRef, png, text } from "../build.ts"
import { caller, look } from "./tools.ts"
import { gate, type House, newestOf, newSession, openHouse, say } from "./house.ts"

const LINES = "one\ntwo\nthree\nfour\n"

function bytesOf(fragments: readonly WireFragment[] | undefined): string[] {
  return (fragments ?? []).map(({ pieces }) =>
    pieces
      .map((piece) =>
        piece instanceof Uint8Array ? Buffer.from(piece).toString() : piece.content_id,
      )
      .join(""),
  )
}

function sent(house: House, at: number): readonly WireFragment[] {
  return house.model.calls[at]?.call.messages ?? []
}

function picturesIn(call: RecordedCall | undefined): number {
  const blocks = (call?.prompt ?? []).flatMap(({ blocks }) => blocks)
  return blocks.filter(({ type }) => type === "image").length
}

function limits(max_count: number) {
  const image = capabilitiesOfApi("anthropic-messages").media.image
  if (!image) throw new Error("it takes no images")
  return { ...image, max_count }
}

async function talk(house: House, id: string, ...texts: readonly string[]) {
  for (const said of texts) {
    await say(house, id, said)
    await house.host.idle()
  }
}

describe("the history of a request", () => {
  it("[COS-001] is the same bytes in every later request", async () => {
    const house = await openHouse({ script: ({ prompt }) => [{ text: `answer ${prompt.length}` }] })
    const id = await newSession(house)
    await say(house, id, [text("look"), attachment("a.png", png())])
    await house.host.idle()
    await talk(house, id, "two", "three")
    const [first, second, third] = [sent(house, 0), sent(house, 1), sent(house, 2)]
    expect([first.length, second.length, third.length]).toEqual([1, 3, 5])
    // Not only equal: what was encoded once is used again.
    expect(second[0]).toBe(first[0])
    expect(third.slice(0, 3).every((fragment, at) => fragment === second[at])).toBe(true)
  })

  it("[COS-001] is the same bytes after a restart", async () => {
    const house = await openHouse({ script: [{ text: "yes" }] })
    const id = await newSession(house)
    await writeFile(join(house.workspace, "a.txt"), LINES)
    await say(house, id, [text("look"), fileRef("a.txt"), attachment("a.png", png())])
    await house.host.idle()
    await talk(house, id, "two")
    await house.host.close()
    await writeFile(join(house.workspace, "a.txt"), "something else")
    const later = await openHouse({ data: house.data, script: [{ text: "yes" }] })
    await talk(later, id, "three")
    const before = bytesOf(sent(house, 1))
    expect(bytesOf(sent(later, 0)).slice(0, before.length)).toEqual(before)
    expect(before.join("")).toContain("three\\nfour")
  })

  it("[COS-001] is the same bytes after a restart, calls and steers among them", async () => {
    const calls = [
      { name: "look", input: { at: "a" } },
      { name: "look", input: { at: '\u2028 "b"' } },
      { name: "look", input: {} },
    ]
    const tools = [look()]
    const house = await openHouse({ tools, script: caller(calls, [{ name: "fly" }]) })
    const id = await newSession(house)
    await talk(house, id, "look around", "and now?")
    await house.host.close()
    const later = await openHouse({ data: house.data, tools, script: [{ text: "yes" }] })
    await talk(later, id, "again")
    const before = bytesOf(sent(house, 3))
    expect(before).toHaveLength(7)
    expect(bytesOf(sent(later, 0)).slice(0, before.length)).toEqual(before)
    expect(bytesOf(sent(house, 2))).toEqual(before.slice(0, 5))
  })

  it("[VIS-002] gives up its oldest media when there are too many, and stays so", async () => {
    const model = scriptedProvider([{ text: "I see" }])
    const few = { ...capabilitiesOfApi("scripted"), media: { image: limits(4) } }
    const known = {
      find: () => MODELS.find(({ api }) => api === "scripted"),
      capabilities: () => few,
    }
    const house = await openHouse({
      providers: new Map([["scripted", model]]),
      known: known as unknown as KnownModels,
    })
    const id = await newSession(house)
    const pictures: number[] = []
    for (let at = 1; at <= 7; at++) {
      await say(house, id, [text(`picture ${at}`), attachment(`${at}.png`, png(at, at))])
      await house.host.idle()
      pictures.push(picturesIn(model.calls.at(-1)))
    }
    // When the fifth comes, so many go that half of the limit is free.
    expect(pictures).toEqual([1, 2, 3, 4, 2, 3, 4])
    const turns = await house.host.store.turns(id)
    const receipts = await house.host.store.receipts(id, turns[4]?.id ?? "")
    expect(receipts.filter(({ rule }) => rule === "VIS-002")).toHaveLength(3)
    await house.host.close()
    const again = scriptedProvider([{ text: "I see" }])
    const later = await openHouse({
      data: house.data,
      providers: new Map([["scripted", again]]),
      known: known as unknown as KnownModels,
    })
    await talk(later, id, "and now?")
    const before = bytesOf(model.calls.at(-1)?.call.messages)
    expect(bytesOf(again.calls[0]?.call.messages).slice(0, before.length)).toEqual(before)
  })

  it("leaves out what was purged, here and in branches", async () => {
    const house = await openHouse({ script: [{ text: "yes" }] })
    const id = await newSession(house)
    const { message } = await say(house, id, "a secret")
    await house.host.idle()
    const { session } = await house.host.store.branch({
      id: newId("ses"),
      parent_id: id,
      from_message_id: null,
      title: null,
      metadata: {},
    })
    await talk(house, session.id, "warm")
    await talk(house, id, "warm")
    await house.host.purgeMessage(id, message.id)
    await talk(house, session.id, "after")
    await talk(house, id, "after")
    const prompts = house.model.calls.map(({ call }) => bytesOf(call.messages).join())
    expect(prompts.map((prompt) => prompt.includes("a secret"))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it("[SES-020] begins, in a branch, with what it inherits", async () => {
    const house = await openHouse({ script: [{ text: "yes" }] })
    const id = await newSession(house)
    await talk(house, id, "one", "two")
    const { session } = await house.host.store.branch({
      id: newId("ses"),
      parent_id: id,
      from_message_id: null,
      title: null,
      metadata: {},
    })
    await talk(house, session.id, "three")
    expect(bytesOf(sent(house, 2)).slice(0, 3)).toEqual(bytesOf(sent(house, 1)))
    expect(sent(house, 2)).toHaveLength(5)
  })
})

describe("another model", () => {
  it("[BEY-01] is told the history in its own way, with receipts that say so", async () => {
    const model = scriptedProvider([{ text: "I see" }])
    // The mirror has a model without eyes; this one answers in its stead.
    const blind = { ...model, id: "mirror" }
    const house = await openHouse({
      providers: new Map([
        ["scripted", model],
        ["mirror", blind],
      ]),
    })
    const id = await newSession(house)
    const first = await say(house, id, [attachment("a.png", png(2, 2))])
    await house.host.idle()
    const choice = { provider_id: "mirror", model_id: "text" }
    const second = await say(house, id, "and now?", { model: choice })
    await house.host.idle()
    const [seeing, unseeing] = model.calls.map(({ prompt }) => prompt[0]?.blocks[0])
    expect(seeing).toMatchObject({ type: "image" })
    expect(unseeing).toMatchObject({ type: "text", text: expect.stringContaining("a.png") })
    const receipts = await house.host.store.receipts(id, second.claim?.turn.id ?? "")
    expect(receipts.map(({ message_id, outcome }) => [message_id, outcome])).toEqual([
      [first.message.id, "descriptor"],
      [second.message.id, "inlined"],
    ])
    await say(house, id, "still blind")
    await house.host.idle()
    expect((await house.host.store.latestTurn(id))?.model).toEqual(choice)
    expect((await house.host.store.session(id))?.model).toEqual(choice)
  })
})

describe("what a message refers to", () => {
  it("[BEY-01] leaves a receipt for each part with the turn", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const id = await newSession(house)
    await writeFile(join(house.workspace, "a.txt"), LINES)
    const { message, claim } = await say(house, id, [
      text("look"),
      fileRef("a.txt", { start: 2, end: 3 }),
      attachment("a.png", png()),
      fileRef("missing.txt"),
      { type: "mention", target: { kind: "skill", name: "pdf" } },
    ])
    await house.host.idle()
    const receipts = await house.host.store.receipts(id, claim?.turn.id ?? "")
    const byPart = message.parts.map(({ id }) => receipts.find(({ part }) => part === id)?.outcome)
    expect(byPart).toEqual(["inlined", "range", "native", "failed", "resolved-out"])
    expect(newestOf(house.model.calls[0])).toEqual([
      "look",
      expect.stringMatching(/two\nthree$/),
      "<image/png>",
      expect.stringContaining("missing.txt"),
    ])
  })

  it("[decision 4] is a range as it was at submit, and a whole file as it is at fire", async () => {
    const door = gate()
    const house = await openHouse({ script: [{ wait: door.wait }, { text: "ok" }] })
    const path = join(house.workspace, "a.txt")
    const id = await newSession(house)
    await writeFile(path, LINES)
    await say(house, id, "hold on")
    await say(house, id, [fileRef("a.txt", { start: 2, end: 2 }), fileRef("a.txt")])
    await writeFile(path, "ONE\nTWO\n")
    door.open()
    await house.host.idle()
    const [range, whole] = newestOf(house.model.calls[1])
    expect(range).toMatch(/\ntwo$/)
    expect(whole).toMatch(/ONE\nTWO\n$/)
    await writeFile(path, "changed again")
    await talk(house, id, "next")
    expect(sent(house, 2)[2]).toBe(sent(house, 1)[2])
  })

  it("[decision 4] [QUE-009] keeps an edited range as it was when it was edited, and one that was kept as it was when it was sent", async () => {
    const door = gate()
    const house = await openHouse({ script: [{ wait: door.wait }, { text: "ok" }] })
    const path = join(house.workspace, "a.txt")
    const id = await newSession(house)
    await writeFile(path, LINES)
    await say(house, id, "hold on")
    const first = fileRef("a.txt", { start: 1, end: 1 })
    const { message } = await say(house, id, [first, fileRef("a.txt", { start: 2, end: 2 })])
    await writeFile(path, "ONE\nTWO\n")
    await house.host.editQueued({
      session_id: id,
      message_id: message.id,
      parts: [first, fileRef("a.txt", { start: 1, end: 2 })],
    })
    await writeFile(path, "gone")
    door.open()
    await house.host.idle()
    const [kept, edited] = newestOf(house.model.calls[1])
    expect(kept).toMatch(/\none$/)
    expect(edited).toMatch(/\nONE\nTWO\n?$/)
  })

  it("[CMP-121] is shown by its text when this version does not know it", async () => {
    const house = await openHouse({ script: [{ text: "ok" }] })
    const id = await newSession(house)
    await house.host.submit({
      session_id: id,
      parts: [
        openPart({ type: "later-kind", text: "readable", more: 1 }),
        openPart({ type: "other-kind" }),
      ],
    })
    await house.host.idle()
    expect(newestOf(house.model.calls[0])).toEqual(["readable", "[unsupported part: other-kind]"])
  })
})
