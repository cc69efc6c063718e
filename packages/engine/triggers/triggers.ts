import { randomUUID } from "node:crypto"
import { newId } from "compositor-core/message/id"
import { Refusal } from "compositor-core/message/refusal"
import type { FireOutcome, Firing, PendingDelivery, Store, StoredTrigger } from "../store/store.ts"
import type { Submission } from "../submit/submit.ts"
import { triggerText } from "./prompt.ts"
import { nextFire } from "compositor-core/triggers/schedule"
import type { TriggerEnvelope, Trigger } from "compositor-core/triggers/trigger"
import {
  admitDelivery,
  type WebhookDelivery,
  deliveryId,
  chooseHeaders,
  signsTime,
} from "./webhook.ts"

interface TriggersDependencies {
  readonly store: Store
  /** Who this process is, for what only one of them may do at a time. */
  readonly owner: string
  readonly submit: (submission: Submission) => Promise<unknown>
  /** Hear that a server's resource changed; the same key again changes nothing. */
  watch(heard: {
    readonly key: string
    readonly session_id: string
    readonly server: string
    readonly uri: string | undefined
    readonly heard: (uri: string) => void
  }): Promise<void>
  unwatch(key: string): void
  readonly now?: (() => number) | undefined
  readonly log?: ((message: string) => void) | undefined
}

type NewTriggerOf = Omit<Trigger, "id" | "created_at" | "enabled"> & {
  readonly enabled?: boolean | undefined
}

/** What an event from outside came to. */
type DeliveryOutcome =
  | Exclude<FireOutcome, { type: "fired" }>
  | { type: "accepted"; message_id: string }

/** What was wrong with a delivery is for the log; its sender learns only that it was not let in. */
export type Hooked = DeliveryOutcome | { readonly type: "refused" }

const MAX_TRIGGERS_PER_SESSION = 100
/** A chatty sender must not run a model without end. */
const USUAL_THROTTLE = { count: 60, per_ms: 60_000 }
const LOOK_MS = 1000
const LISTEN_MS = 5000
const HOLD_MS = 3 * LISTEN_MS
/** Whoever fired it and did not send it by then has died. */
const GIVEN_UP_MS = 10_000

/** What wakes sessions that nobody types into. Any number of processes may look: the store decides who
 *  fires, and what was fired is sent once, by this process or by another after it (BEY-07). */
export class Triggers {
  readonly #rooms: TriggersDependencies
  readonly #now: () => number
  readonly #watched = new Set<string>()
  #timers: NodeJS.Timeout[] = []
  #soon: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #stopped = false

  constructor(rooms: TriggersDependencies) {
    this.#rooms = rooms
    this.#now = rooms.now ?? Date.now
  }

  start() {
    this.#timers = [
      setInterval(() => void this.look(), LOOK_MS).unref(),
      setInterval(() => void this.#listen(), LISTEN_MS).unref(),
    ]
    void this.look()
    void this.#listen()
  }

  async stop() {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#soon)
    await this.#looking
  }

  async add(wanted: NewTriggerOf): Promise<StoredTrigger> {
    const now = this.#now()
    const { source, throttle = usualThrottle(source) } = wanted
    const next_fire_at = firstOf(source, now)
    if (next_fire_at === undefined)
      throw new Refusal("invalid", "that never fires: its time is over")
    if (wanted.repeats && !(source.source === "webhook" && signsTime(source.key)))
      throw new Refusal("invalid", "repeats needs a webhook whose key signs a time (time_header)")
    const trigger: Trigger = {
      ...wanted,
      id: newId("trg"),
      enabled: wanted.enabled ?? true,
      created_at: now,
      ...(throttle ? { throttle } : {}),
    }
    const max_per_session = MAX_TRIGGERS_PER_SESSION
    const added = await this.#rooms.store.addTrigger({ trigger, next_fire_at, max_per_session })
    this.#lookSoon(next_fire_at)
    if (source.source === "mcp-event") void this.#listen()
    return added
  }

  list(session_id?: string, principal?: string): Promise<StoredTrigger[]> {
    return this.#rooms.store.triggers({ session_id, principal })
  }

