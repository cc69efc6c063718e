/** The data of a call's result, but for what its text says already: an exit code is worth a line, a
 *  text twice is not. */
export function resultBeside(data: unknown, told: string): unknown {
  if (told === "") return data
  if (typeof data === "string") return told.includes(data.trim()) ? undefined : data
  if (typeof data !== "object" || data === null || Array.isArray(data)) return data
  const rest = Object.entries(data).filter(
    ([, value]) => typeof value !== "string" || value === "" || !told.includes(value.trim()),
  )
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

export function textOfData(data: unknown): string {
  if (data === undefined || data === null) return ""
  return typeof data === "string" ? data : JSON.stringify(data, null, 2)
}
