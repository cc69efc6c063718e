import { describe, expect, it } from "vitest"
import { z } from "zod"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import type { InboxMessage } from "../../packages/engine/entities/wake.ts"
import { until } from "../session/house.ts"
import { entityHouse } from "./house.ts"

const QUICKSTART = {
  type: "composer_input",
  payload: {
    source: "/quickstart",
    nodes: [{ kind: "slash_command", start: 0, end: 11, raw: "/quickstart", name: "quickstart" }],
  },
}

const REVIEW = {
  type: "composer_input",
  payload: {
    source: "/pr-review 123 in /worktree see @Branch",
    nodes: [
      { kind: "slash_command", start: 0, end: 10, raw: "/pr-review", name: "pr-review" },
      { kind: "text", start: 10, end: 18, raw: " 123 in " },
      { kind: "slash_command", start: 18, end: 27, raw: "/worktree", name: "worktree" },
      { kind: "text", start: 27, end: 32, raw: " see " },
      { kind: "branch", start: 32, end: 39, raw: "@Branch", name: "Branch" },
    ],
  },
}

/** As it was published: off by one from its fourth node on. */
const MIXED = {
  type: "composer_input",
  payload: {
    source: "/pr-review 123 in /worktree be sure to check @Branch see @Horton",
    nodes: [
      { kind: "slash_command", start: 0, end: 10, raw: "/pr-review", name: "pr-review" },
      { kind: "text", start: 10, end: 18, raw: " 123 in " },
      { kind: "slash_command", start: 18, end: 27, raw: "/worktree", name: "worktree" },
      { kind: "text", start: 27, end: 46, raw: " be sure to check " },
      { kind: "branch", start: 46, end: 53, raw: "@Branch", name: "Branch" },
      { kind: "text", start: 53, end: 58, raw: " see " },
      { kind: "symbol", start: 58, end: 65, raw: "@Horton", name: "Horton" },
    ],
  },
}

async function taking() {
  const messages: InboxMessage[] = []
  const definition = defineEntity({
    type: "taking",
    inbox: { rpc: z.object({ method: z.string(), params: z.array(z.number()) }) },
    inbox_closed: true,
    handler: async ({ wake }) => {
      if (wake.type === "inbox") messages.push(wake.message as InboxMessage)
    },
  })
  const house = await entityHouse([definition])
  const id = await house.spawn("/taking/a")
  const ask = (json: unknown, headers: Record<string, string> = {}) =>
    house.ask("post", "/v1/entities/taking/a/send", { json, headers })
  return { house, id, messages, ask }
}

