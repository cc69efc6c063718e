import { hash } from "node:crypto"

/** A fingerprint of a payload: equal for equal payloads, whatever the order of their keys. */
export function digestOf(payload: unknown): string {
  return hash("sha256", canonical(payload), "base64url")
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const record = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(record).filter((key) => record[key] !== undefined)
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(record[key])}`)
    .join(",")}}`
}
