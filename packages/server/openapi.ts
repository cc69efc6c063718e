import { z } from "zod"
import { ErrorBody } from "compositor-core/contract/fields"
import type { Route } from "./route.ts"

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
      schemas: { Part: schemaOf(parts), Error: schemaOf(ErrorBody) },
    },
    security: [{ token: [] }],
  }
}

function operation(one: Route): object {
  const failed = { $ref: "#/components/schemas/Error" }
  return {
    summary: one.about,
    parameters: [...pathParameters(one), ...queryParameters(one)],
    ...(one.body ? { requestBody: { required: true, content: json(schemaOf(one.body)) } } : {}),
    responses: {
      [one.status ?? 200]: {
        description: one.about,
        ...(one.answer ? { content: json(schemaOf(one.answer)) } : {}),
      },
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

function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === "pipe" && Object.keys(jsonSchema).length === 0)
        jsonSchema.$ref = "#/components/schemas/Part"
    },
  })
  return json
}
