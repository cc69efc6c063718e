import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { base64Length } from "../../packages/core/model/media-types.ts"
import { type PlannedMedia, plan, REQUEST_RESERVE_BYTES } from "../../packages/core/file/plan.ts"
import { type Capabilities, capabilitiesFrom } from "../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { API_LIMITS } from "../../packages/core/wires/wires.ts"

const anthropic = capabilitiesOfApi("anthropic-messages")
const bedrock = capabilitiesOfApi("bedrock-converse")
const small = capabilitiesFrom({
  api: "anthropic-messages",
  input: ["text", "image", "pdf"],
  tools: true,
  context_tokens: 10_000,
  tables: API_LIMITS,
  layers: [],
})
const NONE: ReadonlySet<string> = new Set()

function images(count: number, seq = (at: number) => at, more: Partial<PlannedMedia> = {}) {
  return Array.from(
    { length: count },
    (_, at): PlannedMedia => ({
      part_id: `p${at}`,
      kind: "image",
      bytes: 1000,
      tokens: 10,
      seq: seq(at),
      ...more,
    }),
  )
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `p${from + at}`)

describe("plan", () => {
  it("leaves what fits, and says so by giving back what it was given", () =>
    expect(plan(images(20), bedrock, NONE)).toBe(NONE))

  it("[VIS-002] demotes the oldest, down to half of the limit", () =>
    expect([...plan(images(21), bedrock, NONE)]).toEqual(ids(0, 11)))

  it("demotes no more of the newest message than it must, its last first", () =>
    expect([
      ...plan(
        images(23, () => 1),
        bedrock,
        NONE,
      ),
    ]).toEqual(["p22", "p21", "p20"]))

  it("gives up older media before any of the newest message", () =>
    expect([
      ...plan(
        images(22, (at) => (at < 2 ? 1 : 2)),
        bedrock,
        NONE,
      ),
    ]).toEqual(["p0", "p1"]))

  it("keeps a request below its bytes", () => {
    const papers = images(5, (at) => at, { kind: "pdf", bytes: 7 * 1024 * 1024 })
    expect([...plan(papers, anthropic, NONE)]).toEqual(["p0", "p1", "p2", "p3"])
  })

  it("keeps media below half of the context", () =>
    expect([
      ...plan(
        images(6, (at) => at, { tokens: 1000 }),
        small,
        NONE,
      ),
    ]).toEqual(ids(0, 4)))

  it("demotes large images where there are many, older ones first", () => {
    const many = [
      ...images(20, (at) => at, { side: 3000 }),
      { ...(images(1)[0] as PlannedMedia), part_id: "new", seq: 99, side: 3000 },
    ]
    expect([...plan(many, anthropic, NONE)]).toEqual(ids(0, 20))
    expect(plan(many.slice(1), anthropic, NONE)).toBe(NONE)
    expect([
      ...plan(
        images(25, () => 1, { side: 3000 }),
        anthropic,
        NONE,
      ),
    ]).toHaveLength(25)
  })

  const medium = fc.record({
    part_id: fc.integer({ min: 0, max: 60 }).map((at) => `p${at}`),
    kind: fc.constantFrom("image", "pdf", "office", "audio", "video"),
    bytes: fc.integer({ min: 0, max: 9 * 1024 * 1024 }),
    tokens: fc.integer({ min: 0, max: 9000 }),
    seq: fc.integer({ min: 0, max: 30 }),
    side: fc.option(fc.integer({ min: 1, max: 8000 }), { nil: undefined }),
  }) satisfies fc.Arbitrary<PlannedMedia>
  const history = fc.array(medium, { maxLength: 60 })
  const model = fc.constantFrom(anthropic, bedrock, small, capabilitiesOfApi("openai-responses"))

  it("is always within the limits, and demotes only what it was told of", () =>
    fc.assert(
      fc.property(history, model, (media, capabilities) => {
        const demoted = plan(media, capabilities, NONE)
        const left = media.filter(({ part_id }) => !demoted.has(part_id))
        expect(faults(left, capabilities)).toEqual([])
        for (const id of demoted) expect(media.some(({ part_id }) => part_id === id)).toBe(true)
      }),
      { numRuns: 500 },
    ))

  it("only grows, and is settled at once", () =>
    fc.assert(
      fc.property(history, model, fc.array(fc.nat(60)), (media, capabilities, before) => {
        const kept = new Set(before.map((at) => `p${at}`))
        const demoted = plan(media, capabilities, kept)
        for (const id of kept) expect(demoted.has(id)).toBe(true)
        expect(plan(media, capabilities, demoted)).toBe(demoted)
      }),
      { numRuns: 500 },
    ))

  it("keeps a prefix: in a long session it changes once for every half of a limit", () => {
    let kept: ReadonlySet<string> = NONE
    let changes = 0
    const all = images(400)
    for (let count = 1; count <= all.length; count++) {
      const next = plan(all.slice(0, count), bedrock, kept)
      if (next !== kept) changes += 1
      kept = next
    }
    // 20 fit; each change leaves 10, so that the eleventh after it brings the next.
    expect(changes).toBe(35)
    expect(kept.size).toBe(385)
  })

  it("does not depend on the order in which media are told", () =>
    fc.assert(
      fc.property(fc.uniqueArray(medium, { selector: ({ seq }) => seq }), (media) => {
        const told = (list: readonly PlannedMedia[]) => [...plan(list, bedrock, NONE)].sort()
        expect(told(media.toReversed())).toEqual(told(media))
      }),
    ))

  it("is quick enough to run before every request", () => {
    const all = images(10_000)
    const start = performance.now()
    plan(all, capabilitiesOfApi("gemini-generatecontent"), NONE)
    expect(performance.now() - start).toBeLessThan(500)
  })
})

function faults(left: readonly PlannedMedia[], capabilities: Capabilities): string[] {
  const sum = (list: readonly PlannedMedia[], of: (medium: PlannedMedia) => number) =>
    list.reduce((total, medium) => total + of(medium), 0)
  const found: string[] = []
  for (const [kind, limits] of Object.entries(capabilities.media)) {
    const those = left.filter((medium) => medium.kind === kind)
    if (those.length > (limits.max_count ?? Infinity)) found.push(`${kind} count`)
    if (sum(those, ({ bytes }) => bytes) > (limits.max_total_bytes ?? Infinity))
      found.push(`${kind} bytes`)
    const { crowded } = limits
    if (crowded && those.length > crowded.count)
      if (those.some(({ side = 0 }) => side > crowded.max_side_pixels)) found.push("crowd")
  }
  const room = capabilities.max_request_bytes - REQUEST_RESERVE_BYTES
  if (sum(left, ({ bytes }) => base64Length(bytes)) > room) found.push("request")
  const { context_tokens } = capabilities
  if (context_tokens > 0 && sum(left, ({ tokens }) => tokens) > context_tokens / 2)
    found.push("tokens")
  return found
}
