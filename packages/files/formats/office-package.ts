import { posix } from "node:path"
import { attribute, readXml } from "./read-xml.ts"
import { refuse } from "./refusal.ts"
import type { ZipPackage } from "./zip-package.ts"

export interface Relationship {
  /** The last word of its type, such as `slide`. */
  readonly type: string
  /** A part of the package, or an address outside. */
  readonly target: string
}

const MAX_RELATIONSHIPS = 20_000

/** The part that everything else hangs on, such as `word/document.xml`. */
export async function mainPart(zip: ZipPackage): Promise<string> {
  for (const { type, target } of (await relationships(zip, "")).values())
    if (type === "officeDocument") return target
  return refuse("It does not say which of its parts is the document.")
}

/** What a part of an Office package refers to, by the ids that the part uses. */
export async function relationships(
  zip: ZipPackage,
  part: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const folder = posix.dirname(part)
  const file = posix.join(folder, "_rels", `${posix.basename(part)}.rels`)
  const found = new Map<string, Relationship>()
  if (!zip.has(file)) return found
  await readXml(zip.chunks(file), {
    open: (name, attributes) => {
      if (name !== "Relationship" || found.size >= MAX_RELATIONSHIPS) return
      const target = attribute(attributes, "Target") ?? ""
      const outside = attribute(attributes, "TargetMode") === "External"
      found.set(attribute(attributes, "Id") ?? "", {
        type: attribute(attributes, "Type")?.split("/").at(-1) ?? "",
        target: outside ? target : inside(folder, target),
      })
    },
  })
  return found
}

/** The id by which an element refers to another part: `r:id`, whatever its prefix is here. */
export function relationId(attributes: Readonly<Record<string, string>>): string {
  for (const name in attributes) if (name.endsWith(":id")) return attributes[name] ?? ""
  return ""
}

function inside(folder: string, target: string): string {
  return target.startsWith("/") ? target.slice(1) : posix.join(folder, target)
}
