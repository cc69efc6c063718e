import type { EntrySink, EntryWriter, FoundEntry } from "./sink.ts"

/** Keeps what an archive says of its entries, up to a number, and reads none of them. */
export class ListSink implements EntrySink {
  readonly maxEntries: number
  readonly maxScanned = Number.POSITIVE_INFINITY
  readonly entries: FoundEntry[] = []
  more = false

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries
  }

  get done(): boolean {
    return this.more
  }

  place(entry: FoundEntry): undefined {
    if (this.entries.length < this.maxEntries) this.entries.push(entry)
    else this.more = true
  }

  create(): EntryWriter {
    throw new Error("A list places nothing, so nothing is written.")
  }

  put() {
    throw new Error("A list places nothing, so nothing is written.")
  }

  note() {}
}
