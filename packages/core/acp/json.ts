export type Json = null | string | number | boolean | Json[] | { [name: string]: Json | undefined }

/** An object that came from JSON and was not looked into. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A copy without some of its fields. */
export function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
