import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { FollowEvent } from "../../packages/client/events.ts"
import {
  applyEvent,
  isBusy,
  prepend,
  type SessionView,
  turnOf,
  viewOfPage,
} from "../../packages/client/view.ts"
import { type Act, acts, Told } from "./told.ts"

describe("applyEvent", () => {
  it("gives the same view from any page on as from the beginning", () => {
    fc.assert(
      fc.property(acts, fc.nat(), (acts, at) => {
        const told = new Told()
        const from = told.page()
        const middle = at % (acts.length + 1)
        for (const act of acts.slice(0, middle)) told.act(act)
        const later = told.page()
        for (const act of acts.slice(middle)) told.act(act)
        const whole = told.eventsFrom(from).reduce(applyEvent, from.view)
        const tail = told.eventsFrom(later).reduce(applyEvent, later.view)
        expect(shown(tail)).toEqual(shown(whole))
        expect(shown(whole)).toEqual(told.truth())
      }),
      { numRuns: 500 },
    )
  })

  it("changes nothing when anything is applied again", () => {
    fc.assert(
      fc.property(acts, fc.nat(), (acts, back) => {
        const told = new Told()
        const from = told.page()
        for (const act of acts) told.act(act)
        const events = told.eventsFrom(from)
        let view = from.view
        for (const [at, event] of events.entries()) {
          view = applyEvent(view, event)
          for (const again of events.slice(Math.max(0, at - (back % 8)), at + 1))
            expect(applyEvent(view, again)).toBe(view)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("keeps what did not change", () => {
    const told = new Told()
    const from = told.page()
    for (const act of ["send", "fire", "answer", "speak"] satisfies Act[]) told.act(act)
    const before = told.eventsFrom(from).reduce(applyEvent, from.view)
    told.act("speak")
    const after = told.eventsFrom(from).reduce(applyEvent, before)
    expect(after).not.toBe(before)
    expect(after.messages[0]).toBe(before.messages[0])
    expect(after.messages[1]).not.toBe(before.messages[1])
    expect(after.queue).toBe(before.queue)
    expect(after.session).toBe(before.session)
  })

  it("shows the answer before its row is there", () => {
    const { view } = new Told().page()
    const delta = { turn_id: "trn_1", message_id: "msg_9", part_id: "prt_9", part_index: 0 }
    const next = applyEvent(view, {
      type: "delta",
      delta: { ...delta, part_type: "text", offset: 0, text: "Hello" },
    })
    expect(texts(next)).toEqual(["Hello"])
    const hole: FollowEvent = {
      type: "delta",
      delta: { ...delta, part_type: "text", offset: 99, text: "lost" },
    }
    expect(applyEvent(next, hole)).toBe(next)
  })

  it("takes the rows as the truth when a turn ends", () => {
    const told = new Told()
    const from = told.page()
    for (const act of ["send", "fire", "answer", "speak", "store"] satisfies Act[]) told.act(act)
    const stored = texts(told.eventsFrom(from).reduce(applyEvent, from.view))
    told.act("speak")
    const ahead = told.eventsFrom(from).reduce(applyEvent, from.view)
    expect(texts(ahead)).not.toEqual(stored)
    told.crash()
    const after = told.eventsFrom(from).reduce(applyEvent, from.view)
    expect(texts(after)).toEqual(stored)
    expect(after.live).toEqual({})
  })

  it("asks for a new page when told of a message whose parts it never saw", () => {
    const told = new Told()
    told.act("send")
    const late = told.page()
    const blind = { ...late.view, queue: [] }
    told.act("fire")
    expect(told.eventsFrom(late).reduce(applyEvent, blind).stale).toBe(true)
    expect(applyEvent(late.view, { type: "reset" }).stale).toBe(true)
  })

  it("passes over what a newer server tells", () => {
    const { view } = new Told().page()
    const row = {
      seq: view.next,
      type: "weather",
      key: "k",
      value: {},
      headers: { operation: "insert" as const, txid: "1" },
    }
    expect(applyEvent(view, { type: "row", row })).toEqual({ ...view, next: view.next + 1 })
  })
})

describe("a branch", () => {
  it("[PAG-006] puts its own rows behind those of its parents, whatever their `seq`", () => {
    const told = new Told()
    const { view } = told.page()
    const { session } = view
    const path = [
      { owner: "ses_parent", from: 1, to: 9 },
      { owner: session.id, from: 1, to: null },
    ]
    const row = (session_id: string, seq: number) => ({
      id: `msg_${session_id}_${seq}`,
      session_id,
      role: "user" as const,
      metadata: {},
      state: "fired" as const,
      seq,
      position: null,
      created_at: 1,
      updated_at: 1,
    })
    const parents = [8, 9].map((seq) => ({ ...row("ses_parent", seq), parts: [] }))
    const branch: SessionView = {
      ...view,
      session: { ...session, path },
      messages: parents,
      older: "cursor",
    }
    const insert = (at: number, seq: number): FollowEvent => ({
      type: "row",
      row: {
        seq: branch.next + at,
        type: "message",
        key: "k",
        value: row(session.id, seq),
        headers: { operation: "insert", txid: "t" },
      },
    })
    const after = [insert(0, 1), insert(1, 2)].reduce(applyEvent, branch)
    expect(after.messages.map(({ seq }) => seq)).toEqual([8, 9, 1, 2])
  })
})

describe("a call in an answer", () => {
  const part_id = "prt_call"
  const call = { type: "tool-look", tool_call_id: "c1" }

  function world() {
    const told = new Told()
    const from = told.page()
    for (const act of ["send", "fire", "answer", "speak"] satisfies Act[]) told.act(act)
    const view = told.eventsFrom(from).reduce(applyEvent, from.view)
    const answer = view.messages.at(-1)
    if (!answer) throw new Error("there is no answer")
    const delta = (offset: number, text: string): FollowEvent => ({
      type: "delta",
      delta: {
        turn_id: String(answer.metadata.turn_id),
        message_id: answer.id,
        part_id,
        part_index: 9,
        part_type: call.type,
        tool_call_id: "c1",
        offset,
        text,
      },
    })
    const row = (at: number, state: string, more: object): FollowEvent => ({
      type: "row",
      row: {
        seq: view.next + at,
        type: "part",
        key: part_id,
        value: {
          id: part_id,
          message_id: answer.id,
          session_id: view.session.id,
          index: 9,
          type: call.type,
          data: { ...call, state, ...more },
          tool_call_id: "c1",
          tool_state: state,
          created_at: 1,
          updated_at: 1,
        },
        headers: { operation: "update", txid: "t" },
      },
    })
    return { view, delta, row }
  }

  function callIn(view: SessionView) {
    return view.messages.at(-1)?.parts.find(({ id }) => id === part_id)
  }

  it("[SES-001] shows its input as it comes, and what its row says once it came whole", () => {
    const { view, delta, row } = world()
    const streaming = [delta(0, '{"at":'), delta(6, '"a"}')].reduce(applyEvent, view)
    expect(callIn(streaming)).toMatchObject({
      tool_call_id: "c1",
      tool_state: "input-streaming",
      data: { ...call, input_text: '{"at":"a"}' },
    })
    const whole = applyEvent(streaming, row(0, "input-available", { input: { at: "a" } }))
    expect(callIn(whole)?.data).toEqual({ ...call, state: "input-available", input: { at: "a" } })
    expect(applyEvent(whole, delta(6, '"a"}'))).toBe(whole)
    const done = applyEvent(whole, row(1, "output-available", { output: { data: "saw a" } }))
    expect(callIn(done)?.data.output).toEqual({ data: "saw a" })
  })

  it("is not taken back by a row that is behind", () => {
    const { view, delta, row } = world()
    const streaming = [delta(0, '{"at":'), delta(6, '"a"}')].reduce(applyEvent, view)
    const after = applyEvent(streaming, row(0, "input-streaming", { input_text: '{"at":' }))
    expect(callIn(after)?.data.input_text).toBe('{"at":"a"}')
  })
})

describe("prepend", () => {
  it("puts an older page in front, once", () => {
    const told = new Told()
    for (const act of ["send", "fire", "finish", "send", "fire"] satisfies Act[]) told.act(act)
    const { view } = told.page()
    const [first, second] = view.messages
    if (!first || !second) throw new Error("two messages fired")
    const page = { messages: [first], next: null, stream_next_offset: 0 }
    const start: SessionView = { ...view, messages: [second], older: "cursor" }
    const whole = prepend(start, page)
    expect(whole.messages).toEqual([first, second])
    expect(whole.older).toBe(null)
    expect(prepend(whole, page).messages).toEqual([first, second])
  })
})

describe("viewOfPage", () => {
  it("shows a message that fired between the two reads once", () => {
    const told = new Told()
    told.act("send")
    const { queue, answer } = told.page()
    told.act("fire")
    const view = viewOfPage(told.page().page, queue, answer)
    expect(view.messages).toHaveLength(1)
    expect(view.queue).toHaveLength(0)
  })
})

it("knows a busy session and the last turn of a message", () => {
  const told = new Told()
  const from = told.page()
  for (const act of ["send", "fire"] satisfies Act[]) told.act(act)
  const view = told.eventsFrom(from).reduce(applyEvent, from.view)
  expect(isBusy(view.status)).toBe(true)
  expect(turnOf(view, view.messages[0]?.id ?? "")?.state).toBe("running")
  expect(turnOf(view, "msg_none")).toBeUndefined()
})

function shown({ messages, queue, status, stale }: SessionView) {
  return { messages, queue, status, stale }
}

function texts(view: SessionView) {
  const answers = view.messages.filter((message) => message.role === "assistant")
  return answers.flatMap((message) => message.parts.map((part) => part.data.text))
}
