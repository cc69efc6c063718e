import { hash } from "node:crypto"

/** A fingerprint of a payload: equal for equal payloads, whatever the order of their keys. */
export function digestOf(payload: unknown): string {
  return hash("sha256", canonical(payload), "base64url")
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(record)
  if (keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key)) return record
  return Object.fromEntries(keys.sort().map((key) => [key, record[key]]))
}
