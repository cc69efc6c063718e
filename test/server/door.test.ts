import { describe, expect, it } from "vitest"
import { ADDRESS, newSession, openDoor, TOKEN } from "./house.ts"

describe("the door", () => {
  it.each([
    "evil.example",
    "evil.example:4321",
    "127.0.0.1",
    "127.0.0.1:4322",
    "localhost.evil.example:4321",
    "127.0.0.1:4321.evil.example",
    "127.0.0.1:4321@evil.example",
    "",
  ])("[DAE-001] does not answer to the name %j, on any route", async (host) => {
    const door = await openDoor({ turns: false })
    for (const path of ["/v1/sessions", "/", "/openapi.json", "/v1/events", "/nothing"]) {
      const { status, body } = await door.ask("get", path, { headers: { host } })
      expect([path, status, body.error.code]).toEqual([path, 403, "forbidden_host"])
    }
  })

  it("[DAE-001] answers to its own name however it is written", async () => {
    const door = await openDoor({ turns: false })
    const { status } = await door.ask("get", "/v1/info", {
      headers: { host: ADDRESS.toUpperCase() },
    })
    expect(status).toBe(200)
  })

  it.each([
    "http://evil.example",
    "https://127.0.0.1:4321",
    "http://127.0.0.1:4322",
    "http://127.0.0.1:4321.evil.example",
    "null",
    "",
  ])("[DAE-001] refuses a page of %j, on any route and method", async (origin) => {
    const door = await openDoor({ turns: false })
    for (const [method, path] of [
      ["get", "/v1/sessions"],
      ["post", "/v1/sessions"],
      ["get", "/openapi.json"],
      ["get", "/"],
    ] as const) {
      const { status, body, headers } = await door.ask(method, path, { headers: { origin } })
      expect([status, body.error.code]).toEqual([403, "forbidden_origin"])
      expect(headers.get("access-control-allow-origin")).toBeNull()
    }
    // What may be asked is no secret; that this page may ask is not said.
    const { status, headers } = await door.ask("options", "/v1/sessions", { headers: { origin } })
    expect(status).toBe(204)
    expect(headers.get("access-control-allow-headers")).toContain("authorization")
    expect(headers.get("access-control-allow-origin")).toBeNull()
  })

  it("[DAE-001] lets its own page in, and gives nobody else leave to read", async () => {
    const door = await openDoor({ turns: false })
    const asked = { headers: { origin: `http://${ADDRESS}` } }
    const { status, headers } = await door.ask("get", "/v1/sessions", asked)
    expect(status).toBe(200)
    expect(headers.get("access-control-allow-origin")).toBeNull()
  })

  it("[DAE-001] takes the token in the query for event streams, and for nothing else", async () => {
    const door = await openDoor({ turns: false })
    const session = await newSession(door)
    const anonymous = { headers: { authorization: null } }
    const statusOf = async (path: string) => {
      const response = await door.request("get", `${path}?token=${TOKEN}`, anonymous)
      await response.body?.cancel()
      return response.status
    }
    expect(await statusOf("/v1/events")).toBe(200)
    expect(await statusOf(`/v1/sessions/${session}/events`)).toBe(200)
    for (const path of ["", "/messages", "/queue", "/status", "/turns", "/inspect"])
      expect([path, await statusOf(`/v1/sessions/${session}${path}`)]).toEqual([path, 401])
    for (const path of ["/v1/info", "/v1/sessions", "/v1/export", "/v1/models"])
      expect([path, await statusOf(path)]).toEqual([path, 401])
    const wrong = await door.ask("get", "/v1/events?token=wrong", anonymous)
    expect(wrong.status).toBe(401)
  })

  it("[DAE-001] is not walked around by another spelling of the address", async () => {
    const door = await openDoor({ turns: false })
    const anonymous = { headers: { authorization: null } }
    for (const path of ["/%76%31/sessions", "/v1%2fsessions", "//v1/sessions", "/V1/sessions"]) {
      const { status, text } = await door.ask("get", path, anonymous)
      expect([path, [401, 404].includes(status)]).toEqual([path, true])
      expect(text).not.toContain('sessions":')
    }
  })

  it("gives the page's shell and the API's description without a token: they carry no data", async () => {
    const door = await openDoor({ turns: false })
    const anonymous = { headers: { authorization: null } }
    expect((await door.ask("get", "/openapi.json", anonymous)).status).toBe(200)
    const { status, headers } = await door.ask("get", "/", anonymous)
    // Without a build there is no page; with one it says what it may load.
    if (status === 200)
      expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    else expect(status).toBe(404)
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/..%2f..%2fpackage.json",
      "/%00",
    ])
      expect([path, (await door.ask("get", path, anonymous)).status >= 400]).toEqual([path, true])
  })
})
