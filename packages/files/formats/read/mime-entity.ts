/** A part of a mail: headers and what they say of the body. */
export interface MimeEntity {
  readonly headers: ReadonlyMap<string, string>
  readonly type: string
  readonly charset: string | undefined
  readonly boundary: string | undefined
  /** Set when it is an attachment. */
  readonly name: string | undefined
  readonly body: Buffer
  /** The body without its transfer encoding. */
  readonly content: () => Buffer
}

const MAX_HEADER_BYTES = 256 * 1024
const MAX_PARTS = 500

export function readEntity(bytes: Buffer): MimeEntity {
  const [head, body] = halves(bytes)
  const headers = readHeaders(head)
  const contentType = headers.get("content-type") ?? "text/plain"
  const disposition = headers.get("content-disposition") ?? ""
  const encoding = headers.get("content-transfer-encoding")?.trim().toLowerCase()
  const name = parameter(disposition, "filename") ?? parameter(contentType, "name")
  const isAttachment = /^\s*attachment/i.test(disposition) || name !== undefined
  return {
    headers,
    type: contentType.split(";", 1)[0]?.trim().toLowerCase() || "text/plain",
    charset: parameter(contentType, "charset"),
    boundary: parameter(contentType, "boundary"),
    name: isAttachment ? (name ?? "attachment") : undefined,
    body,
    content: () => decodeTransfer(body, encoding),
  }
}

/** The parts between an entity's boundaries. */
export function partsOf({ boundary, body }: MimeEntity): MimeEntity[] {
  if (!boundary) return []
  const mark = Buffer.from(`--${boundary.slice(0, 200)}`)
  const parts: MimeEntity[] = []
  let at = body.indexOf(mark)
  while (at >= 0 && parts.length < MAX_PARTS) {
    const start = at + mark.length
    if (body.subarray(start, start + 2).toString("latin1") === "--") break
    const end = body.indexOf(mark, start)
    parts.push(readEntity(trimmedStart(body.subarray(start, end < 0 ? body.length : end))))
    at = end
  }
  return parts
}

function trimmedStart(bytes: Buffer): Buffer {
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return bytes.subarray(2)
  return bytes[0] === 0x0a ? bytes.subarray(1) : bytes
}

function halves(bytes: Buffer): [Buffer, Buffer] {
  // A body right away: a part may have no headers.
  if (bytes[0] === 0x0a || (bytes[0] === 0x0d && bytes[1] === 0x0a))
    return [Buffer.alloc(0), trimmedStart(bytes)]
  const candidates = ["\r\n\r\n", "\n\n"].map((gap) => ({ gap, at: bytes.indexOf(gap) }))
  const found = candidates.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)[0]
  if (!found) return [bytes, Buffer.alloc(0)]
  return [bytes.subarray(0, found.at), bytes.subarray(found.at + found.gap.length)]
}

function readHeaders(head: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  const unfolded = head
    .subarray(0, MAX_HEADER_BYTES)
    .toString("utf8")
    .replace(/\r?\n[ \t]+/g, " ")
  for (const line of unfolded.split(/\r?\n/)) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !headers.has(name))
      headers.set(name, decodeWords(line.slice(colon + 1).trim()))
  }
  return headers
}

/** `=?utf-8?B?…?=` as what it means. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(
      /=\?([\w-]{1,40})\?([bq])\?([^?]{0,2000})\?=/gi,
      (_, charset: string, kind: string, body: string) => {
        const bytes =
          kind.toLowerCase() === "b"
            ? Buffer.from(body, "base64")
            : decodeQuoted(Buffer.from(body.replaceAll("_", " "), "latin1"))
        return decoded(bytes, charset)
      },
    )
}

function decoded(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString("latin1")
  }
}

function parameter(header: string, name: string): string | undefined {
  const extended = new RegExp(`;\\s*${name}\\*=([\\w-]*)'[^']*'([^;\\s]+)`, "i").exec(header)
  if (extended) return unescaped(extended[2] ?? "")
  const found = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, "i").exec(header)
  return found?.[1] ?? found?.[2]
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function decodeTransfer(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64")
  return encoding === "quoted-printable" ? decodeQuoted(body) : body
}

const EQUALS = 0x3d

function decodeQuoted(bytes: Buffer): Buffer {
  const plain = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== EQUALS) plain[length++] = byte
    else if (bytes[at + 1] === 0x0a) at += 1
    else if (bytes[at + 1] === 0x0d) at += 2
    else {
      const code = Number.parseInt(bytes.toString("latin1", at + 1, at + 3), 16)
      plain[length++] = Number.isNaN(code) ? byte : code
      if (!Number.isNaN(code)) at += 2
    }
  }
  return plain.subarray(0, length)
}
