import { describe, expect, it } from "vitest"
import { ROUTES } from "../../packages/server/app.ts"
import { openDoor } from "./house.ts"

interface Operation {
  readonly summary: string
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[]
  readonly requestBody?: { content: Record<string, { schema: object }> }
  readonly responses: Record<string, { description: string; content?: object }>
}

interface Description {
  readonly openapi: string
  readonly info: { title: string; version: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, object>; securitySchemes: object }
}

async function description(): Promise<Description> {
  const door = await openDoor({ turns: false })
  const { status, body } = await door.ask("get", "/openapi.json")
  expect(status).toBe(200)
  return body
}

describe("the API's description", () => {
  it("is an OpenAPI 3.1 document that covers every route", async () => {
    const { openapi, info, paths } = await description()
    expect(openapi).toBe("3.1.0")
    expect(info).toEqual({ title: "Compositor", version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    )
    const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
    expect(described.toSorted()).toEqual(routes.toSorted())
  })

  it("says of every operation what it takes and what it answers", async () => {
    const { paths } = await description()
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        const { summary, parameters, requestBody, responses } = operation
        expect([path, typeof summary, responses.default?.description]).toEqual([
          path,
          "string",
          expect.any(String),
        ])
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
        const named = parameters.filter((parameter) => parameter.in === "path")
        expect([path, named.map(({ name }) => name)]).toEqual([path, inPath])
        expect(named.every(({ required }) => required)).toBe(true)
        for (const { schema } of parameters) expect(isSchema(schema)).toBe(true)
        if (requestBody)
          expect(isSchema(requestBody.content["application/json"]?.schema)).toBe(true)
        const succeeds = Object.keys(responses).filter((status) => status.startsWith("2"))
        expect([method, path, succeeds.length]).toEqual([method, path, 1])
      }
  })

  it("points only at what it holds, and has one shape for every error", async () => {
    const document = await description()
    const { schemas } = document.components
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    const wanted = new Set(pointers.map((match) => match[1]))
    expect(wanted.size).toBeGreaterThan(1)
    for (const pointer of wanted)
      expect([pointer, follow(document, pointer ?? "") !== undefined]).toEqual([pointer, true])
    expect(schemas.Error).toMatchObject({
      type: "object",
      required: ["error"],
      properties: { error: { required: ["code", "message"] } },
    })
  })

  it("[CMP-005..010] describes every kind of part", async () => {
    const { components } = await description()
    const part = JSON.stringify(components.schemas.Part)
    for (const type of [
      "text",
      "file-ref",
      "file-attachment",
      "command",
      "mention",
      "editor-context",
      "directory-ref",
    ])
      expect(part).toContain(`"const":"${type}"`)
  })
})

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0
}

function follow(document: object, pointer: string): unknown {
  if (!pointer.startsWith("#/")) return undefined
  return pointer
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
}
