/** `missing` is worth knowing and breaks nothing; `wrong` must be mended. */
export interface CheckFinding {
  readonly about: string
  readonly state: "fine" | "missing" | "wrong"
  /** What it is about: a path, an address, a version. */
  readonly says: string
  /** What to do about it. */
  readonly mend?: string
}

export function fine(about: string, says: string): CheckFinding {
  return { about, state: "fine", says }
}

export function findMissing(about: string, says: string, mend?: string): CheckFinding {
  return { about, state: "missing", says, ...(mend === undefined ? {} : { mend }) }
}

export function findWrong(about: string, says: string, mend: string): CheckFinding {
  return { about, state: "wrong", says, mend }
}
