import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { StatementBatch } from "../../packages/engine/store/postgres/statement-batch.ts"
import { FOR_GROUPS, PostgresLink } from "../../packages/engine/store/postgres/link.ts"
import { mergeStatements } from "../../packages/engine/store/postgres/merging.ts"
import type { Value } from "../../packages/engine/store/sql/program.ts"
import { missing } from "../machine.ts"
import { many, newRoom, onPostgres, openNode } from "../postgres.ts"
import { begin, enqueue, OWNER, textMessage } from "./build.ts"

const INSERT = "INSERT INTO kept (id, words, number, share) VALUES (?, ?, ?, ?)"
const UPDATE = "UPDATE kept SET words = ?, number = number + ?, share = ? WHERE id = ?"
const SELECT = "SELECT id, words, number, share FROM kept WHERE id = ? OR words = ? ORDER BY id"

describe.skipIf(missing("postgresql"))("statements of a group", () => {
  onPostgres()

  async function opened(): Promise<PostgresLink> {
    const link = await PostgresLink.open(await newRoom(), "a test", FOR_GROUPS)
    onTestFinished(() => link.close())
    await link.say(`CREATE TABLE kept
      (id TEXT PRIMARY KEY, words TEXT, number BIGINT, share DOUBLE PRECISION)`)
    return link
  }

  /** What each is told; apart, each by an operation of its own. */
  async function told(link: PostgresLink, sql: string, rows: readonly Value[][], apart: boolean) {
    const gathering = new StatementBatch(link)
    gathering.begin()
    const one = gathering.share()
    const answers = rows.map(async (values) => {
      const share = apart ? gathering.share() : one
      if (sql.startsWith("UPDATE")) return share.write(sql, ...values)
      const outcomes = await share.ask([{ sql, values }])
      return outcomes?.map(({ rows, count }) => ({ rows, count }))
    })
    const known = await Promise.all(answers)
    await gathering.commit()
    expect(gathering.failure).toBeUndefined()
    return known
  }

  it("do together what they do one by one", async () => {
    const link = await opened()
    const words = fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constant('"\\{},\0')))
    const share = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }))
    const row = fc.record({ words, number: fc.maxSafeInteger(), share })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 6 }), async (made) => {
        const kept = made.map((row, at) => [`r${at}`, row.words, row.number % 1000, row.share])
        const changed = made.map(({ words, share }, at) => [words, 1, share, `r${at}`])
        const asked = made.map(({ words }, at) => [`r${at}`, words])
        const seen = []
        for (const apart of [true, false]) {
          await link.say("DELETE FROM kept")
          const entered = await told(link, INSERT, kept, apart)
          await told(link, UPDATE, changed, apart)
          seen.push([entered.map((one) => one?.[0]?.count), await told(link, SELECT, asked, apart)])
        }
        expect(seen[0]).toEqual(seen[1])
      }),
      { numRuns: 60 },
    )
  })

  it("are one only where each is about another row", () => {
    const two = (id: string) =>
      mergeStatements(
        UPDATE,
        [
          ["a", 1, null, "x"],
          ["b", 2, null, id],
        ],
        false,
      )
    expect(two("y")?.sql).toContain("kept.id = given.v3")
    expect(two("x")).toBeUndefined()
    expect(mergeStatements("SELECT 1 FROM kept LIMIT ?", [[1], [2]], true)).toBeUndefined()
    expect(mergeStatements("DELETE FROM kept WHERE id = ?", [["x"], ["y"]], false)).toBeUndefined()
  })

  it("refuse one of them and do the others", async () => {
    const store = await openNode(await newRoom())
    const sessions = await many(20, () => begin(store))
    const [first] = sessions
    if (!first) throw new Error("there are sessions")
    const taken = newId("msg")
    await store.append({ ...textMessage(first.id, "first"), message_id: taken })
    const sent = await Promise.allSettled(
      sessions.map(({ id }, at) => {
        const message = textMessage(id, `m${at}`)
        return store.append(at === 7 ? { ...message, message_id: taken } : message)
      }),
    )
    const failed = sent.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))
    expect(failed).toEqual([7])
  })

  it("[QUE-001] keep every session's order and numbers, however many go together", async () => {
    const store = await openNode(await newRoom())
    const sessions = await many(24, () => begin(store))
    for (const words of ["one", "two", "three"])
      await Promise.all(sessions.map(({ id }) => enqueue(store, id, words)))
    await Promise.all(
      sessions.map(async ({ id }) => {
        const fences: number[] = []
        let claim = await store.claim({ session_id: id, owner: OWNER })
        while (claim) {
          const { id: turn_id, fence } = claim.turn
          fences.push(fence)
          const end = { turn_id, fence, state: "finished", usage: null, error: null } as const
          claim = (await store.endTurn({ ...end, answer: null, owner: OWNER })).next
        }
        expect(fences).toEqual([1, 2, 3])
        const events = await store.events(id, 0, 1000)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at))
      }),
    )
  })
})
