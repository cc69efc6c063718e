import { expect } from "vitest"
import { ErrorBody } from "../../packages/core/contract/fields.ts"
import { ROUTES } from "../../packages/server/app.ts"

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`),
}))

/** JSON that a route serves is what the contract says: no field is missing, of another kind, or not in
 *  the contract. */
export async function checkAnswer(method: string, address: string, response: Response) {
  const { pathname } = new URL(address, "http://server")
  const found = PATTERNS.find(
    ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(pathname),
  )
  const isJson = response.headers.get("content-type")?.startsWith("application/json")
  if (!found || !isJson) return
  const body: unknown = await response.clone().json()
  const schema = response.status >= 400 ? ErrorBody : found.route.answer
  const { address: route } = found.route
  const parsed = schema?.safeParse(body)
  expect(parsed, `${route} answers with JSON, and the contract has none`).toBeDefined()
  expect(parsed?.error?.issues ?? [], `${route} answers ${JSON.stringify(body)}`).toEqual([])
  // What a schema does not name it drops.
  expect(body, `${route} answers with another thing than the contract says`).toEqual(parsed?.data)
}
