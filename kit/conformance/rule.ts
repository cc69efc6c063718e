/** A rule of SPEC.md. */
export interface Rule {
  readonly id: string
  readonly level: string
  readonly text: string
}

const ROW = /^\| ([A-Z]+-\d+) \| ([A-Z ]+) \| (.*) \|$/gm

/** The rules that a specification lists, in its order. */
export function rulesIn(markdown: string): Rule[] {
  return [...markdown.matchAll(ROW)].map(([, id = "", level = "", text = ""]) => ({
    id,
    level,
    text,
  }))
}

export function isBinding({ level }: Rule): boolean {
  return level.startsWith("MUST")
}
