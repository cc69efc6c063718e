/** What a JSON column of a row holds. One that something broke says nothing: it must not break the
 *  session that it is in. */
export function openJson(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
  return {}
}
