import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { setting } from "./run.ts"

describe("compositor principals", { timeout: 120_000 }, () => {
  it("[PRI-006] [PRI-007] [PRI-009] lets people in, shows them, takes them back, and says what was asked", async () => {
    const { run, workspace } = await setting()
    const shared = join(workspace, "shared")
    await mkdir(shared)
    expect(await run(["principals", "add", "user:ana", "--allow", workspace])).toMatchObject({
      code: 1,
      error: expect.stringContaining(workspace),
    })
    const added = await run(["principals", "add", "user:ana", "--allow", shared, "--json"])
    expect(added).toMatchObject({ code: 0 })
    const { principal, token, secret } = JSON.parse(added.out)
    expect(principal.id).toBe("user:ana")
    expect(principal.workspaces).toHaveLength(1)
    expect(secret).toMatch(/^cmp_/)
    const list = await run(["principals"])
    expect(list.out).toContain("user:ana")
    const second = await run(["principals", "token", "add", "user:ana", "--expires", "90d"])
    expect(second.out).toMatch(/told only now: cmp_/)
    const tokens = await run(["principals", "token", "list", "user:ana"])
    expect(tokens.out).toContain(token.id)
    expect(tokens.out).not.toContain(secret)
    expect((await run(["principals", "token", "revoke", "user:ana", token.id])).code).toBe(0)
    expect((await run(["principals", "revoke", "user:ana"])).code).toBe(0)
    const audit = await run(["audit", "--principal", "operator", "--since", "1h", "--json"])
    const actions = JSON.parse(audit.out).map((entry: { action: string }) => entry.action)
    expect(actions).toContain("POST /v1/principals")
    expect(actions).toContain("DELETE /v1/principals/:principal/tokens/:token")
    expect(await run(["principals", "add", "ana"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("must be user: or project:"),
    })
    expect(await run(["audit", "--since", "yesterday"])).toMatchObject({ code: 2 })
  })
})
