import { z } from "zod"
import type { PartData } from "./define-part.ts"
import { SCHEMAS } from "./schemas.ts"
import { isKnownType, PARTS, type Part } from "./table.ts"

type KnownDefinition = Exclude<(typeof PARTS)[keyof typeof PARTS], typeof PARTS.unknown>

function isKnown(definition: (typeof PARTS)[keyof typeof PARTS]): definition is KnownDefinition {
  return definition.type !== "unknown"
}

const KNOWN = Object.values(PARTS).filter(isKnown)
const [first = PARTS.text, ...others] = KNOWN

/** The parts that this version knows, as they are written. */
export const KnownPart = z.discriminatedUnion("type", [
  first.schema(SCHEMAS),
  ...others.map((definition) => definition.schema(SCHEMAS)),
])

const Unknown = PARTS.unknown.schema(SCHEMAS)

/** What a surface may send: parts that we know, and parts that we do not know yet. */
export const AnyPart = z.unknown().transform((value, context): Part => {
  const parsed = schemaFor(value).safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues)
    context.addIssue({ code: "custom", path: issue.path, message: issue.message })
  return z.NEVER
})

/** The same, left as it is written. */
export const AnyPartData = z.unknown().transform((value, context): PartData => {
  const parsed = AnyPart.safeParse(value)
  if (parsed.success) return parsed.data.type === "unknown" ? parsed.data.raw : parsed.data
  for (const issue of parsed.error.issues)
    context.addIssue({ code: "custom", path: issue.path, message: issue.message })
  return z.NEVER
})

function schemaFor(value: unknown): typeof KnownPart | typeof Unknown {
  const type =
    typeof value === "object" && value !== null && "type" in value ? value.type : undefined
  return typeof type === "string" && !isKnownType(type) ? Unknown : KnownPart
}

/** Read a stored part. One that no longer fits its schema is unknown, not an error: a bad row must
 *  not break the session it is in. */
export function readPart(data: unknown): Part {
  const parsed = AnyPart.safeParse(data)
  if (parsed.success) return parsed.data
  const record = typeof data === "object" && data !== null ? data : {}
  return { type: "unknown", raw: { ...record, type: "unknown" } }
}
