import type { PartData } from "../parts/define-part.ts"
import { isWords } from "../parts/table.ts"
import type { StoredPart } from "../message/row.ts"

/** What somebody put into a message; what was made of it is made again. */
export function ownParts(parts: readonly StoredPart[]): PartData[] {
  return parts.filter((part) => !isMade(part)).map(partOf)
}

export function partOf({ data, type }: StoredPart): PartData {
  return { ...data, type }
}

/** Whether a part came of the one before it: an expansion, or what a handler's command was given. */
function isMade(row: StoredPart): boolean {
  const { derived_from, argument_of } = row.data
  if (derived_from !== undefined || argument_of === undefined) return derived_from !== undefined
  return isWords(partOf(row))
}

/** A part of an edit: the rows of one that was there already, with what was made of it, or a new one. */
type EditedPart =
  | { readonly type: "kept"; readonly rows: readonly StoredPart[] }
  | { readonly type: "new"; readonly part: PartData }

/** Which parts of an edit were in the message before: each stays what it is, with its id and with all
 *  that was made of it (QUE-009). */
export function keepParts(before: readonly StoredPart[], next: readonly PartData[]): EditedPart[] {
  const groups = groupsOf(before)
  return next.map((part) => {
    const at = groups.findIndex(([own]) => own !== undefined && isSamePart(partOf(own), part))
    const [rows] = at < 0 ? [] : groups.splice(at, 1)
    return rows ? { type: "kept", rows } : { type: "new", part }
  })
}

/** Each part with what was made of it. */
function groupsOf(parts: readonly StoredPart[]): StoredPart[][] {
  const groups: StoredPart[][] = []
  for (const part of parts) {
    const group = groups.at(-1)
    if (group && isMade(part)) group.push(part)
    else groups.push([part])
  }
  return groups
}

/** What the server writes into a part: two parts that differ in it alone say the same. */
const WRITTEN_HERE: ReadonlySet<string> = new Set([
  "outcome",
  "route",
  "condition",
  "ingress",
  "loaded",
  "attached",
  "allow_secrets",
])

export function isSamePart(left: PartData, right: PartData): boolean {
  return isEqual(saidIn(left), saidIn(right))
}

function saidIn(part: PartData): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(part).filter(([name]) => !WRITTEN_HERE.has(name)))
}

/** Whether two values would be the same JSON, however their keys are ordered. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => isEqual(Reflect.get(left, name), Reflect.get(right, name)))
}
