import assert from "node:assert/strict"
import { newId } from "../../packages/core/message/id.ts"
import type { Ending, PLAIN } from "./session-actions.ts"
import { type Described, isSteer, keyOf, type Live, OWNER, stopped } from "./session-lists.ts"
import { type Done, fired, over, type World } from "./session-world.ts"

export type TurnAction = Exclude<(typeof PLAIN)[number], "unrewind">

export async function run(world: World, session: Described, what: TurnAction): Done {
  const { live } = session
  if (what === "claim") {
    const claim = await world.stage.store.claim({ session_id: session.id, owner: OWNER })
    fired(world, session, claim, live !== null)
    return true
  }
  if (!live || live.waiting !== (what === "resolve")) return false
  await ACTIONS[what](world, session, live)
  return true
}

const ACTIONS: Readonly<
  Record<
    Exclude<TurnAction, "claim">,
    (world: World, session: Described, live: Live) => Promise<unknown>
  >
> = { ask, step, boundary, wait, resolve, crash }

async function ask({ stage }: World, session: Described, { turn }: Live): Promise<string> {
  const message_id = newId("msg")
  await stage.store.recordRequest({
    ...keyOf(turn),
    api: "scripted",
    capabilities_revision: "1",
    system_prompt: { digest: "sha256:system", body: "Be kind." },
    tool_catalog: { digest: "sha256:tools", body: "[]" },
    receipts: [],
    captures: [],
    answer: { message_id, metadata: { turn_id: turn.id } },
  })
  session.said = [...session.said, message_id]
  return message_id
}

async function step(world: World, session: Described, live: Live) {
  const message_id = await ask(world, session, live)
  const data = { type: "tool-do", tool_call_id: "c1", state: "input-available", input: {} }
  const part = { id: newId("prt"), index: 0, type: data.type, data_json: JSON.stringify(data) }
  const parts = [{ ...part, tool_call_id: "c1", tool_state: data.state }]
  const answer = { message_id, metadata: { finish: "tool-call" }, parts }
  await world.stage.store.endAnswer({ ...keyOf(live.turn), answer, usage: null })
}

async function boundary({ stage }: World, session: Described, { turn }: Live) {
  const { steered } = await stage.store.takeSteers(keyOf(turn))
  takeSteers(session, steered)
}

function takeSteers(session: Described, steered: readonly string[]) {
  const expected = session.queue.filter(isSteer)
  assert.deepEqual(
    steered,
    expected.map(({ id }) => id),
  )
  session.queue = session.queue.filter((one) => !isSteer(one))
  session.said = [...session.said, ...steered]
}

async function wait(world: World, session: Described, live: Live) {
  await step(world, session, live)
  const wait = { call_id: "c1", tool: "do", for: "approval" } as const
  await world.stage.store.waitFor({ ...keyOf(live.turn), waiting: [{ ...wait, asks: [] }] })
  world.stale.push(live.turn)
  live.waiting = true
}

async function resolve({ stage }: World, session: Described, { turn }: Live) {
  const { claim } = await stage.store.resolveCall({
    session_id: session.id,
    turn_id: turn.id,
    call_id: "c1",
    resolution: { type: "approve" },
    rules: [],
    owner: OWNER,
  })
  assert.ok(claim && claim.turn.fence > turn.fence)
  session.live = { turn: claim.turn, waiting: false }
}

/** The process is gone, and whoever opens the folder next takes its turn over. */
async function crash(world: World, session: Described, live: Live) {
  await world.stage.reopen()
  const { store } = world.stage
  const found = (await store.liveTurns()).find(({ turn }) => turn.id === live.turn.id)
  const { next } = await store.interrupt({
    ...keyOf(live.turn),
    beat: found?.beat ?? -1,
    owner: OWNER,
    refire: true,
  })
  const { turn } = live
  over(world, session, live)
  if (turn.attempt >= 3) return fired(world, session, next)
  assert.deepEqual([next?.turn.message_id, next?.turn.attempt], [turn.message_id, turn.attempt + 1])
  if (next) session.live = { turn: next.turn, waiting: false }
}

export async function end(world: World, session: Described, state: Ending): Done {
  const { live } = session
  if (!live || live.waiting) return false
  const message_id = await ask(world, session, live)
  const { next, steered } = await world.stage.store.endTurn({
    ...keyOf(live.turn),
    state,
    usage: null,
    error: state === "error" ? { code: "broken", message: "it broke" } : null,
    answer: { message_id, metadata: { finish: state }, parts: [] },
    owner: OWNER,
    takes_steers: true,
  })
  if (state === "finished" && session.queue.some(isSteer)) {
    takeSteers(session, steered)
    return true
  }
  over(world, session, live)
  if (state === "error") stopped(session)
  fired(world, session, next)
  return true
}

export async function abort(world: World, session: Described, clear: boolean): Done {
  const { live } = session
  const asked = await world.stage.store.requestAbort({ session_id: session.id, clear })
  assert.equal(asked.turn?.id, live?.turn.id)
  if (clear) session.queue = []
  if (live?.waiting) session.live = null
  else await end(world, session, "aborted")
  return live !== null || clear
}
