import { gate, type Json, type Kit, until, words } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

const FILE = { name: "a.txt", mime: "text/plain", data: "YQ==" }
const ATTACHED = { type: "file-attachment", ...FILE } as const

/** Messages that wait, and the one turn that runs. */
export const queueScenarios: readonly Scenario[] = [
  {
    title: "messages sent while a turn runs",
    rules: [
      "QUE-001",
      "QUE-002",
      "QUE-005",
      "UX-001",
      "UX-002",
      "UX-003",
      "UX-004",
      "UX-005",
      "UX-008",
      "UX-009",
      "UX-050",
      "EA-021",
      "EA-022",
    ],
    needs: ["model"],
    async live(kit, see) {
      const { id, open } = await busy(kit)
      const sent = []
      for (const text of ["one", "two", "three"]) sent.push(await kit.client.send(id, words(text)))
      const states = sent.map(({ message }) => message?.state)
      see.equal("UX-001", "their states", states, ["queued", "queued", "queued"])
      see.equal(
        "EA-022",
        "a turn of theirs",
        sent.map(({ turn }) => turn),
        [null, null, null],
      )
      const { queue } = await kit.client.queue.list(id)
      const ids = sent.map(({ message }) => message?.id)
      see.equal(
        "QUE-002",
        "the queue",
        queue.map((message) => message.id),
        ids,
      )
      see.holds(
        "UX-002",
        "its parts are there",
        queue.every(({ parts }) => parts.length === 1),
        queue,
      )
      const times = queue.map(({ metadata }) => Number(metadata["queued_at"]))
      see.holds(
        "UX-002",
        "queued_at",
        times.every((time) => time > 0),
        times,
      )
      const grows = times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0))
      see.holds("QUE-005", "queued_at never goes back", grows, times)
      see.equal("UX-003", "the session meanwhile", (await kit.client.status(id)).state, "busy")
      see.equal("QUE-001", "requests so far", kit.model.heard.length, 1)
      open()
      await kit.rest(id)
      const heard = kit.model.heard.slice(1).map(({ newest }) => newest)
      see.equal("UX-009", "how they fired", heard, ["one", "two", "three"])
      see.equal("EA-021", "each once", heard.length, 3)
      const messages = await kit.messages(id)
      const fired = messages.filter((message) => ids.includes(message.id))
      const like = fired.map(({ state, metadata }) => [state, metadata["queued_at"] ?? null])
      see.equal(
        "UX-008",
        "they are like any other",
        like,
        ids.map(() => ["fired", null]),
      )
      see.equal("UX-050", "the session afterwards", (await kit.client.status(id)).state, "idle")
      const { turns } = await kit.client.turns(id)
      const spans = turns.toSorted((a, b) => a.fence - b.fence)
      const apart = spans.every(
        ({ started_at }, at) => at === 0 || started_at >= (spans[at - 1]?.ended_at ?? Infinity),
      )
      see.holds("UX-005", "no two turns overlap", apart, spans.map(spanOf))
      see.holds(
        "UX-004",
        "the next began when one ended",
        apart && spans.length === 4,
        spans.map(spanOf),
      )
    },
  },
  {
    title: "the same message again",
    rules: ["QUE-003", "BEY-07"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      const body = { id: newMessageId(), parts: [{ type: "text", text: "once" }] }
      const path = `/v1/sessions/${id}/messages`
      const all = await Promise.all([1, 2, 3].map(() => kit.ask("POST", path, { json: body })))
      await kit.rest(id)
      see.equal(
        "QUE-003",
        "ids of the answers",
        all.map((one) => one.body.message.id),
        [body.id, body.id, body.id],
      )
      const later = await kit.ask("POST", path, { json: body })
      see.equal("QUE-003", "after it fired", [later.status, later.body.replayed], [201, true])
      const other = await kit.ask("POST", path, {
        json: { ...body, parts: [{ type: "text", text: "another" }] },
      })
      see.equal("QUE-003", "another payload", other.status, 409)
      const asked = (await kit.messages(id)).filter(({ role }) => role === "user")
      see.equal("BEY-07", "messages", asked.length, 1)
      see.equal("BEY-07", "requests", kit.model.heard.length, 1)
    },
  },
  {
    title: "a waiting message is edited, moved, paused and cancelled",
    rules: ["QUE-004", "QUE-008", "QUE-009", "EA-023"],
    needs: ["model"],
    async live(kit, see) {
      const { id, open } = await busy(kit)
      const sent = []
      for (const text of ["a", "b", "c", "d"]) sent.push(await kit.client.send(id, words(text)))
      const [a = "", b = "", c = "", d = ""] = sent.map(({ message }) => message?.id)
      await kit.client.queue.update(id, a, { parts: [{ type: "text", text: "a, edited" }] })
      await kit.client.queue.update(id, c, { after: null })
      await kit.client.queue.cancel(id, b)
      const held = await kit.client.queue.update(id, d, { state: "editing" })
      const until_ms = Number(held.message.metadata["editing_until"])
      see.holds("QUE-008", "it is held for a lease", until_ms > Date.now(), held.message.metadata)
      await kit.client.queue.update(id, d, { state: "paused" })
      const whole = await kit.client.send(id, {
        parts: [{ type: "text", text: "look" }, ATTACHED],
        mode: "paused",
      })
      const e = whole.message?.id ?? ""
      const reworded = await kit.ask("PATCH", `/v1/sessions/${id}/queue/${e}`, {
        json: { source: "look again" },
      })
      const kept = reworded.body?.message?.parts?.map(({ type }: Json) => type)
      see.equal("QUE-009", "what new words leave", kept, ["text", "file-attachment"])
      await kit.client.queue.cancel(id, e)
      open()
      await until(() => kit.model.heard.length === 3, "two more requests")
      await until(async () => (await kit.client.status(id)).state === "idle", "the end of both")
      const heard = kit.model.heard.slice(1).map(({ newest }) => newest)
      see.equal("EA-023", "what fired", heard, ["c", "a, edited"])
      const { queue } = await kit.client.queue.list(id)
      see.equal(
        "EA-023",
        "what is paused",
        queue.map((message) => message.id),
        [d],
      )
      await kit.client.queue.update(id, d, { state: "queued" })
      await kit.rest(id)
      see.equal("EA-023", "once released", kit.model.heard.at(-1)?.newest, "d")
      const edit = await kit.ask("PATCH", `/v1/sessions/${id}/queue/${a}`, {
        json: { parts: [{ type: "text", text: "late" }] },
      })
      const cancel = await kit.ask("DELETE", `/v1/sessions/${id}/queue/${a}`)
      see.equal("QUE-004", "once it fired", [edit.status, cancel.status], [409, 409])
      see.equal("EA-023", "once it fired", [edit.status, cancel.status], [409, 409])
    },
  },
  {
    title: "a message steers a running turn",
    rules: ["EA-022", "SES-001", "EA-021"],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("steer.txt", "left or right\n")
      const id = await kit.session()
      const door = gate()
      kit.model.play((_, count) =>
        count === 1
          ? {
              text: "Looking. ",
              calls: [{ name: "read", input: { path: "steer.txt" } }],
              until: door.wait,
            }
          : { text: "Done." },
      )
      await kit.client.send(id, words("look around"))
      await until(() => kit.model.heard.length === 1, "the first request")
      const steered = await kit.client.send(id, { ...words("look left"), mode: "steer" })
      door.open()
      await kit.rest(id)
      const second = kit.model.heard[1]
      see.equal("EA-022", "requests", kit.model.heard.length, 2)
      see.contains(
        "EA-022",
        "the steered words come behind the results",
        second?.said ?? "",
        "left or right\n",
      )
      const said = second?.said ?? ""
      const behind = said.indexOf("look left") > said.indexOf("left or right")
      see.holds("EA-022", "behind all results", behind, said)
      const messages = await kit.messages(id)
      const roles = messages.map(({ role }) => role)
      see.equal("EA-022", "its place between two steps", roles, [
        "user",
        "assistant",
        "user",
        "assistant",
      ])
      see.equal("EA-021", "it is the same message", messages[2]?.id, steered.message?.id)
      const calls = messages.flatMap(({ parts }) =>
        parts.filter(({ type }) => type === "tool-read"),
      )
      see.equal("SES-001", "rows of the call", calls.length, 1)
      see.equal("SES-001", "its state", calls[0]?.tool_state, "output-available")
      const over = await kit.ask("POST", `/v1/sessions/${id}/messages`, {
        json: {
          ...words("late"),
          mode: "steer",
          expected_turn_id: steered.turn?.id ?? "trn_00000000000000000000000000",
        },
      })
      see.equal("EA-022", "a steer for a turn that is over", over.status, 409)
    },
  },
  {
    title: "a turn is stopped, and one fails",
    rules: ["UXH-002", "UXH-003", "SES-062", "SES-070", "UX-050", "EA-033"],
    needs: ["model"],
    async live(kit, see) {
      const { id, open } = await busy(kit, "half a word")
      await until(
        async () => JSON.stringify(await kit.messages(id)).includes("half a word"),
        "text",
      )
      await kit.client.send(id, words("next"))
      const stopped = await kit.client.abort(id)
      open()
      await kit.rest(id)
      see.equal("UXH-002", "what was stopped", stopped.aborted?.state, "aborted")
      see.equal("UXH-002", "the queue goes on", kit.model.heard.at(-1)?.newest, "next")
      const frozen = (await kit.messages(id)).find(({ role }) => role === "assistant")
      see.equal("SES-062", "what was said so far", frozen?.parts[0]?.data["text"], "half a word")
      kit.model.play((heard) =>
        heard.newest === "fail"
          ? { refuse: { status: 400, message: "max_tokens: must be less" } }
          : { text: "Fine.", ...(heard.newest === "wait" ? { until: waiting.wait } : {}) },
      )
      const waiting = gate()
      await kit.client.send(id, words("wait"))
      await kit.client.send(id, words("fail"))
      await kit.client.send(id, { ...words("held"), mode: "queued" })
      waiting.open()
      await kit.state(id, "error")
      see.equal("SES-070", "the status of a failure", (await kit.client.status(id)).state, "error")
      see.equal("UX-050", "a failure is shown", (await kit.client.status(id)).state, "error")
      const { error } = await kit.lastTurn(id)
      see.contains("EA-033", "the turn's error", error?.message ?? "", "max_tokens")
      const { queue } = await kit.client.queue.list(id)
      see.equal("UXH-003", "what is held", queue.length, 1)
      await kit.client.send(id, words("go on"))
      await kit.rest(id)
      const heard = kit.model.heard.map(({ newest }) => newest)
      see.equal("UXH-003", "it goes on with the next that fires", heard.slice(-2), [
        "go on",
        "held",
      ])
    },
  },
  {
    title: "what a session's stream tells",
    rules: ["EVT-001", "EVT-002", "SES-060", "PER-014", "EA-015"],
    needs: ["model"],
    async live(kit, see) {
      const id = await kit.session()
      const path = `/v1/sessions/${id}/events`
      const isEnd = ({ data }: Json) => data?.type === "turn-finished"
      const host = kit.frames(
        "/v1/events",
        ({ event, data }) =>
          event === "lifecycle" && data.session_id === id && data.type === "turn-finished",
      )
      // Somebody who listens for a moment and leaves.
      const door = gate()
      kit.model.play(() => ({ text: "Told.", until: door.wait }))
      await kit.client.send(id, words("tell"))
      await kit.frames(path, ({ data }) => data?.type === "turn-started")
      see.equal("SES-060", "after a reader left", (await kit.client.status(id)).state, "busy")
      door.open()
      await kit.rest(id)
      const frames = await kit.frames(path, isEnd)
      const rows = frames.filter(({ event }) => event === "row").map(({ data }) => data)
      const lifecycle = rows.map(({ type }) => type).filter((type) => type.startsWith("turn-"))
      see.equal("EVT-001", "the turn's rows", lifecycle, ["turn-started", "turn-finished"])
      const numbers = rows.map(({ seq }) => seq)
      const gapless = numbers.every((seq, at) => at === 0 || seq === numbers[at - 1] + 1)
      see.holds("PER-014", "a stream without gaps", gapless, numbers)
      see.holds(
        "PER-014",
        "every row has a txid",
        rows.every(({ headers }) => Boolean(headers?.txid)),
        rows[0],
      )
      const half = frames[Math.floor(frames.length / 2)]
      const rest = await kit.frames(path, isEnd, half?.id)
      const seen = rest.filter(({ event }) => event === "row").map(({ data }) => data.seq)
      const wanted = numbers.filter((seq) => seq > Number(String(half?.id).split("/")[0]))
      see.equal("SES-060", "whoever comes back misses nothing", seen, wanted)
      const told = (await host).filter(
        ({ event, data }) => event === "lifecycle" && data.session_id === id,
      )
      see.equal(
        "EVT-002",
        "the host's stream",
        told.map(({ data }) => data.type),
        ["turn-started", "turn-finished"],
      )
      const keyed = rows.every(({ type, key, headers }) =>
        Boolean(type && key && headers.operation),
      )
      see.holds("EA-015", "rows of the State Protocol", keyed, rows)
      const updates = rows.filter(
        ({ headers, type }) => headers.operation === "update" && type === "message",
      )
      const full = updates.every(({ value }) => value?.id && value.role && value.state)
      see.holds("EA-015", "updates carry the full row", full, updates)
    },
  },
]

/** A session whose turn goes on until it is let go. */
async function busy(kit: Kit, text = "Working."): Promise<{ id: string; open: () => void }> {
  const id = await kit.session()
  const door = gate()
  kit.model.play((_, count) => (count === 1 ? { text, until: door.wait } : { text: "Done." }))
  await kit.client.send(id, words("begin"))
  await until(() => kit.model.heard.length === 1, "the model to be asked")
  return { id, open: door.open }
}

function spanOf({ started_at, ended_at }: { started_at: number; ended_at: number | null }) {
  return [started_at, ended_at]
}

function newMessageId(): string {
  const time = Date.now().toString(16).padStart(12, "0")
  const random = Math.random().toString(36).slice(2, 13).padEnd(11, "0")
  return `msg_${time}000${random}`
}
