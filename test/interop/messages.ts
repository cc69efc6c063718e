import type { PartData } from "../../packages/core/parts/define-part.ts"

import fc from "fast-check"
import type { Message } from "../../packages/core/interop/message.ts"

/** Any message that could be stored: every part type, with fields that we do not know beside those
 *  that we do. */
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
const words = fc.string({ unit: "grapheme", maxLength: 40 })
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
const digest = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}`)
const base64 = fc
  .uint8Array({ maxLength: 30 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))

// As a row has been read: without -0. A key of that name is dropped by schemas, as it should be.
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes("__proto__"))
  .map((text): unknown => JSON.parse(text))
const object = fc.dictionary(word, json, { maxKeys: 3 })

const seal = fc.record(
  { api: word, model: word, id: word, signature: words, encrypted: words },
  { requiredKeys: ["api", "model"] },
)
const extras = fc.record(
  { intent: word, derived_from: word, ingress: object },
  { requiredKeys: [] },
)

function part<Fields extends object>(type: string, fields: fc.Arbitrary<Fields>) {
  return fc
    .tuple(extras, fields)
    .map(([more, known]) => ({ ...more, ...known, type }) as unknown as PartData)
}

const line = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 99 }))
  .map(([start, length]) => ({ start, end: start + length }))
const byte = line.map(({ start, end }) => ({ start: start - 1, end, unit: "byte" as const }))
const fragment = fc.constantFrom(
  { unit: "page", start: 3, end: 7 } as const,
  { unit: "time", start: 40, end: 70 } as const,
  { unit: "cells", sheet: "Q3", cells: "A1:D20" } as const,
)
const path = fc
  .array(fc.stringMatching(/^[\w .#?!%é-]{1,8}$/), { minLength: 1, maxLength: 3 })
  .map((steps) => steps.join("/"))

export const pathReference = fc.record(
  {
    kind: fc.constant("path"),
    path,
    range: fc.oneof(line, byte),
    fragment,
    entry: fc.constantFrom("src/a.ts", "a b.txt"),
  },
  { requiredKeys: ["kind", "path"] },
)
const reference = fc.oneof(
  pathReference,
  fc.record({ kind: fc.constant("url"), url: fc.webUrl() }),
  fc.record({ kind: fc.constant("content"), content_id: digest, name }),
  fc.record({ kind: fc.constant("mcp"), server: name, uri: fc.webUrl() }),
)
const mime = fc.constantFrom(
  "image/png",
  "audio/wav",
  "text/plain",
  "text/plain; charset=utf-8",
  "application/pdf",
  "odd,mime;base64,",
)

const userParts: Readonly<Record<string, fc.Arbitrary<PartData>>> = {
  text: part("text", fc.record({ text: words })),
  "file-ref": part("file-ref", fc.record({ ref: reference })),
  "file-attachment": part(
    "file-attachment",
    fc.record(
      { name, mime, data: base64, content_id: digest, url: fc.webUrl(), size: fc.nat() },
      { requiredKeys: ["name", "mime"] },
    ),
  ),
  command: part("command", fc.record({ id: word.map((id) => `/${id}`), args: object })),
  mention: part(
    "mention",
    fc.record({
      target: fc.oneof(
        fc.record({ kind: fc.constantFrom("skill", "symbol", "branch"), name }),
        fc.record({ kind: fc.constant("file"), path }),
      ),
    }),
  ),
  "editor-context": part(
    "editor-context",
    fc.record(
      { kind: name, source: name, payload: object, emitted_at: fc.nat() },
      { requiredKeys: ["kind", "payload", "emitted_at"] },
    ),
  ),
  "directory-ref": part(
    "directory-ref",
    fc.record({ ref: fc.record({ kind: fc.constant("scope"), id: fc.constant("dir_1"), name }) }),
  ),
  "skill-content": part(
    "skill-content",
    fc.record(
      { name, arguments: words, text: words, initiator: fc.constantFrom("user", "model") },
      { requiredKeys: ["name", "text", "initiator"] },
    ),
  ),
  quote: part("quote", fc.record({ session_id: word, message_id: word, range: line, text: words })),
  unknown: fc
    .constantFrom("weather", "part", "data-weather", "data-part", "tool-x", "file", "step-start")
    .chain((type) => part(type, fc.record({ about: json }))),
}

const call = fc.record({ tool_call_id: word, input: json })
const output = fc.oneof(
  fc.record({ data: json, blocks: fc.array(object) }),
  fc.record({ data: json }),
  json,
)
const about = fc.record(
  {
    metadata: object,
    seal,
    initiator: word,
    started_at: fc.nat(),
    read_only: fc.boolean(),
    approval: fc.constantFrom("granted", "denied"),
    input_text: words,
    invalid: words,
    // Names that the codec itself uses.
    absent: word,
    part: word,
  },
  { requiredKeys: [] },
)

function toolPart(state: string, more: fc.Arbitrary<object>) {
  const fields: fc.Arbitrary<object> = fc
    .tuple(about, call, more)
    .map(([rest, known, progress]) => ({ ...rest, ...known, ...progress, state }))
  return fc
    .constantFrom("tool-read", "tool-mcp_find", "dynamic-tool")
    .chain((type) => part(type, type === "dynamic-tool" ? named(fields) : fields))
}

function named(fields: fc.Arbitrary<object>) {
  return fields.map((known) => ({ ...known, tool_name: "find" }))
}

const nothing = fc.constant({})
const answerParts: Readonly<Record<string, fc.Arbitrary<PartData>>> = {
  text: part("text", fc.record({ text: words, seal }, { requiredKeys: ["text"] })),
  reasoning: part("reasoning", fc.record({ text: words, seal }, { requiredKeys: ["text"] })),
  "input-streaming": toolPart("input-streaming", nothing),
  "input-available": toolPart("input-available", nothing),
  "output-available": toolPart("output-available", fc.record({ output })),
  "output-error": toolPart("output-error", fc.record({ error_text: words })),
  interrupted: toolPart("interrupted", fc.record({ error_text: words })),
  "approval-requested": toolPart("approval-requested", fc.record({ approval: object })),
  "without input": part(
    "tool-read",
    fc.record({ tool_call_id: word, state: fc.constantFrom("input-streaming", "output-error") }),
  ),
  "both at once": toolPart("output-error", fc.record({ output, error_text: words })),
  "data-compaction": part(
    "data-compaction",
    fc.record({ summary: words, tail_start_id: fc.constant(null), auto: fc.boolean() }),
  ),
  "file-attachment": part("file-attachment", fc.record({ name, mime, data: base64 })),
}

function message(role: "user" | "assistant", parts: fc.Arbitrary<PartData>) {
  return fc.record({
    id: word,
    role: fc.constant(role),
    metadata: object,
    parts: fc.array(parts, { minLength: 1, maxLength: 5 }),
  }) as fc.Arbitrary<Message>
}

export const USER_PARTS = userParts
export const ANSWER_PARTS = answerParts
export const anyUserPart = fc.oneof(...Object.values(userParts)) as fc.Arbitrary<PartData>
export const anyMessage = fc.oneof(
  message("user", anyUserPart),
  message("assistant", fc.oneof(...Object.values(answerParts))),
)

export function oneOf(role: Message["role"], parts: readonly PartData[]): Message {
  return { id: "m", role, metadata: { schema_version: 1 }, parts }
}
