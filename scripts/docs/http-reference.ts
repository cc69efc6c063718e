// The reference of the HTTP interface, from the document that the server gives at /openapi.json.

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** Every route with what it takes and gives, as Markdown. */
export function httpReference(document: Json): string {
  const routes = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, about]) => ({ path, method, about })),
  )
  const groups = Map.groupBy(routes, ({ path }) => groupOf(path))
  const sections = [...groups].map(([group, all]) =>
    [
      `## ${group}`,
      "",
      ...all.map(({ path, method, about }) => routeText(method, path, about)),
    ].join("\n"),
  )
  return [
    "# HTTP",
    "",
    `Made from the document that the server gives at \`/openapi.json\` (${document.info.version}). Every data route wants`,
    "`Authorization: Bearer <token>`. An error is `{ error: { code, message, details? } }`; bad input is 4xx.",
    "",
    ...sections,
  ].join("\n")
}

function groupOf(path: string): string {
  const [, , kind = "", , below = ""] = path.split("/")
  return kind === "sessions" && below !== "" ? `sessions: ${below}` : kind
}

function routeText(method: string, path: string, about: Json): string {
  const body = about.requestBody?.content["application/json"]?.schema
  const [status = "200"] = Object.keys(about.responses)
  const answer = about.responses[status]
  const given = answer?.content?.["application/json"]?.schema
  const query = (about.parameters as Json[]).filter((parameter) => parameter.in === "query")
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${about.summary}.`,
    "",
    ...table(
      "Query",
      query.map(({ name, schema }) => [name, false, schema]),
    ),
    ...table("Body", fieldsOf(body)),
    ...table(`Answers ${status}`, fieldsOf(given)),
  ].join("\n")
}

type Field = readonly [name: string, required: boolean, schema: Json]

function fieldsOf(schema: Json): Field[] {
  const required: string[] = schema?.required ?? []
  return Object.entries<Json>(schema?.properties ?? {}).map(([name, one]) => [
    name,
    required.includes(name),
    one,
  ])
}

function table(title: string, fields: readonly Field[]): string[] {
  if (fields.length === 0) return []
  const rows = fields.map(
    ([name, required, schema]) => `| \`${name}\`${required ? " *" : ""} | ${typeOf(schema)} |`,
  )
  return [`| ${title} | type |`, "|---|---|", ...rows, ""]
}

const MOST_WORDS = 12

function typeOf(schema: Json): string {
  if (schema?.$ref) return `\`${String(schema.$ref).split("/").at(-1)}\``
  if (schema?.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema?.enum)
    return schema.enum
      .slice(0, MOST_WORDS)
      .map((word: unknown) => `\`${String(word)}\``)
      .join(", ")
  const either: Json[] = schema?.anyOf ?? schema?.oneOf ?? []
  if (either.length > 0) return [...new Set(either.map(typeOf))].join(" or ")
  if (schema?.type === "array") return `list of ${typeOf(schema.items)}`
  return String(schema?.type ?? "any")
}