  async get(id: string): Promise<StoredTrigger> {
    const found = await this.#rooms.store.trigger(id)
    if (!found) throw new Refusal("not_found", `there is no trigger ${id}`)
    return found
  }

  /** With a session, only if the trigger is that session's. */
  async remove(id: string, session_id?: string): Promise<boolean> {
    const about = session_id === undefined ? { id } : { id, session_id }
    const { removed } = await this.#rooms.store.removeTrigger(about)
    if (removed) this.#leave(id)
    return removed
  }

  /** Off, it is kept and fires no more; on, it goes on from now: what was due meanwhile is not made up
   *  for. */
  async switch(id: string, enabled: boolean): Promise<StoredTrigger> {
    const { trigger } = await this.get(id)
    const { source } = trigger
    const next_fire_at = enabled ? firstOf(source, this.#now()) : null
    const ends_at = "ends_at" in source ? source.ends_at : Number.POSITIVE_INFINITY
    if (next_fire_at === undefined || (next_fire_at ?? 0) > ends_at)
      throw new Refusal("conflict", `trigger ${id} cannot be turned on: its time is over`)
    const switched = await this.#rooms.store.switchTrigger({ id, enabled, next_fire_at })
    if (!switched) throw new Refusal("not_found", `there is no trigger ${id}`)
    if (!enabled) this.#leave(id)
    this.#lookSoon(next_fire_at)
    if (enabled && source.source === "mcp-event") void this.#listen()
    return switched
  }

  /** By a program that is inside already. */
  async fire(
    id: string,
    given: { payload?: string; delivery_id?: string },
  ): Promise<DeliveryOutcome> {
    const { trigger } = await this.get(id)
    const { payload = "", delivery_id = randomUUID() } = given
    return this.#fire(trigger, { source: "api", delivery_id }, Buffer.from(payload))
  }

  /** By a stranger who has the trigger's key (TRG-004). */
  async hook(id: string, delivery: Omit<WebhookDelivery, "at">): Promise<Hooked> {
    const found = await this.#rooms.store.trigger(id)
    const { source } = found?.trigger ?? {}
    if (!found || source?.source !== "webhook")
      return this.#turnAway(id, "there is no such webhook")
    const admission = admitDelivery(source.key, { ...delivery, at: this.#now() })
    if (admission.type === "refused") return this.#turnAway(id, admission.reason)
    const { headers, body } = delivery
    const { trigger } = found
    const about = {
      source: "webhook" as const,
      delivery_id: deliveryId(headers) ?? randomUUID(),
      headers: chooseHeaders(headers),
      auth_subject: admission.subject,
    }
    const { signature } = trigger.repeats ? {} : admission
    return this.#fire(trigger, about, body, signature === undefined ? {} : { signature })
  }

  /** Fire what is due, and send what somebody fired and did not live to send. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => this.#log(`looking for triggers failed: ${String(error)}`))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #lookOnce() {
    const { store } = this.#rooms
    const now = this.#now()
    for (const due of await store.dueTriggers(now)) await this.#fireDue(due, now)
    for (const left of await store.pendingDeliveries(Date.now() - GIVEN_UP_MS))
      await this.#send(left)
    const next = await store.nextTriggerAt()
    if (next !== null) this.#lookSoon(next)
  }

  async #fireDue({ trigger, next_fire_at: at }: StoredTrigger, now: number) {
    const { source, id, created_at } = trigger
    if (at === null || !("schedule" in source)) return
    // A time that was slept through is made up for once, and one that the clock went back to is over.
    const after = nextFire(source.schedule, Math.max(now, at), created_at)
    const isOver = after === undefined || ("ends_at" in source && after > source.ends_at)
    const due = { at, next: isOver ? null : after }
    const about = { source: source.source, delivery_id: `at:${at}`, schedule_id: id }
    await this.#fire(trigger, about, new Uint8Array(), { due })
  }

  async #fire(
    trigger: Trigger,
    about: Omit<TriggerEnvelope, "fired_at"> & { readonly delivery_id: string },
    payload: Uint8Array,
    known: Pick<Firing, "due" | "signature"> = {},
  ): Promise<DeliveryOutcome> {
    const envelope: TriggerEnvelope = { ...about, fired_at: this.#now() }
    const fired = await this.#rooms.store.fireTrigger({
      trigger_id: trigger.id,
      delivery_id: about.delivery_id,
      message_id: newId("msg"),
      text: triggerText(trigger.prompt, payload),
      envelope,
      ...known,
    })
    if (fired.type !== "fired") return fired
    await this.#send(fired.delivery)
    return { type: "accepted", message_id: fired.delivery.message_id }
  }

  // The message's id was given when it was fired: however often it is sent, it is one message.
  async #send(delivery: PendingDelivery) {
    if (this.#stopped) return
    const { trigger_id, delivery_id, message_id, session_id, text, envelope } = delivery
    const { store, submit } = this.#rooms
    const parts = [{ type: "text" as const, text }]
    const state = await submit({ session_id, message_id, parts, mode: "queued", trigger: envelope })
      .then(() => "sent" as const)
      .catch((error: unknown) => {
        this.#log(`trigger ${trigger_id} could not send: ${String(error)}`)
        // A refusal stays one; what the world did may be over the next time.
        return error instanceof Refusal ? ("refused" as const) : undefined
      })
    if (state) await store.settleDelivery({ trigger_id, delivery_id, state })
  }

  // Servers are listened to by one process at a time: each has its own server, and each would hear it.
  async #listen() {
    const { store, owner } = this.#rooms
    try {
      const wanted = (await store.triggers({})).filter(({ trigger }) => trigger.enabled)
      const ids = new Set(wanted.map(({ trigger }) => trigger.id))
      for (const id of this.#watched) if (!ids.has(id)) this.#leave(id)
      for (const { trigger } of wanted)
        if (trigger.source.source === "mcp-event") {
          const { held } = await store.holdTrigger({ id: trigger.id, owner, for_ms: HOLD_MS })
          if (held && !this.#stopped) await this.#watch(trigger, trigger.source)
          else this.#leave(trigger.id)
        }
    } catch (error) {
      if (!this.#stopped) this.#log(`listening to servers failed: ${String(error)}`)
    }
  }

  async #watch(trigger: Trigger, { server, uri }: Extract<Trigger["source"], { server: string }>) {
    this.#watched.add(trigger.id)
    await this.#rooms.watch({
      key: trigger.id,
      session_id: trigger.session_id,
      server,
      uri,
      heard: (changed) => {
        const payload = Buffer.from(JSON.stringify({ server, uri: changed }))
        const about = { source: "mcp-event" as const, delivery_id: randomUUID() }
        this.#fire(trigger, { ...about, auth_subject: `mcp:${server}` }, payload).catch(
          (error: unknown) => this.#log(`trigger ${trigger.id} failed: ${String(error)}`),
        )
      },
    })
  }

  #leave(id: string) {
    if (this.#watched.delete(id)) this.#rooms.unwatch(id)
  }

  #turnAway(id: string, why: string): Hooked {
    this.#log(`a delivery for ${id.slice(0, 64)} was turned away: ${why}`)
    return { type: "refused" }
  }

  // The steady look is often enough for cron; what is due sooner need not wait for it.
  #lookSoon(at: number | null) {
    const wait = at === null ? LOOK_MS : at - this.#now()
    if (this.#stopped || this.#timers.length === 0 || wait >= LOOK_MS) return
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.look(), Math.max(0, wait)).unref()
  }

  #log(message: string) {
    this.#rooms.log?.(message)
  }
}

/** Undefined for a schedule that never fires; null for what only fires when it is told to. */
function firstOf(source: Trigger["source"], now: number): number | null | undefined {
  return "schedule" in source ? nextFire(source.schedule, now, now) : null
}

function usualThrottle({ source }: Trigger["source"]): Trigger["throttle"] {
  return source === "webhook" || source === "mcp-event" ? USUAL_THROTTLE : undefined
}
