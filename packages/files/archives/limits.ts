/** What an archive may cost at most, whatever it says about itself. */
export interface ArchiveLimits {
  /** Bytes that come out of it, counted as they are written. */
  readonly bytes: number
  /** Files, and as many folders again. */
  readonly files: number
  /** Folders above a file. */
  readonly depth: number
  /** Archives inside archives. */
  readonly nesting: number
  readonly milliseconds: number
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  bytes: 100 * 1024 * 1024,
  files: 10_000,
  depth: 32,
  nesting: 3,
  milliseconds: 9_000,
}

/** What a person may raise them to. */
export const MOST_OF_AN_ARCHIVE = {
  bytes: 1024 ** 4,
  files: 250_000,
} as const satisfies Partial<ArchiveLimits>

export function withDefaults(limits: Partial<ArchiveLimits> = {}): ArchiveLimits {
  return { ...ARCHIVE_LIMITS, ...limits }
}
