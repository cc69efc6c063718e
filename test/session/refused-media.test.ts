import { describe, expect, it } from "vitest"
import { attachment, png, text } from "../build.ts"
import { anthropicHouse, OPUS, type Refusal, SONNET, type Spoken } from "./anthropic.ts"
import { newSession, say, transcript } from "./house.ts"

const POISON = png(13, 13)
const GOOD = png(2, 3)
const OTHER = png(4, 5)

function holds(body: object, bytes: Buffer): boolean {
  return JSON.stringify(body).includes(bytes.toString("base64"))
}

/** A model that will not take one picture, and says where it is or does not. */
function refusing(where: (body: Body) => string, models: readonly string[] = [SONNET.model_id]) {
  return (body: Body): Spoken | Refusal => {
    if (!models.includes(body.model) || !holds(body, POISON)) return { text: "I see." }
    return { status: 400, message: `${where(body)}Could not process image` }
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

function placeIn(body: Body): string {
  for (const [at, { content }] of body.messages.entries())
    for (const [index, block] of content.entries())
      if (holds(block, POISON)) return `messages.${at}.content.${index}.image.source.base64.data: `
  throw new Error("it is not there")
}

describe("a model that refuses a picture", () => {
  it("[BEY-02] answers without it, is not sent it again, and another model is", async () => {
    const { house, bodies } = await anthropicHouse(refusing(placeIn))
    const id = await newSession(house)
    const sent = await say(
      house,
      id,
      [text("what is this?"), attachment("bad.png", POISON), attachment("good.png", GOOD)],
      { model: SONNET },
    )
    await house.host.idle()
    expect(bodies.map((body) => [holds(body, POISON), holds(body, GOOD)])).toEqual([
      [true, true],
      [false, true],
    ])
    const turn = await house.host.store.latestTurn(id)
    expect(turn).toMatchObject({ state: "finished", error: null })
    expect(turn?.notices).toEqual([
      expect.stringMatching(/Claude Sonnet 5\.5 would not take bad\.png .*Could not process image/),
    ])
    const receipts = await house.host.store.receipts(id, turn?.id ?? "")
    const byPart = sent.message.parts.map(({ id }) => receipts.find(({ part }) => part === id))
    expect(byPart).toMatchObject([
      { outcome: "inlined" },
      { outcome: "descriptor", rule: "BEY-02", reason: expect.stringContaining("refused") },
      { outcome: "native" },
    ])
    expect(await transcript(house, id)).toHaveLength(2)

    await say(house, id, "and now?")
    await house.host.idle()
    expect(bodies).toHaveLength(3)
    expect(holds(bodies[2], POISON)).toBe(false)
    expect((await house.host.store.latestTurn(id))?.notices).toEqual([])
    // What was sent before stays as it was, to the byte.
    const prefix = JSON.stringify(bodies[1].messages[0].content.slice(0, 2))
    expect(JSON.stringify(bodies[2].messages[0].content.slice(0, 2))).toBe(prefix)

    await say(house, id, "what does another see?", { model: OPUS })
    await house.host.idle()
    expect(bodies.map(({ model }) => model).at(-1)).toBe(OPUS.model_id)
    expect(holds(bodies[3], POISON)).toBe(true)
  })

  it("[BEY-02] remembers it in other sessions and after a restart", async () => {
    const { house, bodies } = await anthropicHouse(refusing(placeIn))
    const first = await newSession(house)
    await say(house, first, [attachment("bad.png", POISON)], { model: SONNET })
    await house.host.idle()
    const second = await newSession(house)
    await say(house, second, [text("again"), attachment("copy.png", POISON)], { model: SONNET })
    await house.host.idle()
    expect(bodies.map((body) => holds(body, POISON))).toEqual([true, false, false])
    await house.host.close()
    const later = await anthropicHouse(refusing(placeIn), { data: house.data })
    await say(later.house, first, "still there?")
    await later.house.host.idle()
    expect(later.bodies.map((body) => holds(body, POISON))).toEqual([false])
  })

  it("[BEY-02] gives up what is new when nobody says which one it was", async () => {
    const { house, bodies } = await anthropicHouse(refusing(() => ""))
    const id = await newSession(house)
    await say(house, id, [attachment("old.png", GOOD)], { model: SONNET })
    await house.host.idle()
    await say(house, id, [attachment("bad.png", POISON), attachment("other.png", OTHER)])
    await house.host.idle()
    const sent = bodies.map((body) => [GOOD, POISON, OTHER].map((bytes) => holds(body, bytes)))
    expect(sent).toEqual([
      [true, false, false],
      [true, true, true],
      [true, false, false],
    ])
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
  })

  it("[BEY-02] is sent no picture at all before a session ends for one", async () => {
    const broken = (body: Body): Spoken | Refusal =>
      [GOOD, OTHER].some((bytes) => holds(body, bytes))
        ? { status: 400, message: "image exceeds what I like" }
        : { text: "fine" }
    const open = { pictures: true }
    const { house, bodies } = await anthropicHouse((body) =>
      open.pictures ? { text: "fine" } : broken(body),
    )
    const id = await newSession(house)
    await say(house, id, [attachment("old.png", GOOD)], { model: SONNET })
    await house.host.idle()
    open.pictures = false
    await say(house, id, [attachment("new.png", OTHER)])
    await house.host.idle()
    expect(bodies).toHaveLength(4)
    expect((await house.host.store.latestTurn(id))?.state).toBe("finished")
    expect((await house.host.store.latestTurn(id))?.notices).toHaveLength(2)
  })

  it("fails as before when the fault is another", async () => {
    const { house, bodies } = await anthropicHouse(() => ({
      status: 400,
      message: "max_tokens: must be less",
    }))
    const id = await newSession(house)
    await say(house, id, [attachment("good.png", GOOD)], { model: SONNET })
    await house.host.idle()
    expect(bodies).toHaveLength(1)
    expect(await house.host.store.latestTurn(id)).toMatchObject({
      state: "error",
      error: { message: "max_tokens: must be less" },
      notices: [],
    })
    expect(await house.host.store.refusals("anthropic-messages", SONNET.model_id)).toEqual([])
  })
})
