import type { PartData } from "compositor-core/parts/define-part"

/** The text at a path such as `text` or `caption.words`; undefined where there is none. */
export function textAt(data: PartData, path: string): string | undefined {
  let value: unknown = data
  for (const name of path.split(".")) value = isRecord(value) ? value[name] : undefined
  return typeof value === "string" ? value : undefined
}

export function withText(data: PartData, path: string, text: string): PartData {
  return { ...changed(data, path.split("."), text), type: data.type }
}

/** The part without the field at a path. */
export function withoutField(data: PartData, path: string): PartData {
  return { ...changed(data, path.split("."), undefined), type: data.type }
}

type Fields = Readonly<Record<string, unknown>>

function changed(fields: Fields, path: readonly string[], text: string | undefined): Fields {
  const [name = "", ...inner] = path
  if (inner.length > 0) {
    const within = fields[name]
    return isRecord(within) ? { ...fields, [name]: changed(within, inner, text) } : fields
  }
  const { [name]: _, ...rest } = fields
  return text === undefined ? rest : { ...fields, [name]: text }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
