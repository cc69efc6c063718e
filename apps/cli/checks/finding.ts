/** `missing` is worth knowing and breaks nothing; `wrong` must be mended. */
export interface Finding {
  readonly about: string
  readonly state: "fine" | "missing" | "wrong"
  /** What it is about: a path, an address, a version. */
  readonly says: string
  /** What to do about it. */
  readonly mend?: string
}

export function fine(about: string, says: string): Finding {
  return { about, state: "fine", says }
}

export function missing(about: string, says: string, mend?: string): Finding {
  return { about, state: "missing", says, ...(mend === undefined ? {} : { mend }) }
}

export function wrong(about: string, says: string, mend: string): Finding {
  return { about, state: "wrong", says, mend }
}
