import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, it } from "vitest"
import { forbiddenAddress } from "../../../packages/files/fetch/addresses.ts"
import { fetchUrl } from "../../../packages/files/fetch/fetch.ts"
import { ANSWERS, FORBIDDEN_ADDRESSES, FORBIDDEN_URLS, PUBLIC_ADDRESSES } from "./cases.ts"

/** How a program gets a network of its own here; undefined where the kernel gives nobody one. */
const OWN_NETWORK = [
  ["unshare", "-n"],
  ["unshare", "-r", "-n"],
].find(([program = "", ...words]) => {
  const tried = spawnSync(program, [...words, "ip", "link", "set", "lo", "up"], { stdio: "ignore" })
  return tried.status === 0
})

describe("addresses", () => {
  it("are forbidden outside the public internet, and nowhere else", () => {
    for (const address of FORBIDDEN_ADDRESSES)
      expect(forbiddenAddress(address), address).toMatch(/not on the public internet/)
    for (const address of PUBLIC_ADDRESSES)
      expect(forbiddenAddress(address), address).toBeUndefined()
    for (const address of [
      "1.1.1.1",
      "8.8.8.8",
      "172.15.0.1",
      "172.32.0.1",
      "100.63.0.1",
      "2a00::1",
    ])
      expect(forbiddenAddress(address), address).toBeUndefined()
    for (const wrong of ["", "example.com", "1.2.3", "fe80::1%eth0", "::ffff:127.0.0.1%1"])
      expect(forbiddenAddress(wrong), wrong).toBeDefined()
  })

  it("[TOL-007] are refused before anybody is called, in every spelling", async () => {
    const resolve = async (host: string) => ANSWERS[host] ?? []
    for (const url of FORBIDDEN_URLS) {
      const got = await fetchUrl(url, { resolve, deadline_ms: 2000 })
      expect(got.type, url).toBe("refused")
    }
  })
})

// Needs `unshare` and `ip`, and a kernel that lets this user have a network namespace.
describe.skipIf(OWN_NETWORK === undefined)("in a network where they answer", () => {
  it("no forbidden address is called, and no public one is missed", () => {
    const [program = "", ...words] = OWN_NETWORK ?? []
    const script = join(import.meta.dirname, "namespace.ts")
    const said = execFileSync(program, [...words, process.execPath, script], { timeout: 110_000 })
    const { tried, reached, blocked, calls, answering } = JSON.parse(said.toString())
    expect(reached).toEqual([])
    expect(blocked).toEqual([])
    expect(tried.forbidden).toBeGreaterThan(200)
    expect(calls).toBeGreaterThan(tried.public)
    expect(answering).toBe(FORBIDDEN_ADDRESSES.length)
  }, 120_000)
})
