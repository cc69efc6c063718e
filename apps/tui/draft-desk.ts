import { bodyOfEditable } from "compositor-core/compose/editable"
import { randomUUID } from "node:crypto"
import { type AnyPart, ApiError, type Client, type DraftBody } from "compositor-client/client"

/** What is being composed, whatever shows it. */
export interface ComposedDraft extends DraftBody {
  readonly attachments: readonly AnyPart[]
}

interface DraftOptions {
  /** What the composer holds now. */
  readonly read: () => ComposedDraft
  readonly write: (draft: ComposedDraft) => void
  /** Whether the composer holds something else for a while: a queued message that is edited. */
  readonly lent: () => boolean
  /** This draft gave way to another; it is in the stash. */
  readonly outrun: (lost: ComposedDraft) => void
}

const SAVE_AFTER = 500
const RETRY_AFTER = 2000
const EMPTY: ComposedDraft = { source: "", attachments: [] }

/** Keeps the composer and the session's draft on the server in step: what is begun in the browser is
 *  finished here, and the reverse (BEY-10). Where both write at once, the first to arrive stays and the
 *  other is stashed. */
export class SharedDraft {
  /** Who writes, as others are told. */
  readonly name = `tui:${randomUUID().slice(0, 8)}`
  readonly #client: Client
  readonly #options: DraftOptions
  #session: string | undefined
  /** The server's revision that this one goes on from, and how it looked here. */
  #base = 0
  #synced = markOf(EMPTY)
  /** One thing at a time. */
  #doing: Promise<unknown> = Promise.resolve()
  #waiting: NodeJS.Timeout | undefined

  constructor(client: Client, options: DraftOptions) {
    this.#client = client
    this.#options = options
  }

  /** Show another session's draft; the one on show stays with its session. What was typed before there
   *  was any session is newer than what the server has, and wins. */
  async open(session: string) {
    await this.#alone(async () => {
      if (this.#session !== undefined) {
        await this.#save()
        this.#put(EMPTY)
      }
      this.#session = session
      this.#base = 0
      this.#synced = markOf(EMPTY)
      const { revision, draft } = await this.#client.draft.get(session)
      this.#base = revision
      const found = composedOf(draft)
      if (!this.#isDirty) return this.#put(found)
      await this.#save()
      if (markOf(found) !== markOf(EMPTY)) await this.#stash(session, revision, found)
    })
  }

  /** Something was typed or attached. */
  changed() {
    this.#soon(SAVE_AFTER)
  }

  /** The stream told of a revision. */
  heard(told: { readonly revision?: unknown; readonly updated_by?: unknown }) {
    if (told.updated_by === this.name || Number(told.revision) <= this.#base) return
    void this.#alone(() => this.#pull())
  }

  /** Save what is not saved yet. */
  async flush() {
    clearTimeout(this.#waiting)
    await this.#alone(() => this.#save())
  }

  /** Drafts that lost against another, the newest first. */
  async stash(): Promise<readonly ComposedDraft[]> {
    if (this.#session === undefined) return []
    const { stash } = await this.#client.draft.stash(this.#session)
    return stash.map(({ draft }) => composedOf(draft))
  }

  get #isDirty(): boolean {
    return markOf(this.#options.read()) !== this.#synced
  }

  #soon(milliseconds: number) {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => void this.#alone(() => this.#save()), milliseconds)
    this.#waiting.unref()
  }

  // What cannot be saved now is still here, and is tried again.
  #alone(act: () => Promise<unknown>): Promise<unknown> {
    this.#doing = this.#doing.then(act).catch((error: unknown) => {
      const status = error instanceof ApiError ? error.status : 500
      if (status === 404) this.#session = undefined
      if (status === 0 || status >= 500) this.#soon(RETRY_AFTER)
    })
    return this.#doing
  }

  async #save() {
    const session = this.#session
    if (session === undefined || this.#options.lent() || !this.#isDirty) return
    const draft = this.#options.read()
    try {
      const saved = await this.#client.draft.save(session, this.#request(this.#base, draft))
      this.#base = saved.revision
      this.#synced = markOf(draft)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      await this.#givenWay(session, draft)
    }
  }

  /** The server has another one, and has kept ours. */
  async #givenWay(session: string, ours: ComposedDraft) {
    const { revision, draft, updated_by } = await this.#client.draft.get(session)
    const theirs = composedOf(draft)
    this.#base = revision
    // Our own, of which we did not hear, or one that was sent: what is here goes on from it.
    if (updated_by === this.name || markOf(theirs) === markOf(EMPTY)) return this.#save()
    this.#put(theirs)
    if (theirs.source !== ours.source) this.#options.outrun(ours)
  }

  /** Take what the server has, unless there is something here that it has not. */
  async #pull() {
    const session = this.#session
    if (session === undefined || this.#options.lent()) return
    const { revision, draft } = await this.#client.draft.get(session)
    if (revision <= this.#base) return
    const theirs = composedOf(draft)
    // Saving against the old revision lets the server keep both.
    if (this.#isDirty && markOf(theirs) !== markOf(this.#options.read())) return this.#save()
    this.#base = revision
    this.#put(theirs)
  }

  #put(draft: ComposedDraft) {
    if (markOf(draft) !== markOf(this.#options.read())) this.#options.write(draft)
    // An editor may show it otherwise, e.g. tabs as spaces: that alone is no change.
    this.#synced = markOf(this.#options.read())
  }

  /** A draft that is written against a revision that is gone is kept aside by the server. */
  async #stash(session: string, revision: number, draft: ComposedDraft) {
    const request = this.#request(revision, draft)
    await this.#client.draft.save(session, request).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
    })
    this.#options.outrun(draft)
  }

  #request(base_revision: number, draft: ComposedDraft) {
    return { base_revision, draft, updated_by: this.name }
  }
}

function composedOf(draft: DraftBody | null): ComposedDraft {
  return { ...draft, source: draft?.source ?? "", attachments: draft?.attachments ?? [] }
}

export function markOf({
  source,
  attachments,
  inserts = [],
  literals = [],
}: ComposedDraft): string {
  return JSON.stringify([source, attachments, inserts, literals])
}

/** What a server is told of it. */
export function bodyOf({ source, attachments, inserts = [], literals = [] }: ComposedDraft) {
  return bodyOfEditable({ source, literals, inserts, rest: attachments })
}
