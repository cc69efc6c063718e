import { request } from "node:http"
import type { Kit } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** Who is let in, and how bad input is answered. */
export const doorScenarios: readonly Scenario[] = [
  {
    title: "who is let in",
    rules: ["DAE-001"],
    needs: [],
    async live(kit, see) {
      const bare = await kit.ask("GET", "/v1/sessions", { headers: { authorization: "" } })
      const wrong = await kit.ask("GET", "/v1/sessions", {
        headers: { authorization: "Bearer no" },
      })
      see.equal("DAE-001", "without the token", [bare.status, wrong.status], [401, 401])
      const foreign = await kit.ask("GET", "/v1/sessions", {
        headers: { origin: "https://evil.example" },
      })
      see.equal("DAE-001", "from another origin", foreign.status, 403)
      see.equal(
        "DAE-001",
        "leave to read",
        foreign.headers.get("access-control-allow-origin"),
        null,
      )
      see.equal("DAE-001", "under another name", await rebound(kit), 403)
      const query = await kit.ask("GET", `/v1/sessions?token=${kit.token}`, {
        headers: { authorization: "" },
      })
      see.equal("DAE-001", "the token in a query", query.status, 401)
    },
  },
  {
    title: "bad input",
    rules: ["DOOR-01", "DOOR-03", "DOOR-04"],
    needs: [],
    async live(kit, see) {
      const id = await kit.session()
      const path = `/v1/sessions/${id}/messages`
      const headers = { "content-type": "application/json" }
      const bad = [
        await kit.ask("POST", path, { body: "{", headers }),
        await kit.ask("POST", path, { body: "x", headers: { "content-type": "text/plain" } }),
        await kit.ask("POST", path, { json: { parts: [{ type: "text" }] } }),
        await kit.ask("POST", path, { json: { parts: "all" } }),
        await kit.ask("POST", path, { json: { parts: [{ type: "file-ref", ref: {} }] } }),
        await kit.ask("POST", path, { body: "[".repeat(5000) + "]".repeat(5000), headers }),
        await kit.ask("GET", "/v1/sessions/ses_nothing"),
        await kit.ask("GET", "/v1/sessions?limit=many"),
        await kit.ask("POST", "/v1/lower", { json: { message: {}, model: "nobody/nothing" } }),
        await kit.ask("GET", "/v1/nothing-here"),
      ]
      const statuses = bad.map(({ status }) => status)
      const refused = statuses.every(is4xx)
      see.holds("DOOR-01", "each is answered with 4xx", refused, statuses)
      const shaped = bad.filter(({ body }) => !body?.error?.code || !body.error.message)
      see.equal(
        "DOOR-01",
        "answers in another shape",
        shaped.map(({ text }) => text),
        [],
      )
      see.contains("DOOR-01", "the fault is named", bad[2]?.text ?? "", "/parts/0/text")
      const many = await kit.ask("POST", path, { body: keys(200_000), headers })
      see.holds("DOOR-03", "200,000 keys are refused", is4xx(many.status), many.status)
      const some = await kit.ask("POST", path, { body: keys(500), headers })
      see.holds(
        "DOOR-04",
        "500 faults are not all told",
        some.text.length < 20_000,
        some.text.length,
      )
    },
  },
]

function is4xx(status: number): boolean {
  return status >= 400 && status < 500
}

/** An object of so many keys that nobody knows. */
function keys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])))
}

/** `fetch` says the true name; a page whose name was rebound to us does not. */
function rebound(kit: Kit): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${kit.token}`, host: "rebound.example" }
    const asked = request(`${kit.url}/v1/sessions`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on("error", reject)
    asked.end()
  })
}
