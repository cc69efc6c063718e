import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { Host } from "../../packages/engine/host/host.ts"
import { openKnownModels } from "../../packages/engine/providers/model-settings.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { OPERATIONS } from "../../packages/engine/store/sql/operations/operations.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Store } from "../../packages/engine/store/store.ts"
import { temporaryFolder } from "../build.ts"
import { begin } from "../store/build.ts"
import { openHouse, say, until } from "./house.ts"
import { caller, type Log, look, pay } from "./tools.ts"

const NEVER = new Promise<never>(() => undefined)
const ALLOW = [
  { permission: "net.fetch", pattern: "**", action: "allow", source: "project" },
] as const
const CALLS = caller.bind(
  null,
  [{ name: "pay", input: { whom: "x" } }],
  [
    { name: "look", input: { at: "a" } },
    { name: "pay", input: { whom: "y" } },
  ],
)

/** When a process dies: before its write, or after it and before it hears of it. */
type Death = "before" | "after"

/** A store whose process dies at its nth write: from then on nothing is answered. */
function mortal(store: Store, dies: { at: number; how: Death }) {
  const writes = new Set(Object.keys(OPERATIONS))
  const life = { writes: 0, dead: false }
  const asked =
    (name: string, call: (...input: unknown[]) => unknown) =>
    async (...input: unknown[]) => {
      if (life.dead) return NEVER
      if (!writes.has(name) || ++life.writes < dies.at) return call(...input)
      life.dead = true
      if (dies.how === "after") await call(...input)
      return NEVER
    }
  const proxy = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === "watch" || name === "close" || name === "backup") return target[name]
      return asked(name, target[name] as (...input: unknown[]) => unknown)
    },
  })
  return { store: proxy, life }
}

async function firstLife(data: string, log: Log, dies: { at: number; how: Death }) {
  const store = await openSqliteStore({ file: join(data, "compositor.db"), thread: false })
  const { id } = await begin(store)
  const { store: shown, life } = mortal(store, dies)
  const model = scriptedProvider(CALLS())
  const options = {
    data,
    workspace: null,
    environment: {},
    providers: new Map([["scripted", model]]),
    known: await openKnownModels(data, {}),
    tools: [pay(log), look(log)],
    rules: async () => ALLOW,
  }
  const host = new Host(options, shown)
  onTestFinished(() => store.close())
  void say({ host }, id, "pay and look").catch(() => undefined)
  await Promise.race([
    until(() => life.dead),
    host.idle().then(() => until(() => life.dead || model.calls.length === 3)),
  ])
  // What had begun goes on for a moment, as a child of a killed process may.
  await new Promise((resolve) => setTimeout(resolve, 20))
  return { id, life }
}

/** What the next process makes of it: afterwards nothing is open and nothing is stuck. */
async function secondLife(data: string, id: string, log: Log) {
  const house = await openHouse({
    data,
    lease_ms: 20,
    tools: [pay(log), look(log)],
    rules: async () => ALLOW,
    script: ({ newest }) => [{ text: newest?.blocks[0]?.type === "text" ? "yes" : "done" }],
  })
  const { store } = house.host
  const latest = () => store.latestTurn(id)
  await until(async () => (await latest())?.state !== "running")
  const turn = await latest()
  for (const { call_id } of turn?.waiting ?? []) {
    const saying = { call_id, resolution: { type: "skip" }, always: false } as const
    await house.host.resolveCall(id, turn?.id ?? "", saying)
  }
  await house.host.idle()
  await say(house, id, "still there?")
  await until(async () => (await latest())?.state === "finished")
  await house.host.idle()
  return (await store.history(id, { limit: 99 })).messages
}

describe("a process that dies at any of its writes", () => {
  const points = Array.from({ length: 16 }, (_, at) => at + 1)

  it.each(["before", "after"] as const)(
    "[SES-061] never pays twice, and leaves no session stuck (%s the write)",
    async (how) => {
      const folder = await temporaryFolder()
      await Promise.all(
        points.map(async (at) => {
          const data = join(folder, String(at))
          await mkdir(data)
          const log: Log = []
          const { id } = await firstLife(data, log, { at, how })
          const messages = await secondLife(data, id, log)
          const paid = log.filter((line) => /^pay . begins$/.test(line))
          expect([at, paid.length]).toEqual([at, new Set(paid).size])
          const last = messages.at(-1)
          expect([at, last?.role, last?.metadata.finish]).toEqual([at, "assistant", "stop"])
          const states = messages.flatMap(({ parts }) => parts.map((part) => part.tool_state))
          expect([at, states.filter((state) => state?.startsWith("input"))]).toEqual([at, []])
        }),
      )
    },
    60_000,
  )
})
