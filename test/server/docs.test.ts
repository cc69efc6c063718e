import { describe, expect, it } from "vitest"
import { openDoor } from "./house.ts"

describe("/docs", () => {
  it("gives the site without a token, and nothing beside it", { timeout: 120_000 }, async () => {
    const door = await openDoor()
    const bare = { headers: { authorization: null } }
    const moved = await door.request("get", "/docs", bare)
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "/docs/"])
    const page = await door.ask("get", "/docs/", bare)
    expect(page.status).toBe(200)
    expect(page.text).toContain("<title>Compositor")
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'")
    const style = await door.ask("get", "/docs/site.css", bare)
    expect(style.headers.get("content-type")).toContain("text/css")
    for (const path of [
      "/docs/none.html",
      "/docs/%2e%2e/web/index.html",
      "/docs/..%2f..%2fpackage.json",
    ])
      expect((await door.ask("get", path, bare)).status).toBe(404)
  })
})
