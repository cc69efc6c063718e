import assert from "node:assert/strict"
import { newId } from "../../packages/core/message/id.ts"
import type { Mode } from "../../packages/core/message/message.ts"
import type { Action } from "./session-actions.ts"
import { type Described, EDITING_MS, messageOf, partOf, type Waiting } from "./session-lists.ts"
import { type Done, fired, type World } from "./session-world.ts"

export async function send(world: World, session: Described, mode: Mode): Done {
  const { store } = world.stage
  const busy = session.live !== null
  const id = newId("msg")
  const text = `said ${id}`
  const { message, claim } = await store.append(messageOf(session.id, { id, text, mode }))
  assert.equal(message.id, id)
  world.texts.set(id, text)
  const state = mode === "paused" ? "paused" : "queued"
  const waits = busy && mode === "immediate" ? "queued" : mode
  session.queue.push({ id, text, state, mode: waits, until: 0 })
  fired(world, session, claim, busy)
  const again = await store.append(messageOf(session.id, { id, text, mode }))
  assert.deepEqual([again.replayed, again.claim, again.message.id], [true, null, id])
  return true
}

/** What is done to one that waits. */
export type QueueAction = Extract<
  Action,
  { type: "edit" | "cancel" | "pause" | "hold" | "release" }
>

export async function change(world: World, session: Described, { type, at }: QueueAction): Done {
  const one = session.queue[at % Math.max(1, session.queue.length)]
  if (!one) return changeFired(world, session, type)
  const about = { session_id: session.id, message_id: one.id }
  switch (type) {
    case "cancel":
      await world.stage.store.cancelQueued(about)
      session.queue = session.queue.filter((other) => other !== one)
      return true
    case "release":
      return release(world, session, one)
    case "edit":
      one.text = `${one.text}, changed`
      world.texts.set(one.id, one.text)
      await world.stage.store.changeQueued({ ...about, parts: [partOf(one.text)] })
      return true
    case "pause":
    case "hold":
      one.state = type === "pause" ? "paused" : "editing"
      one.until = world.clock.now() + EDITING_MS
      await world.stage.store.changeQueued({ ...about, state: one.state })
      return true
  }
}

// Nothing waits: whoever is late with a change is told that it fired (EA-023).
async function changeFired({ stage, texts }: World, { id, said }: Described, type: string): Done {
  const message_id = said.findLast((one) => texts.has(one))
  if (message_id === undefined) return false
  const about = { session_id: id, message_id }
  const late =
    type === "cancel"
      ? stage.store.cancelQueued(about)
      : stage.store.changeQueued({ ...about, parts: [partOf("too late")] })
  await assert.rejects(
    late,
    ({ code }: { code?: string }) => code === "conflict" || code === "not_found",
  )
  return true
}

export async function release(world: World, session: Described, one: Waiting): Done {
  const about = { session_id: session.id, message_id: one.id }
  await world.stage.store.changeQueued({ ...about, state: "queued" })
  if (one.state !== "editing") session.drain = "open"
  if (one.mode === "paused") one.mode = "queued"
  one.state = "queued"
  return true
}

export async function reorder(
  { stage }: World,
  session: Described,
  { at, after }: { readonly at: number; readonly after: number },
): Done {
  const { queue } = session
  const one = queue[at % Math.max(1, queue.length)]
  if (!one) return false
  const others = queue.filter((other) => other !== one)
  const place = after % (others.length + 1)
  const behind = others[place - 1]?.id ?? null
  const about = { session_id: session.id, message_id: one.id }
  await stage.store.changeQueued({ ...about, after: behind })
  session.queue = others.toSpliced(place, 0, one)
  return true
}
