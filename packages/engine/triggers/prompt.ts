/** What a trigger says: its own words, with values of the delivery in their places. `{{body}}` is all
 *  of it, `{{issue.title}}` a value inside JSON. Values are never read again as slots (BEY-05), and a
 *  slot that names nothing stays as it was written. */
export function triggerText(template: string, delivery: Uint8Array): string {
  const text = new TextDecoder().decode(delivery)
  const value = jsonOf(text)
  return template.replace(SLOT, (slot, path: string) => {
    if (path === "body") return cut(text)
    const found = valueAt(value, path.split("."))
    return found === undefined ? slot : cut(shown(found))
  })
}

const SLOT = /\{\{\s*([\w-]+(?:\.[\w-]+)*)\s*\}\}/g
const MAX_VALUE_CHARACTERS = 64 * 1024

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

function cut(text: string): string {
  return text.length <= MAX_VALUE_CHARACTERS
    ? text
    : `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}… (${text.length} characters in all)`
}
