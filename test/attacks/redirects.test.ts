// An address that a rule allows sends on to one that no rule allows (security findings, what was not tried).

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commandLine, environmentOf, makeFolders } from "./outside/product.ts"

/** How a program gets a network of its own here; undefined where the kernel gives nobody one. */
const OWN_NETWORK = [
  ["unshare", "-n"],
  ["unshare", "-r", "-n"],
].find(([program = "", ...words]) => {
  const tried = spawnSync(program, [...words, "ip", "link", "set", "lo", "up"], { stdio: "ignore" })
  return tried.status === 0
})

const AGENT = `---
description: May fetch from one host.
permissions:
  net.fetch: { "http://93.184.216.34/**": allow, "**": ask }
---
Fetch it.
`

describe.skipIf(OWN_NETWORK === undefined)("web_fetch", () => {
  it("[NET-01] calls no host that nobody allowed, though an allowed one sends on to it", async () => {
    const folders = await makeFolders({ "home/.agents/agents/fetcher.md": AGENT })
    const script = join(import.meta.dirname, "redirecting-hosts.mjs")
    const words = ["serve", "--json", "--port", "0"]
    const [program = "", ...args] = [
      ...(OWN_NETWORK ?? []),
      process.execPath,
      script,
      ...commandLine(words),
    ]
    const ran = spawnSync(program, args, {
      cwd: folders.workspace,
      env: environmentOf(folders),
      encoding: "utf8",
      timeout: 60_000,
    })
    const { called, told } = JSON.parse(ran.stdout)
    expect(called, ran.stderr).toEqual(["93.184.216.34"])
    expect(told).toContain("on another host: ask for that one")
    expect(told).not.toContain("SECRET-OF-ANOTHER")
  })
})
