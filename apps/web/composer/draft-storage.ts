import { type ComposerDraft, EMPTY_DRAFT } from "./draft.ts"

const PREFIX = "compositor.draft."

/** Where drafts lie while the page is away: the browser's own storage. */
export class DraftStorage {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  find(key: string): ComposerDraft {
    try {
      const kept = JSON.parse(this.#storage.getItem(PREFIX + key) ?? "{}") as Partial<ComposerDraft>
      const outgoing = (kept.outgoing ?? []).map((message) => ({ ...UNMARKED, ...message }))
      const stash = (kept.stash ?? []).map((stashed) => ({ ...UNMARKED, ...stashed }))
      return { ...EMPTY_DRAFT, ...kept, outgoing, stash, empty: !kept.text }
    } catch {
      return { ...EMPTY_DRAFT }
    }
  }

  keep(key: string, draft: ComposerDraft) {
    const { text, marks, literals, attachments, outgoing, returned, stash, base, dirty } = draft
    const ready = attachments.filter((attachment) => attachment.part)
    const kept = { text, marks, literals, attachments: ready, outgoing, stash, base, dirty }
    const isNothing = text === "" && [ready, outgoing, stash].every(({ length }) => length === 0)
    try {
      if (isNothing && !dirty) this.empty(key)
      else {
        const all = returned ? { ...kept, returned } : kept
        this.#storage.setItem(PREFIX + key, JSON.stringify(all, lasting))
      }
    } catch {
      // The browser's drawer is full; the draft lives as long as the page.
    }
  }

  empty(key: string) {
    this.#storage.removeItem(PREFIX + key)
  }
}

/** What an earlier version of the page kept has no parts in its text. */
const UNMARKED = { marks: {}, literals: [] }

// A file cannot be written down.
function lasting(_: string, value: unknown): unknown {
  return value instanceof File ? undefined : value
}
