import { hash } from "node:crypto"
import { Refusal } from "compositor-core/message/refusal"

/** Which entity: its type, and its name among those of its type. */
export interface EntityAddress {
  readonly type: string
  readonly id: string
  /** Among whose entities; the operator's where it is not said. Two may have the same name. */
  readonly principal?: string | null | undefined
}

const MAX_NAME_CHARACTERS = 200
/** A name is one step of an address, and nothing in it needs to be escaped there. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/

export function printEntityAddress({ type, id }: EntityAddress): string {
  return `/${type}/${id}`
}

/** `/type/id`, or both by themselves. */
export function addressOf(target: string | EntityAddress): EntityAddress {
  if (typeof target !== "string") return target
  const [, type, id, more] = target.split("/")
  if (type && id && more === undefined) return { type, id }
  throw new Refusal("invalid", `${target} names no entity: it is /type/id`)
}

export function checkName(name: string) {
  if (name.length <= MAX_NAME_CHARACTERS && NAME.test(name)) return
  const message = "must be letters, digits and . _ ~ -, and begin with a letter or a digit"
  throw new Refusal("invalid", `${name} is no name of an entity: it ${message}`, [
    { path: "/id", message },
  ])
}

/** An id that follows from what it is for: made again, it is the same. It sorts where its origin
 *  does. */
export function derivedId(prefix: "msg" | "ses", from: string, about: unknown): string {
  const time = /^[a-z]{3}_([0-9a-f]{12})/.exec(from)?.[1] ?? "0".repeat(12)
  const digest = hash("sha256", JSON.stringify([from, about]), "base64url")
  const letters = digest.replace(/[^0-9A-Za-z]/g, "").padEnd(14, "0")
  return `${prefix}_${time}${letters.slice(0, 14)}`
}
