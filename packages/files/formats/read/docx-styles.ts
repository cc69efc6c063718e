import { attribute, readXml } from "../read-xml.ts"

export interface DocxStyles {
  /** Style ids that mean a heading, and which. */
  readonly levels: ReadonlyMap<string, number>
  /** `list:depth` of lists that count. */
  readonly ordered: ReadonlySet<string>
}

const MAX_STYLES = 5_000

/** Which paragraph styles are headings. An id may be in any language; the name is not. */
export async function readStyles(chunks: AsyncIterable<Uint8Array>): Promise<Map<string, number>> {
  const levels = new Map<string, number>()
  const parents = new Map<string, string>()
  let id = ""
  await readXml(chunks, {
    open: (name, attributes) => {
      const value = attribute(attributes, "val") ?? ""
      if (name === "style") id = attribute(attributes, "styleId") ?? ""
      if (parents.size >= MAX_STYLES || levels.size >= MAX_STYLES) return
      if (name === "name" && levelOf(value)) levels.set(id, levelOf(value))
      if (name === "outlineLvl" && Number(value) < 6) levels.set(id, Number(value) + 1)
      if (name === "basedOn") parents.set(id, value)
    },
  })
  for (const [style, parent] of parents) {
    const level = levels.get(parent)
    if (level !== undefined && !levels.has(style)) levels.set(style, level)
  }
  return levels
}

function levelOf(name: string): number {
  if (/^title$/i.test(name)) return 1
  return Number(/^heading (\d)$/i.exec(name)?.[1] ?? 0)
}

/** The lists that count instead of making bullets. */
export async function readNumbering(chunks: AsyncIterable<Uint8Array>): Promise<Set<string>> {
  const formats = new Map<string, string>()
  const ordered = new Set<string>()
  let abstract = ""
  let depth = ""
  let list = ""
  await readXml(chunks, {
    open: (name, attributes) => {
      const value = attribute(attributes, "val") ?? ""
      if (name === "abstractNum") abstract = attribute(attributes, "abstractNumId") ?? ""
      if (name === "lvl") depth = attribute(attributes, "ilvl") ?? ""
      if (name === "num") list = attribute(attributes, "numId") ?? ""
      if (formats.size >= MAX_STYLES || ordered.size >= MAX_STYLES) return
      if (name === "numFmt") formats.set(`${abstract}:${depth}`, value)
      if (name === "abstractNumId")
        for (let level = 0; level < 9; level++)
          if (counts(formats.get(`${value}:${level}`))) ordered.add(`${list}:${level}`)
    },
  })
  return ordered
}

function counts(format: string | undefined): boolean {
  return format !== undefined && format !== "bullet" && format !== "none"
}
