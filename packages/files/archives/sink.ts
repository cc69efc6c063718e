/** An entry as an archive tells of it. Nothing of this is to be believed but the name's spelling. */
export interface FoundEntry {
  readonly name: string
  readonly type: "file" | "folder" | "link" | "special"
  /** What the archive says; undefined where it does not say. */
  readonly size: number | undefined
}

/** Takes the bytes of one file and counts them. */
export interface EntryWriter {
  write(bytes: Uint8Array): void
  end(): void
}

/** What becomes of the entries that a reader finds: they are listed, or written. */
export interface EntrySink {
  /** A reader of a directory need not look at more. */
  readonly maxEntries: number
  /** Nothing more is wanted. */
  readonly done: boolean
  /** Whether the bytes of what is passed over count too. */
  readonly maxScanned: number
  /** Where the bytes of an entry go; undefined where they are not wanted. */
  place(entry: FoundEntry): string | undefined
  /** Begin a file at a place. */
  create(path: string, name: string): EntryWriter
  /** A whole file at once. */
  put(path: string, name: string, bytes: Uint8Array): void
  note(text: string): void
}
