import assert from "node:assert/strict"
import { newId } from "../../packages/core/message/id.ts"
import { type Described, keyOf } from "./session-lists.ts"
import { type Done, newSession, type World } from "./session-world.ts"

const MAX_SESSIONS = 4

export async function compact({ stage, tails }: World, session: Described, at: number): Done {
  const { live, said } = session
  if (!live || live.waiting) return false
  const tail = at % 3 === 0 ? null : (said[said.length - 1 - (at % said.length)] ?? null)
  const message_id = newId("msg")
  const part = { type: "data-compaction", summary: "in short", auto: true } as const
  await stage.store.recordCompaction({
    ...keyOf(live.turn),
    compaction: {
      message_id,
      part_id: newId("prt"),
      part: { ...part, tail_start_id: tail, summary_tokens: 2 },
      context_tokens: 2,
      usage: null,
    },
    notice: "it was summarised",
  })
  tails.set(message_id, tail)
  session.said = [...said, message_id]
  return true
}

export async function branch({ stage, sessions }: World, session: Described, at: number): Done {
  if (sessions.length >= MAX_SESSIONS) return false
  const { said, live } = session
  const settled = live ? said.indexOf(live.turn.message_id) : said.length
  const index = at % (said.length + 1)
  const point = said[index] ?? null
  const id = newId("ses")
  const branching = stage.store.branch({
    id,
    parent_id: session.id,
    from_message_id: point,
    title: null,
    metadata: {},
  })
  if (point !== null && index >= settled) {
    await assert.rejects(branching, { code: "conflict" })
    return true
  }
  await branching
  sessions.push(newSession(id, point === null ? said.slice(0, settled) : said.slice(0, index + 1)))
  return true
}

export async function rewind({ stage }: World, session: Described, at: number): Done {
  const { said, live } = session
  const index = at % (said.length + 1)
  const before_message_id = at % 7 === 0 ? null : (said[index] ?? null)
  const rewinding = stage.store.rewind({ session_id: session.id, before_message_id })
  if (live) {
    await assert.rejects(rewinding, { code: "conflict" })
    return true
  }
  await rewinding
  session.left.push(said)
  session.said = before_message_id === null ? [] : said.slice(0, index)
  return true
}

export async function unrewind({ stage }: World, session: Described): Done {
  const { said, live, left } = session
  const restoring = stage.store.unrewind({ session_id: session.id })
  const restored = left.at(-1)
  if (live || !restored) {
    await assert.rejects(restoring, { code: "conflict" })
    return true
  }
  await restoring
  left.pop()
  if (!said.every((id, at) => restored[at] === id)) left.unshift(said)
  session.said = restored
  return true
}
