const HEAD = /^data:[^,]*,/
const BASE64_HEAD = /;\s*base64\s*,$/i

/** The bytes that a data URL carries, in plain base64; undefined when it carries none. */
export function base64OfUrl(url: string): string | undefined {
  const head = HEAD.exec(url)?.[0]
  if (head === undefined) return undefined
  const payload = url.slice(head.length)
  if (!BASE64_HEAD.test(head)) return base64OfText(payload)
  if (isPlain(payload)) return payload
  const loose = unescaped(payload)?.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/")
  if (loose === undefined) return undefined
  const padded = loose
    .replace(/=+$/, "")
    .padEnd(Math.ceil(loose.replace(/=+$/, "").length / 4) * 4, "=")
  return isPlain(padded) ? padded : undefined
}

function isPlain(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

/** Percent-encoded bytes. */
function base64OfText(payload: string): string | undefined {
  const text = unescaped(payload)
  return text === undefined ? undefined : base64OfUtf8(text)
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function base64OfUtf8(text: string): string {
  return base64OfBytes(new TextEncoder().encode(text))
}

// Code units of one byte each, in pieces that fit into one call.
const CHUNK = 0x8000

function base64OfBytes(bytes: Uint8Array): string {
  let binary = ""
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(binary)
}

/** The text that base64 of UTF-8 says; undefined when it says none. */
export function utf8OfBase64(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
