import { type AnyPart, ApiError, type Client } from "compositor-client/client"
import type { DraftKeeper } from "./draft-desk.ts"
import { sleep } from "../thread/thread.ts"

const SAVE_AFTER = 500
const RETRY_AFTER = 2_000
const SETTLED_AFTER = 50

interface DraftEvents {
  /** Another surface wrote at the same time; what was here is in the server's stash. */
  readonly outrun: () => void
}

/** Keeps the drafts on the desk and those of the server in step: what is begun here can be finished
 *  elsewhere, and two pages on one session show the same words (BEY-10). */
export class Drafts {
  /** Who writes, as others are told. */
  readonly name = nameOfTab()
  readonly #client: Client
  readonly #desk: DraftKeeper
  readonly #events: DraftEvents
  /** Drafts that were compared with the server's since the page began. */
  readonly #open = new Set<string>()
  readonly #busy = new Set<string>()
  /** Drafts of which something was told while they were busy. */
  readonly #missed = new Set<string>()
  #waiting = false

  constructor(client: Client, desk: DraftKeeper, events: DraftEvents) {
    this.#client = client
    this.#desk = desk
    this.#events = events
    desk.subscribe(() => this.#soon(SAVE_AFTER))
  }

  /** The session is on show: from now on its draft is followed. */
  async open(key: string) {
    await this.#pull(key)
    this.#open.add(key)
    this.#soon(0)
  }

  /** The stream told of a revision. */
  heard(key: string, told: { revision: number; updated_by: string }) {
    if (told.updated_by === this.name || told.revision <= this.#desk.base(key)) return
    void this.#pull(key)
  }

  /** Something was put into the draft on the server: it is here too, beside what was typed meanwhile. */
  async attach(key: string, put: () => Promise<{ revision: number; part: AnyPart }>) {
    while (this.#busy.has(key)) await sleep(SETTLED_AFTER)
    await this.#alone(key, async () => {
      const { revision, part } = await put()
      if (revision === this.#desk.base(key) + 1) this.#desk.attached(key, revision, part)
      // Another page wrote in between: what it wrote is to be read too.
      else this.#missed.add(key)
    })
  }

  forget(key: string) {
    this.#open.delete(key)
  }

  #soon(milliseconds: number) {
    if (this.#waiting) return
    this.#waiting = true
    setTimeout(() => {
      this.#waiting = false
      for (const key of this.#open) void this.#save(key)
    }, milliseconds)
  }

  async #save(key: string) {
    const draft = this.#desk.unsynced(key)
    if (!draft || this.#busy.has(key)) return
    await this.#alone(key, async () => {
      try {
        const { revision } = await this.#client.draft.save(key, {
          base_revision: draft.base,
          draft: draft.draft,
          updated_by: this.name,
        })
        this.#desk.synced(key, revision, draft.draft)
      } catch (error) {
        await this.#failed(key, error)
      }
    })
    if (this.#desk.unsynced(key)) this.#soon(SAVE_AFTER)
  }

  /** One thing at a time with a draft; what is told meanwhile is looked at afterwards. */
  async #alone(key: string, act: () => Promise<void>) {
    this.#busy.add(key)
    try {
      await act()
    } finally {
      this.#busy.delete(key)
      if (this.#missed.delete(key)) void this.#pull(key)
    }
  }

  async #failed(key: string, error: unknown) {
    const status = error instanceof ApiError ? error.status : 0
    if (status === 404) return this.forget(key)
    if (status !== 409) return this.#soon(RETRY_AFTER)
    const { revision, draft, updated_by } = await this.#client.draft.get(key)
    const isBlank = !draft || (draft.source === "" && (draft.attachments ?? []).length === 0)
    // Our own, of which we did not hear, or one that was sent: what is here goes on from it.
    if (updated_by === this.name || isBlank) return this.#desk.rebase(key, revision)
    const { differs } = await this.#adopt(key)
    if (differs) this.#events.outrun()
  }

  /** Take what the server has, unless there is something here that it has not. */
  async #pull(key: string) {
    if (this.#busy.has(key)) return void this.#missed.add(key)
    try {
      if (this.#desk.unsynced(key)) {
        const { revision, draft } = await this.#client.draft.get(key)
        const same = draft?.source === this.#desk.draftBody(key).source
        // Saving against the old revision lets the server keep both.
        if (revision !== this.#desk.base(key) && !same) return await this.#save(key)
        if (!same) return
      }
      await this.#adopt(key)
    } catch {
      this.#soon(RETRY_AFTER) // The draft is here; the server is asked again.
    }
  }

  async #adopt(key: string): Promise<{ differs: boolean }> {
    const { revision, draft } = await this.#client.draft.get(key)
    const differs = (draft?.source ?? "") !== this.#desk.draftBody(key).source
    if (revision > this.#desk.base(key)) this.#desk.adopt(key, revision, draft ?? { source: "" })
    return { differs }
  }
}

const NAME_KEY = "compositor.tab"

/** The same after a reload. */
function nameOfTab(): string {
  const known = sessionStorage.getItem(NAME_KEY)
  if (known) return known
  const name = `web:${crypto.randomUUID().slice(0, 8)}`
  sessionStorage.setItem(NAME_KEY, name)
  return name
}
