import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { newId } from "../../packages/core/message/id.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import type { Firing, Store } from "../../packages/engine/store/store.ts"
import type { Trigger } from "../../packages/core/triggers/trigger.ts"
import { temporaryFolder } from "../build.ts"
import { begin } from "../store/build.ts"

async function openStores(count: number, clock?: () => number): Promise<Store[]> {
  const file = join(await temporaryFolder(), "compositor.db")
  const stores: Store[] = []
  for (let at = 0; at < count; at++) {
    const store = await openSqliteStore({ file, thread: count > 1, ...(clock ? { clock } : {}) })
    onTestFinished(() => store.close())
    stores.push(store)
  }
  return stores
}

async function added(
  store: Store,
  more: Partial<Trigger> = {},
  next_fire_at: number | null = null,
) {
  const { id: session_id } = await begin(store)
  const trigger: Trigger = {
    id: newId("trg"),
    session_id,
    source: { source: "api" },
    prompt: "x",
    enabled: true,
    created_at: 1,
    ...more,
  }
  await store.addTrigger({ trigger, next_fire_at, max_per_session: 100 })
  return trigger
}

function firing(trigger: Trigger, delivery_id: string, due?: Firing["due"]): Firing {
  const envelope = { source: "api", fired_at: 1, auth_subject: "someone" } as const
  const about = { trigger_id: trigger.id, delivery_id, message_id: newId("msg") }
  return { ...about, text: "x", envelope, ...(due ? { due } : {}) }
}

describe("the store of triggers", () => {
  it("[BEY-07] lets one of many fire a time, and gives it the next", async () => {
    const stores = await openStores(3)
    const [store] = stores
    if (!store) throw new Error("there is a store")
    const trigger = await added(store, {}, 1000)
    for (let at = 1000; at < 1020; at++) {
      const due = { at, next: at + 1 }
      const fired = await Promise.all(
        stores.map((one) => one.fireTrigger(firing(trigger, `at:${at}`, due))),
      )
      expect(fired.filter(({ type }) => type === "fired")).toHaveLength(1)
      expect(fired.filter(({ type }) => type === "forestalled")).toHaveLength(2)
    }
    expect(await store.nextTriggerAt()).toBe(1020)
    expect(await store.deliveries(trigger.id, 100)).toHaveLength(20)
  })

  it("[TRG-002] knows a delivery again, whoever asks", async () => {
    const stores = await openStores(2)
    const trigger = await added(stores[0] as Store)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (stores[at % 2] as Store).fireTrigger(firing(trigger, "same")),
      ),
    )
    const [first, ...others] = answers.toSorted((one) => (one.type === "fired" ? -1 : 1))
    if (first?.type !== "fired") throw new Error("nobody fired it")
    const { message_id } = first.delivery
    expect(others).toEqual(others.map(() => ({ type: "duplicate", message_id })))
  })

  it("[TRG-005] knows the newest thousand signatures again for good, and forgets older ones", async () => {
    let now = 1_000_000
    const [store] = await openStores(1, () => now)
    if (!store) throw new Error("there is a store")
    const trigger = await added(store)
    const sign = (signature: string) =>
      store.fireTrigger({ ...firing(trigger, newId("msg")), signature })
    const settle = async () => {
      for (const { delivery_id } of await store.deliveries(trigger.id, 2000))
        await store.settleDelivery({ trigger_id: trigger.id, delivery_id, state: "sent" })
    }
    expect((await sign("first")).type).toBe("fired")
    now += 1
    expect((await sign("second")).type).toBe("fired")
    await settle()
    now += 31 * 24 * 60 * 60 * 1000
    expect((await sign("first")).type).toBe("duplicate")
    for (let at = 0; at < 999; at++) await sign(`later ${at}`)
    expect((await sign("second")).type).toBe("duplicate")
    await sign("the last one")
    expect(await store.deliveries(trigger.id, 2000)).toHaveLength(1001)
    expect((await sign("first")).type).toBe("fired")
  })

  it("[TRG-002] drops what is more than the throttle, and lets it pass again later", async () => {
    let now = 1_000_000
    const [store] = await openStores(1, () => now)
    if (!store) throw new Error("there is a store")
    const trigger = await added(store, { throttle: { count: 2, per_ms: 10_000 } })
    const fire = async (id: string) => (await store.fireTrigger(firing(trigger, id))).type
    expect([await fire("a"), await fire("b"), await fire("c")]).toEqual([
      "fired",
      "fired",
      "throttled",
    ])
    now += 10_001
    expect(await fire("d")).toBe("fired")
    // What was dropped stays dropped.
    expect(await fire("c")).toBe("duplicate")
  })

  it("[TRG-004] notes each delivery with its subject, and keeps no text once it is sent", async () => {
    const [store] = await openStores(1)
    if (!store) throw new Error("there is a store")
    const trigger = await added(store)
    await store.fireTrigger(firing(trigger, "a"))
    expect(await store.pendingDeliveries(Date.now() + 1)).toMatchObject([{ text: "x" }])
    await store.settleDelivery({ trigger_id: trigger.id, delivery_id: "a", state: "sent" })
    expect(await store.pendingDeliveries(Date.now() + 1)).toEqual([])
    expect(await store.deliveries(trigger.id, 1)).toMatchObject([
      { delivery_id: "a", state: "sent", auth_subject: "someone" },
    ])
  })

  it("lets one listen for a server's events at a time, until it is silent", async () => {
    let now = 1_000_000
    const [store] = await openStores(1, () => now)
    if (!store) throw new Error("there is a store")
    const { id } = await added(store)
    const hold = async (owner: string) => (await store.holdTrigger({ id, owner, for_ms: 100 })).held
    expect([await hold("one"), await hold("two"), await hold("one")]).toEqual([true, false, true])
    now += 101
    expect([await hold("two"), await hold("one")]).toEqual([true, false])
  })

  it("[TRG-003] forgets the triggers of a session that only its branches read", async () => {
    const [store] = await openStores(1)
    if (!store) throw new Error("there is a store")
    const trigger = await added(store)
    const about = { from_message_id: null, title: null, metadata: {} }
    await store.branch({ id: newId("ses"), parent_id: trigger.session_id, ...about })
    await store.deleteSession({ session_id: trigger.session_id, cascade: false })
    expect(await store.triggers({})).toEqual([])
    expect(await store.fireTrigger(firing(trigger, "a"))).toEqual({ type: "missing" })
  })
})