describe("send", () => {
  it.each([QUICKSTART, REVIEW])("[EA-001][EA-002] takes %j as it is", async (message) => {
    const { ask, messages } = await taking()
    const { status, body } = await ask(message)
    expect([status, body.warnings]).toEqual([200, undefined])
    expect(body.txid).toBeTypeOf("string")
    await until(() => messages.length === 1)
    expect(messages[0]?.payload).toEqual(message.payload)
  })

  it("[EA-006] moves nodes that are off by one to where their text is, and says so", async () => {
    const { ask, messages } = await taking()
    const { status, body } = await ask(MIXED)
    expect(status).toBe(200)
    expect(body.warnings.map(({ path }: { path: string }) => path)).toEqual([
      "/payload/nodes/3",
      "/payload/nodes/4",
      "/payload/nodes/5",
      "/payload/nodes/6",
    ])
    await until(() => messages.length === 1)
    const [message] = messages
    const { source, nodes } = (message?.payload ?? {}) as typeof MIXED.payload
    expect(source).toBe(MIXED.payload.source)
    expect(nodes.map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [10, 18],
      [18, 27],
      [27, 45],
      [45, 52],
      [52, 57],
      [57, 64],
    ])
    for (const { start, end, raw } of nodes) expect(source.slice(start, end)).toBe(raw)
  })

  const node = { kind: "text", start: 0, end: 1, raw: "a" }
  const composed = (payload: unknown) => ({ type: "composer_input", payload })
  const nodes = (...all: unknown[]) => composed({ source: "abc", nodes: all })

  it.each<readonly [string, unknown, readonly string[]]>([
    ["no object", 7, ["/"]],
    ["nothing", {}, ["/type", "/payload"]],
    ["a type that is none", { type: "", payload: 1 }, ["/type"]],
    ["no payload", { type: "rpc" }, ["/payload"]],
    ["an unknown field", { type: "rpc", payload: OK_RPC(), extra: 1 }, ["/extra"]],
    ["an unknown mode", { type: "rpc", payload: OK_RPC(), mode: "soon" }, ["/mode"]],
    ["a position with a space", { type: "rpc", payload: OK_RPC(), position: "a b" }, ["/position"]],
    ["somebody else", { type: "rpc", payload: OK_RPC(), from: "user:eve" }, ["/from"]],
    ["a type that nobody declared", { type: "other", payload: 1 }, ["/type"]],
    [
      "a payload that does not fit its schema",
      { type: "rpc", payload: { method: 1, params: ["x"] } },
      ["/payload/method", "/payload/params/0"],
    ],
    ["an input that is no object", composed("text"), ["/payload"]],
    ["an input without a source", composed({}), ["/payload/source"]],
    ["nodes that are null", composed({ source: "", nodes: null }), ["/payload/nodes"]],
    ["nodes that are an object", composed({ source: "", nodes: {} }), ["/payload/nodes"]],
    ["a node that is no object", nodes(1), ["/payload/nodes/0"]],
    ["a node without a kind", nodes({ ...node, kind: "" }), ["/payload/nodes/0/kind"]],
    ["a start that is no integer", nodes({ ...node, start: 0.5 }), ["/payload/nodes/0/start"]],
    ["an end that is text", nodes({ ...node, end: "1" }), ["/payload/nodes/0/end"]],
    ["a raw that is none", nodes({ ...node, raw: null }), ["/payload/nodes/0/raw"]],
    ["a start before the source", nodes({ ...node, start: -1 }), ["/payload/nodes/0/start"]],
    ["an end before the start", nodes({ ...node, start: 2, end: 1 }), ["/payload/nodes/0/end"]],
    ["an end behind the source", nodes({ ...node, end: 9, raw: "zz" }), ["/payload/nodes/0/end"]],
    ["a raw that is nowhere", nodes({ ...node, raw: "z" }), ["/payload/nodes/0/raw"]],
    [
      "nodes that overlap",
      nodes({ ...node, end: 2, raw: "ab" }, { ...node, start: 1, end: 2, raw: "b" }),
      ["/payload/nodes/1/start"],
    ],
    [
      "a command without a name",
      nodes({ ...node, kind: "slash_command" }),
      ["/payload/nodes/0/name"],
    ],
    [
      "a file without a path",
      nodes({ ...node, kind: "file", path: "" }),
      ["/payload/nodes/0/path"],
    ],
    [
      "a symbol without a name",
      nodes({ ...node, kind: "symbol", name: "" }),
      ["/payload/nodes/0/name"],
    ],
    [
      "faults of the request and of its payload at once",
      { ...nodes({ ...node, kind: "branch", raw: 5 }, 9), mode: 1, from: "agent:x" },
      ["/mode", "/from", "/payload/nodes/0/raw", "/payload/nodes/0/name", "/payload/nodes/1"],
    ],
  ])(
    "[EA-005] refuses %s, every fault at its path, and keeps nothing",
    async (_, message, paths) => {
      const { house, id, ask } = await taking()
      await until(async () => (await house.host.store.latestTurn(id))?.ended_at != null)
      const before = await house.host.store.head(id)
      const { status, body } = await ask(message)
      expect(status).toBe(422)
      expect(body.error.code).toBe("validation_failed")
      expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(
        paths.toSorted(),
      )
      expect(await house.host.store.head(id)).toEqual(before)
    },
  )

  it("[EA-007] asks for no meaning: unknown commands, files and branches are taken", async () => {
    const { ask, messages } = await taking()
    const source = "/never-heard @nowhere.txt @no-branch"
    const payload = {
      source,
      nodes: [
        { kind: "slash_command", start: 0, end: 12, raw: "/never-heard", name: "never-heard" },
        { kind: "file", start: 13, end: 25, raw: "@nowhere.txt", path: "nowhere.txt" },
        { kind: "branch", start: 26, end: 36, raw: "@no-branch", name: "no-branch" },
      ],
    }
    expect((await ask(composed(payload))).status).toBe(200)
    await until(() => messages.length === 1)
    expect(messages[0]?.payload).toEqual(payload)
  })

  it("[EA-004] delivers unknown kinds and extra fields unchanged", async () => {
    const { ask, messages } = await taking()
    const payload = {
      source: "a b",
      nodes: [
        { kind: "x-ray", start: 0, end: 1, raw: "a", depth: { cm: 3 } },
        { kind: "text", start: 1, end: 1, raw: "", note: "zero wide" },
        { kind: "slash_command", start: 2, end: 3, raw: "b", name: "b", args: { n: 1 } },
      ],
    }
    expect((await ask(composed(payload))).status).toBe(200)
    await until(() => messages.length === 1)
    expect(messages[0]?.payload).toEqual(payload)
  })

  it("[EA-034] delivers a declared type with its payload, and names those that are taken", async () => {
    const { ask, messages } = await taking()
    expect((await ask({ type: "rpc", payload: OK_RPC(), from: "user:local" })).status).toBe(200)
    await until(() => messages.length === 1)
    expect(messages[0]).toMatchObject({
      message_type: "rpc",
      payload: OK_RPC(),
      from: "user:local",
    })
    const { body } = await ask({ type: "other", payload: 1 })
    expect(body.error.message).toContain("composer_input, rpc")
  })

  it("[EA-010] answers a key once, however often it is sent, and knows another payload", async () => {
    const { ask, messages } = await taking()
    const first = await ask({ ...QUICKSTART, key: "k-1" })
    const again = await ask({ ...QUICKSTART, key: "k-1" })
    expect([first.body.key, again.body.key]).toEqual(["k-1", "k-1"])
    expect((await ask({ ...REVIEW, key: "k-1" })).status).toBe(409)
    await until(() => messages.length === 1)
    expect(messages).toHaveLength(1)
  })

  it("[EA-005] lets a sender speak for itself, by name or address", async () => {
    const { ask, messages } = await taking()
    const headers = { "electric-principal": "user:ann" }
    for (const from of ["user:ann", "/principal/user%3Aann"])
      expect((await ask({ ...QUICKSTART, from }, headers)).status).toBe(200)
    expect((await ask({ ...QUICKSTART, from: "user:bob" }, headers)).status).toBe(422)
    await until(() => messages.length === 2)
    expect(messages.map(({ from }) => from)).toEqual(["user:ann", "user:ann"])
  })
})

function OK_RPC() {
  return { method: "sum", params: [1, 2] }
}
