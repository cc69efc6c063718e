import { isDeepStrictEqual } from "node:util"
import type { Kit } from "./kit.ts"

/** A short life of a session, watched over the wire. */
export interface Scenario {
  readonly title: string
  /** The rules that it looks at: each must be seen, or it is not kept. */
  readonly rules: readonly string[]
  /** Without the kit's model, or a folder that both can read, it cannot be lived. */
  readonly needs: readonly Need[]
  live(kit: Kit, see: Seeing): Promise<void>
}

export type Need = "model" | "folder"

export interface Unmet {
  readonly what: string
  readonly expected: string
  readonly came: string
}

/** What was seen of rules. It goes on after a rule was broken, so that one fault hides no other. */
export class Seeing {
  readonly met = new Set<string>()
  readonly unmet = new Map<string, Unmet>()

  equal(id: string, what: string, came: unknown, expected: unknown) {
    this.#note(id, isDeepStrictEqual(came, expected), {
      what,
      expected: shown(expected),
      came: shown(came),
    })
  }

  /** `came` is told when it does not hold. */
  holds(id: string, what: string, holds: boolean, came: unknown) {
    this.#note(id, holds, { what, expected: "that it holds", came: shown(came) })
  }

  contains(id: string, what: string, came: string, expected: string) {
    const unmet = { what, expected: `something with ${shown(expected)}`, came: shown(came) }
    this.#note(id, came.includes(expected), unmet)
  }

  lacks(id: string, what: string, came: string, unwanted: string) {
    const unmet = { what, expected: `nothing with ${shown(unwanted)}`, came: shown(came) }
    this.#note(id, !came.includes(unwanted), unmet)
  }

  #note(id: string, holds: boolean, unmet: Unmet) {
    if (holds) this.met.add(id)
    else if (!this.unmet.has(id)) this.unmet.set(id, unmet)
  }
}

const SHOWN_CHARACTERS = 300

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
