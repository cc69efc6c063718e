import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import { admitPart } from "../../packages/engine/submit/admit.ts"
import { exported } from "../store/build.ts"
import { openDesk, partsIn, seen, typed, write } from "./house.ts"

const KEY = ["AKIA", "IOSFODNN7EXAMPL", "Q"].join("")
const HIDDEN = "[redacted: AWS access key]"

describe("what comes in", () => {
  it("[BEY-04] without its secrets when it is pasted, and the receipt says so", async () => {
    const desk = await openDesk()
    const sent = await typed(desk, `my key is ${KEY}, use it`)
    expect(partsIn(sent)[0]).toMatchObject({
      text: `my key is ${HIDDEN}, use it`,
      ingress: { verdict: "redacted", rule: "secret" },
    })
    expect((await seen(desk))[0]).toContain(HIDDEN)
    const [turn] = await desk.host.store.turns(desk.session)
    const [receipt] = await desk.host.store.receipts(desk.session, turn?.id ?? "")
    expect(receipt?.reason).toContain("AWS access key")
  })

  it("[BEY-04] without its secrets when a file is referred to, whole or by range", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.txt"), `one\nkey ${KEY}\n`)
    await typed(desk, "@a.txt and @a.txt#L2")
    const shown = (await seen(desk)).join("\n")
    expect(shown).not.toContain(KEY)
    expect(shown.split(HIDDEN)).toHaveLength(3)
  })

  it("[BEY-04] without its secrets from an editor", async () => {
    const desk = await openDesk()
    await desk.host.submit({
      session_id: desk.session,
      parts: [{ type: "editor-context", kind: "selection", payload: { text: KEY }, emitted_at: 1 }],
    })
    expect((await seen(desk))[0]).toContain(HIDDEN)
  })

  it("[BEY-04] not at all when a rule denies it: a reference, an attachment", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, ".env"), "A=1\n")
    const data = Buffer.from("x").toString("base64")
    const sent = await typed(desk, "@.env", {
      parts: [{ type: "file-attachment", name: "id_rsa", mime: "text/plain", data }],
    })
    expect(partsIn(sent).map(({ ingress }) => (ingress as { verdict: string }).verdict)).toEqual([
      "denied",
      "denied",
    ])
    expect(partsIn(sent)[1]).not.toHaveProperty("data")
    expect((await seen(desk)).every((text) => text.includes("not shown"))).toBe(true)
    const [turn] = await desk.host.store.turns(desk.session)
    const receipts = await desk.host.store.receipts(desk.session, turn?.id ?? "")
    expect(receipts.map(({ outcome, rule }) => [outcome, rule])).toEqual([
      ["denied", "BEY-04"],
      ["denied", "BEY-04"],
    ])
  })

  it("[BEY-04] with its secrets when who typed them says so, and the receipt tells it", async () => {
    const desk = await openDesk()
    const { message } = await desk.host.submit({
      session_id: desk.session,
      parts: [
        { type: "text", text: `use ${KEY}`, allow_secrets: true },
        { type: "text", text: `not ${KEY}` },
        {
          type: "editor-context",
          kind: "selection",
          payload: { text: KEY },
          emitted_at: 1,
          allow_secrets: true,
        },
      ],
    })
    const verdicts = message?.message.parts.map(({ data }) => data.ingress as { verdict: string })
    expect(verdicts?.map(({ verdict }) => verdict)).toEqual(["allowed", "redacted", "redacted"])
    expect((await seen(desk)).map((text) => text.includes(KEY))).toEqual([true, false, false])
    const [turn] = await desk.host.store.turns(desk.session)
    const [receipt] = await desk.host.store.receipts(desk.session, turn?.id ?? "")
    expect(receipt?.reason).toContain("let in with AWS access key (line 1), as its author asked")
  })

  it("[BEY-04] without them when the settings say that nobody may", async () => {
    const forbidding = policyOf({ allow_typed_secrets: false })
    const part = { type: "text", text: `use ${KEY}`, allow_secrets: true } as const
    expect(await admitPart(forbidding, part)).toMatchObject({ ingress: { verdict: "redacted" } })
    expect(await admitPart(policyOf(), { ...part, derived_from: "prt_1" })).toMatchObject({
      text: `use ${HIDDEN}`,
    })
    const denying = policyOf({ secrets: "deny" })
    expect(await admitPart(denying, part)).toMatchObject({ ingress: { verdict: "denied" } })
  })

  it("[BEY-04] [BEY-08] not at all when a rule denies what lies in an archive", async () => {
    const desk = await openDesk()
    const sent = await typed(desk, "@a.zip!/keys/id_rsa and @b.zip!/src/a.ts#L1-9 @c.pdf#page=3-7")
    expect(partsIn(sent).filter(({ type }) => type === "file-ref")).toMatchObject([
      { ref: { path: "a.zip", entry: "keys/id_rsa" }, ingress: { verdict: "denied" } },
      { ref: { path: "b.zip", entry: "src/a.ts", range: { start: 1, end: 9 } } },
      { ref: { path: "c.pdf", fragment: { unit: "page", start: 3, end: 7 } } },
    ])
  })

  it("[BEY-04] nowhere on disk when it was removed", async () => {
    const desk = await openDesk()
    await typed(desk, `key ${KEY}`)
    await typed(desk, `/search ${KEY}`)
    await typed(desk, `/nope ${KEY}`)
    await desk.host.idle()
    const rows = JSON.stringify(await exported(desk.host.store))
    expect(rows).not.toContain(KEY)
  })
})

describe("a draft", () => {
  it("[BEY-10] is one row, and what lost against another is stashed", async () => {
    const { host, session: session_id } = await openDesk()
    const save = (base_revision: number, body_json: string, updated_by: string) =>
      host.store.saveDraft({ session_id, base_revision, body_json, updated_by })
    expect(await save(0, '{"source":"a"}', "web")).toMatchObject({ type: "saved", revision: 1 })
    expect(await save(1, '{"source":"ab"}', "web")).toMatchObject({ type: "saved", revision: 2 })
    expect(await save(1, '{"source":"ax"}', "tui")).toMatchObject({
      type: "stashed",
      current: { revision: 2, body_json: '{"source":"ab"}' },
    })
    expect(await host.store.stashedDrafts(session_id)).toMatchObject([
      { body_json: '{"source":"ax"}', updated_by: "tui" },
    ])
    const { next_seq } = await host.store.head(session_id)
    const [told] = await host.store.events(session_id, next_seq - 1, 1)
    expect(told).toMatchObject({ type: "draft", value: { revision: 2, updated_by: "web" } })
  })
})
