import { ContentId } from "compositor-core/message/file-reference"
import { z } from "zod"
import { isTooDeep } from "compositor-core/message/stored-json"
import { type IdPrefix, isId } from "compositor-core/message/id"
import { ModelChoice } from "compositor-core/message/message"
import {
  cleanTitle,
  MessageRow,
  MessageState,
  Retry,
  Segment,
  Session,
  TurnState,
  Usage,
  Wait,
} from "compositor-core/message/row"
import { Receipt } from "compositor-core/model/receipt"
import type { ExportRow } from "../store/store.ts"

/** A row as an export has it. What is read back later without a second look is looked at here: ids,
 *  states, and the JSON that columns hold. Which columns there are is the store's to say. */
export const RowLine = z.discriminatedUnion("type", [
  row("session", {
    id: id("ses"),
    // Older exports hold what is refused today.
    title: z.string().transform(cleanTitle).nullish(),
    model_json: json(ModelChoice),
    permissions_json: json(z.array(z.unknown())),
    metadata_json: json(z.looseObject({})),
    path_json: json(z.array(Segment)),
    // Where it stood was another host's affair; older exports still say it.
    drain: Session.shape.drain.optional(),
  }),
  row("message", {
    id: id("msg"),
    session_id: id("ses"),
    role: MessageRow.shape.role,
    metadata_json: json(z.looseObject({ model: ModelChoice.optional() })),
    state: MessageState,
  }),
  row("part", {
    id: id("prt"),
    message_id: id("msg"),
    session_id: id("ses"),
    data_json: json(z.looseObject({})),
  }),
  row("turn", {
    id: id("trn"),
    session_id: id("ses"),
    message_id: id("msg"),
    state: TurnState,
    model_json: json(ModelChoice),
    usage_json: json(Usage).nullable(),
    error_json: json(z.object({ code: z.string(), message: z.string() })).nullable(),
    waiting_json: json(z.array(Wait)).optional(),
    retry_json: json(Retry).nullable().optional(),
    notices_json: json(z.array(z.string())).optional(),
  }),
  row("receipt", { session_id: id("ses"), data_json: json(Receipt) }),
  row("capture", { session_id: id("ses"), data_json: json(z.looseObject({})) }),
  row("entity", {
    session_id: id("ses"),
    type: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/),
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/),
    args_json: json(z.unknown()),
    tags_json: json(z.record(z.string(), z.string())),
  }),
  row("slash_command", {
    session_id: id("ses"),
    name: z
      .string()
      .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/)
      .max(64),
    data_json: json(z.looseObject({ description: z.string().optional() })),
  }),
  row("entity_row", { session_id: id("ses"), value_json: json(z.looseObject({})) }),
  row("entity_effect", { session_id: id("ses"), wake: id("msg"), answer_json: json(z.unknown()) }),
  row("observation", {
    observer: id("ses"),
    observed: id("ses"),
    collections_json: json(z.array(z.string())),
  }),
  row("system_prompt", { digest: z.string(), body: z.string() }),
  row("blob", { content_id: ContentId, size: z.int().min(0), mime: z.string() }),
])

function row<Type extends ExportRow["type"], Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) {
  const column = z.union([z.string(), z.number(), z.null()])
  return z.strictObject({ type: z.literal(type), data: z.object(shape).catchall(column) })
}

function id(prefix: IdPrefix) {
  return z.string().refine((value) => isId(prefix, value), `must be an id that begins ${prefix}_`)
}

function json(schema: z.ZodType) {
  return z
    .string()
    .refine((text) => opens(text, schema), "does not hold the JSON that belongs here")
}

function opens(text: string, schema: z.ZodType): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return !isTooDeep(value) && schema.safeParse(value).success
  } catch {
    return false
  }
}
