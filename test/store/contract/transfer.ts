import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { ExportRow, Store } from "../../../packages/engine/store/store.ts"
import {
  allEvents,
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
  saidIn,
  waitingIn,
} from "../build.ts"

export function transferContract(maker: Maker) {
  describe("export and import", () => {
    it("[DBG-002] write the same rows again, in the documented order", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { first, second, branch } = await folderOf(from)
      const rows = await exported(from)
      expect(await to.importRows({ rows })).toEqual({
        rows: rows.length,
        held: [first],
        renamed: [],
      })
      expect(await exported(to)).toEqual(rows)
      for (const id of [first, second, branch]) {
        expect(await saidIn(to, id)).toEqual(await saidIn(from, id))
        expect(await waitingIn(to, id)).toEqual(await waitingIn(from, id))
        const drain = id === first ? "stopped" : "open"
        expect(await to.session(id)).toEqual({ ...(await from.session(id)), drain })
        const [told] = await allEvents(to, id)
        expect(told).toMatchObject({ seq: 0, type: "session", key: id })
      }
      expect(await to.sessionHasBlob(first, blobOf("a").content_id)).toBe(true)
      expect(await to.sessionHasBlob(second, blobOf("a").content_id)).toBe(false)
      expect(orderOf(rows)).toEqual(orderOf(rows).toSorted(bySession))
    })

    it("[DBG-001] go on where they left off", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const { first, branch } = await folderOf(from)
      await to.importRows({ rows: await exported(from) })
      for (const store of [from, to]) await exchange(store, branch, "on", "we go")
      expect(await saidIn(to, branch)).toEqual(await saidIn(from, branch))
      const fences = async (store: Store) =>
        (await store.turns(branch)).map(({ fence, attempt }) => [fence, attempt])
      expect(await fences(to)).toEqual(await fences(from))
      const { claim } = await fire(to, first, "behind", { mode: "steer" })
      expect(claim.turn.session_id).toBe(first)
    })

    it("[DBG-002] write what sessions are as entities, and tell of it", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      const [desk, other] = [await spawn(from, "desk"), await spawn(from, "other")]
      const row = { session_id: desk, effect: null, collection: "notes", event_type: "note" }
      for (const key of ["b", "a", "B", 'say "a"'])
        await from.writeRow({ ...row, key, operation: "insert", value: { id: key } })
      await from.reserveKey({ session_id: desk, key: "mine", message_id: newId("msg") })
      const register = { type: "register", owner: "handler", command: { name: "more" } } as const
      await from.changeCommands({ session_id: desk, effect: null, changes: [register] })
      const { claim } = await fire(from, other, "look")
      const effect = {
        turn_id: claim.turn.id,
        fence: claim.turn.fence,
        wake: claim.turn.message_id,
      }
      const deed = { ...effect, ordinal: 0, kind: "observe" }
      await from.observe({ observer: other, observed: desk, collections: ["note"], effect: deed })
      await finish(from, claim.turn, null, { owner: OWNER })
      const rows = await exported(from)
      await to.importRows({ rows })
      expect(JSON.stringify(await exported(to))).toBe(JSON.stringify(rows))
      expect(await to.slashCommands(desk)).toEqual(await from.slashCommands(desk))
      const told = (await allEvents(to, desk)).map(({ type, key }) => [type, key])
      expect(told).toContainEqual(["note", 'say "a"'])
      expect(await to.observationsOf(desk)).toMatchObject([{ observer: other, seen: told.length }])
    })

    it("gives one session alone when it is asked to", async () => {
      const store = await openStore(maker)
      const { first } = await folderOf(store)
      const rows = await exported(store, first)
      expect(rows.filter(({ type }) => type === "session").map(({ data }) => data.id)).toEqual([
        first,
      ])
      expect(rows.map(({ type }) => type)).toContain("blob")
      const alone = await openStore(maker)
      await alone.importRows({ rows })
      expect(await saidIn(alone, first)).toEqual(await saidIn(store, first))
    })

    it("writes all or nothing, and names what does not fit", async () => {
      const [from, to] = [await openStore(maker), await openStore(maker)]
      await folderOf(from)
      const rows = await exported(from)
      const message = rows.findIndex(({ type }) => type === "message")
      const refused = async (broken: ExportRow[], code: string, text: string) => {
        await expect(to.importRows({ rows: broken })).rejects.toMatchObject({
          code,
          message: expect.stringContaining(text),
        })
        expect(await exported(to)).toEqual([])
      }
      await refused([...rows, rows[message] as ExportRow], "conflict", `line ${rows.length + 1}`)
      await refused(
        rows.with(message, changed(rows[message], { state: null })),
        "invalid",
        "line 2",
      )
      await refused(rows.with(message, changed(rows[message], { more: 1 })), "invalid", "more")
      await refused(
        rows.with(message, changed(rows[message], { session_id: newId("ses") })),
        "invalid",
        "line 2",
      )
      await to.importRows({ rows })
      await expect(to.importRows({ rows })).rejects.toMatchObject({ code: "conflict" })
      expect(await exported(to)).toEqual(rows)
    })
  })
}

/** A folder with an exchange, a queue, something cancelled, a branch and a blob. */
async function folderOf(store: Store) {
  const [one, two] = [await begin(store, { title: "one" }), await begin(store, { title: "two" })]
  await exchange(store, one.id, "hello", "hi")
  await exchange(store, two.id, "bonjour", "salut")
  const { session } = await store.branch({
    id: newId("ses"),
    parent_id: two.id,
    from_message_id: null,
    title: null,
    metadata: {},
  })
  await exchange(store, session.id, "hola", "buenas")
  await enqueue(store, one.id, "waits", { parts: [blobPart(blobOf("a"))] })
  await enqueue(store, one.id, "held", { mode: "paused" })
  const cancelled = await enqueue(store, one.id, "cancelled")
  await store.cancelQueued({ session_id: one.id, message_id: cancelled.id })
  return { first: one.id, second: two.id, branch: session.id }
}

async function spawn(store: Store, name: string): Promise<string> {
  const id = newId("ses")
  const model = { provider_id: "scripted", model_id: "scripted" }
  const session = { id, agent: "keeper", title: name, workspace_root: null, model, metadata: {} }
  await store.spawnEntity({
    session: { ...session, principal: null },
    type: "keeper",
    name,
    args: null,
    tags: {},
    parent: null,
    spawned_by: null,
    commands: [{ name: "note" }],
    commands_digest: "sha256:commands",
    wake: null,
  })
  return id
}

function changed(row: ExportRow | undefined, data: ExportRow["data"]): ExportRow {
  if (!row) throw new Error("there is no such row")
  return { ...row, data: { ...row.data, ...data } }
}

const TYPES = ["session", "message", "turn", "receipt", "capture", "system_prompt", "blob"]

/** Where each row stands: its session, then its kind; parts stand behind their messages. */
function orderOf(rows: readonly ExportRow[]) {
  const shared = "~"
  return rows
    .filter(({ type }) => type !== "part")
    .map(({ type, data }) => ({
      session: String(type === "session" ? data.id : (data.session_id ?? shared)),
      type: TYPES.indexOf(type),
    }))
}

type Place = ReturnType<typeof orderOf>[number]

function bySession(left: Place, right: Place): number {
  if (left.session !== right.session) return left.session < right.session ? -1 : 1
  return left.type - right.type
}
