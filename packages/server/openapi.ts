import { z } from "zod"
import { ListedCommand } from "compositor-core/contract/commands"
import { EntitySchema } from "compositor-core/contract/entities"
import { ErrorBody, Fault } from "compositor-core/contract/fields"
import { ListedMemory, MemoryProposal } from "compositor-core/contract/memory"
import { ModelInfo, ReceiptChange, SwitchSide } from "compositor-core/contract/models"
import { SessionSummary } from "compositor-core/contract/sessions"
import { ListedTrigger } from "compositor-core/contract/triggers"
import { ModelChoice } from "compositor-core/message/message"
import { Principal, PrincipalToken } from "compositor-core/message/principal"
import {
  Session,
  SessionStatus,
  StoredMessage,
  StoredPart,
  Turn,
} from "compositor-core/message/row"
import { Receipt } from "compositor-core/model/receipt"
import type { Route } from "./route.ts"

/** Schemas that the document has once, by name. */
const NAMED = {
  Entity: EntitySchema,
  Fault,
  ListedCommand,
  ListedMemory,
  ListedTrigger,
  MemoryProposal,
  ModelChoice,
  ModelInfo,
  Principal,
  PrincipalToken,
  Receipt,
  ReceiptChange,
  Session,
  SessionStatus,
  SessionSummary,
  StoredMessage,
  StoredPart,
  SwitchSide,
  Turn,
}
const NAMES = new Map<unknown, string>(Object.entries(NAMED).map(([name, one]) => [one, name]))

/** The document that describes the routes (OpenAPI 3.1). */
export function openapi(routes: readonly Route[], version: string, parts: z.ZodType): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, "{$1}")
    paths[path] = { ...paths[path], [one.method]: operation(one) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Compositor", version },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: {
        ...Object.fromEntries(Object.entries(NAMED).map(([name, one]) => [name, schemaOf(one)])),
        Part: schemaOf(parts),
        Error: schemaOf(ErrorBody),
      },
    },
    security: [{ token: [] }],
  }
}

function operation(one: Route): object {
  const failed = { $ref: "#/components/schemas/Error" }
  return {
    operationId: one.name,
    summary: one.about,
    parameters: [...pathParameters(one), ...queryParameters(one)],
    ...(one.body ? { requestBody: { required: true, content: json(schemaOf(one.body)) } } : {}),
    responses: {
      [one.status ?? 200]: {
        description: one.about,
        ...(one.answer ? { content: json(schemaOf(one.answer)) } : {}),
      },
      ...Object.fromEntries(
        Object.entries(one.errors ?? {}).map(([status, description]) => [
          status,
          { description, content: json(failed) },
        ]),
      ),
      default: { description: "What was wrong", content: json(failed) },
    },
  }
}

function json(schema: object) {
  return { "application/json": { schema } }
}

function pathParameters(one: Route): object[] {
  const names = [...one.path.matchAll(/:(\w+)/g)].map((match) => match[1])
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }))
}

function queryParameters(one: Route): object[] {
  if (!(one.query instanceof z.ZodObject)) return []
  return Object.entries(one.query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: schemaOf(schema as z.ZodType),
  }))
}

/** The schema itself, and what it holds by name where it has one. */
function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema, path }) {
      const name = path.length > 0 ? NAMES.get(zodSchema) : undefined
      if (name !== undefined) {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        jsonSchema.$ref = `#/components/schemas/${name}`
      } else if (zodSchema._zod.def.type === "pipe" && Object.keys(jsonSchema).length === 0)
        jsonSchema.$ref = "#/components/schemas/Part"
    },
  })
  return json
}
