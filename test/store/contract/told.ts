import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import { allOf, sinceCompaction } from "../../../packages/engine/turns/compaction.ts"
import type { ExportRow, Store } from "../../../packages/engine/store/store.ts"
import {
  ask,
  begin,
  blobOf,
  blobPart,
  enqueue,
  exchange,
  exported,
  finish,
  fire,
  type Maker,
  openStore,
  OWNER,
  textPart,
} from "../build.ts"

type Kind = "said" | "answered" | "marker" | "forged" | "broken"

interface Drawn {
  readonly kind: Kind
  /** Which message a marker names as the first of its tail; beyond them all, one that is not there. */
  readonly tail: number | null
}

const message = fc.record<Drawn>({
  kind: fc.constantFrom("said", "answered", "said", "answered", "marker", "forged", "broken"),
  tail: fc.option(fc.nat(30)),
})

/** What a turn reads of a history: as much as a model is told, and not more. */
export function toldContract(maker: Maker) {
  describe("what a model is told of a history", () => {
    it("[SES-030] is the same whether all of it is read or only its end", async () => {
      const store = await openStore(maker)
      const template = await templateOf(store)
      const drawn = fc.record({
        before: fc.array(message, { maxLength: 12 }),
        after: fc.array(message, { maxLength: 12 }),
        branched: fc.nat(12),
        hidden: fc.nat(3),
      })
      await fc.assert(
        fc.asyncProperty(drawn, async ({ before, after, branched, hidden }) => {
          const { rows, sessions, messages } = drawnRows(template, {
            before,
            after,
            branched,
            hidden,
          })
          await store.importRows({ rows })
          for (const id of sessions) {
            const whole = await store.rawHistory(id)
            const end = await store.toldHistory(id, null)
            expect(allOf(sinceCompaction(end))).toEqual(allOf(sinceCompaction(whole)))
            expect(end).toEqual(whole.slice(whole.length - end.length))
            const { summary, messages: told } = sinceCompaction(whole)
            // The tail, the summary itself and what was said since.
            if (summary) expect(end.length).toBe(told.length + 1)
            for (const including of messages) {
              const at = whole.findIndex((one) => one.id === including)
              const wider = await store.toldHistory(id, including)
              const from =
                at < 0 ? whole.length - end.length : Math.min(at, whole.length - end.length)
              expect(wider).toEqual(whole.slice(from))
            }
          }
        }),
        { numRuns: 40 },
      )
    })

    it("[CMP-098] finds the parts of one type, and those that refer to bytes, by the path", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      const [a, b] = [blobOf("a"), blobOf("b")]
      const attached = (blob: typeof a) => ({ ...blobPart(blob), type: "file-attachment" })
      const { claim } = await fire(store, id, "", { parts: [textPart("see"), attached(a)] })
      const message_id = await ask(store, claim.turn)
      await finish(store, claim.turn, { message_id, text: "seen" }, { owner: OWNER })
      const branch = await store.branch({
        id: newId("ses"),
        parent_id: id,
        from_message_id: null,
        title: null,
        metadata: {},
      })
      const second = await fire(store, id, "", { parts: [attached(b)] })
      await enqueue(store, id, "", { parts: [attached(a)] })
      const carried = await store.carriedParts(id, "file-attachment")
      expect(carried.map(({ seq }) => seq)).toEqual([1, 3])
      expect((await store.carriedParts(id, "file-attachment", 1)).map(({ seq }) => seq)).toEqual([
        3,
      ])
      expect((await store.carriedParts(branch.session.id, "file-attachment")).length).toBe(1)
      const named = async (session: string, prefix: string) =>
        (await store.partsReferring(session, prefix)).map((part) => part.id)
      const [first, last] = carried.map((part) => part.id)
      expect(await named(id, a.content_id.slice(0, 23))).toEqual([first])
      expect(await named(id, b.content_id)).toEqual([last])
      expect(await named(id, "sha256:")).toEqual([first, last])
      expect(await named(branch.session.id, "sha256:")).toEqual([first])
      expect(second.claim.turn.state).toBe("running")
    })

    it("[SES-040] knows the turn that a model was last asked in", async () => {
      const store = await openStore(maker)
      const { id } = await begin(store)
      expect(await store.lastAsked(id)).toBeNull()
      await exchange(store, id, "one", "1")
      const finished = (await store.latestTurn(id))?.id
      const { claim } = await fire(store, id, "two")
      expect((await store.lastAsked(id))?.id).toBe(finished)
      await ask(store, claim.turn)
      expect((await store.lastAsked(id))?.id).toBe(claim.turn.id)
      expect((await store.lastAsked(id, "finished"))?.id).toBe(finished)
    })
  })
}

async function templateOf(store: Store): Promise<ExportRow["data"]> {
  const { id } = await begin(store)
  const [row] = await exported(store, id)
  if (!row) throw new Error("a session has a row")
  return row.data
}

interface Shape {
  readonly before: readonly Drawn[]
  readonly after: readonly Drawn[]
  /** Up to which message of the parent the branch sees. */
  readonly branched: number
  /** How many of the branch's own first messages are rewound. */
  readonly hidden: number
}

/** A session, and a branch of it with a rewind. */
function drawnRows(template: ExportRow["data"], { before, after, branched, hidden }: Shape) {
  const [parent, branch] = [newId("ses"), newId("ses")]
  const ids = [...before, ...after].map(() => newId("msg"))
  const tails = (tail: number | null) => (tail === null ? null : (ids[tail] ?? newId("msg")))
  const rowsOf = (session: string, all: readonly Drawn[], at: number) =>
    all.flatMap((one, more) =>
      messageRows(session, { ...one, id: ids[at + more] ?? "", seq: at + more + 1 }, tails),
    )
  const [end, start] = [Math.min(branched, before.length), before.length + 1]
  const path = [
    ...(end > 0 ? [{ owner: parent, from: 1, to: end }] : []),
    { owner: branch, from: start + hidden, to: null },
  ]
  const session = (id: string, path_json: string): ExportRow => ({
    type: "session",
    data: { ...template, id, path_json, next_seq: 100 },
  })
  const rows = [
    session(parent, JSON.stringify([{ owner: parent, from: 1, to: null }])),
    ...rowsOf(parent, before, 0),
    session(branch, JSON.stringify(path)),
    ...rowsOf(branch, after, before.length),
  ]
  return { rows, sessions: [parent, branch], messages: ids }
}

type Placed = Drawn & { readonly id: string; readonly seq: number }

function messageRows(
  session_id: string,
  { kind, tail, id, seq }: Placed,
  tails: (tail: number | null) => string | null,
): ExportRow[] {
  const when = { created_at: seq, updated_at: seq }
  const role = kind === "said" || kind === "forged" ? "user" : "assistant"
  const about = { id, session_id, role, metadata_json: "{}", state: "fired", seq }
  const marker = { type: "data-compaction", summary: `as of ${seq}`, tail_start_id: tails(tail) }
  const whole = { ...marker, auto: true, summary_tokens: 3 }
  const data =
    kind === "marker" || kind === "forged"
      ? whole
      : kind === "broken"
        ? marker
        : { type: "text", text: `${seq}` }
  const part = { id: newId("prt"), message_id: id, session_id, index: 0, type: data.type }
  return [
    { type: "message", data: { ...about, ...when } },
    { type: "part", data: { ...part, data_json: JSON.stringify(data), ...when } },
  ]
}
