import type { z } from "zod"
import { type ComposerInput, readComposerInput } from "compositor-core/compose/composer-input"
import { SendRequest } from "compositor-core/contract/entities"
import { ID_PATTERN } from "compositor-core/message/id"
import type { RefusalDetail } from "compositor-core/message/refusal"
import type { AnyDefinition } from "./definition.ts"
import { checkStandardSchema } from "./standard-schema.ts"
import { COMPOSER_INPUT } from "./wake.ts"

const MAX_PAYLOAD_CHARACTERS = 16 * 1024 * 1024

export type SentPayload =
  | { readonly type: "input"; readonly input: ComposerInput }
  | { readonly type: "other"; readonly message_type: string; readonly payload: unknown }

type ReadSend =
  | {
      readonly type: "send"
      readonly request: SendRequest
      readonly payload: SentPayload
      readonly warnings: readonly RefusalDetail[]
    }
  | { readonly type: "faults"; readonly faults: readonly RefusalDetail[] }

/** Read what was sent. Every fault is told at once, each with its place in the request. */
export async function readSend(
  definition: AnyDefinition,
  body: unknown,
  principal: string,
): Promise<ReadSend> {
  const parsed = SendRequest.safeParse(body)
  const given = isObject(body) ? body : {}
  const shape = parsed.success ? [] : parsed.error.issues.flatMap(faultsOf)
  const payload = await readPayload(definition, given.type, given.payload)
  const faults = [
    ...shape,
    ...fromFaults(given.from, principal),
    ...(payload.type === "faults" && "payload" in given ? payload.faults : []),
  ]
  if (faults.length > 0 || !parsed.success || payload.type === "faults")
    return { type: "faults", faults }
  return { type: "send", request: parsed.data, ...payload.read }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function faultsOf(issue: z.core.$ZodIssue): RefusalDetail[] {
  const path = issue.path.map(String)
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((name) => ({
      path: `/${[...path, name].join("/")}`,
      message: "is no field of this request",
    }))
  return [{ path: `/${path.join("/")}`, message: issue.message }]
}

/** Nobody speaks for another: a principal, or the address of one (EA-005). */
function fromFaults(from: unknown, principal: string): RefusalDetail[] {
  const own = [principal, `/principal/${encodeURIComponent(principal)}`]
  if (from === undefined || typeof from !== "string" || own.includes(from)) return []
  return [{ path: "/from", message: `must be ${principal}, who sends this` }]
}

type ReadPayload =
  | {
      readonly type: "payload"
      readonly read: { readonly payload: SentPayload; readonly warnings: readonly RefusalDetail[] }
    }
  | { readonly type: "faults"; readonly faults: readonly RefusalDetail[] }

export async function readPayload(
  definition: AnyDefinition,
  message_type: unknown,
  payload: unknown,
): Promise<ReadPayload> {
  if (message_type === COMPOSER_INPUT) return readInput(payload)
  if (typeof message_type !== "string" || message_type === "") return OTHER
  const schema = Object.hasOwn(definition.inbox ?? {}, message_type)
    ? definition.inbox?.[message_type]
    : undefined
  if (!schema) return undeclared(definition, message_type, payload)
  const checked = await checkStandardSchema(schema, payload, "/payload")
  if (checked.type === "faults") return checked
  return other(message_type, checked.value)
}

const OTHER = other("", undefined)

function other(message_type: string, payload: unknown): ReadPayload {
  if (JSON.stringify(payload ?? null).length > MAX_PAYLOAD_CHARACTERS)
    return {
      type: "faults",
      faults: [
        { path: "/payload", message: `must be at most ${MAX_PAYLOAD_CHARACTERS} characters` },
      ],
    }
  const read = { payload: { type: "other", message_type, payload } as const, warnings: [] }
  return { type: "payload", read }
}

function undeclared(
  { type, inbox = {}, inbox_closed }: AnyDefinition,
  name: string,
  value: unknown,
) {
  if (!inbox_closed) return other(name, value)
  const known = [COMPOSER_INPUT, ...Object.keys(inbox)].join(", ")
  const message = `${name} is not among what ${type} takes: ${known}`
  return { type: "faults", faults: [{ path: "/type", message }] } as const
}

function readInput(payload: unknown): ReadPayload {
  const read = readComposerInput(payload)
  if (read.type === "invalid") return { type: "faults", faults: read.faults.map(within) }
  const { input } = read
  const warnings = read.warnings.map(within)
  return { type: "payload", read: { payload: { type: "input", input }, warnings } }
}

function within({ path, message }: RefusalDetail): RefusalDetail {
  return { path: path === "/" ? "/payload" : `/payload${path}`, message }
}

/** Whether a key is a message's own id. */
export function isMessageId(value: string): boolean {
  return value.startsWith("msg_") && ID_PATTERN.test(value)
}
