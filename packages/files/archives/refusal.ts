/** Thrown inside the thread when an archive is not extracted; it becomes the `refused` outcome. */
export class ArchiveRefusal extends Error {
  readonly entry: string | undefined

  constructor(reason: string, entry?: string) {
    super(reason)
    this.entry = entry
  }
}

/** Thrown inside the thread for a format or a wrapper that nothing here reads. */
export class Unsupported extends Error {
  readonly format: string

  constructor(format: string) {
    super(`${format} is not read here`)
    this.format = format
  }
}

/** A refusal that is about one entry and says so. */
export function refuseEntry(name: string, what: string): ArchiveRefusal {
  return new ArchiveRefusal(`${shownName(name)} ${what}`, name)
}

const MAX_SHOWN = 120

/** An entry's name as it may be shown: a stranger wrote it. */
export function shownName(name: string): string {
  const visible = name
    .slice(0, MAX_SHOWN)
    .replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return name.length > MAX_SHOWN ? `${visible}…` : visible
}

/** Controls, what turns text around, line ends, and halves of characters. */
export const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\uFEFF]/gu
