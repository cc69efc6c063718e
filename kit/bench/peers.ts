import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

/** Programs that ours are held against. They are installed when they are first asked for, in a folder
 *  outside of this one. */
const PEERS = {
  pi: { package: "@earendil-works/pi-coding-agent", program: "pi" },
  opencode: { package: "opencode-ai", program: "opencode" },
  "graphile-worker": { package: "graphile-worker@0.18", program: "graphile-worker" },
} as const

export type PeerName = keyof typeof PEERS

/** The path of the program; undefined where it cannot be installed. */
export function peer(name: PeerName): string | undefined {
  const { package: wanted, program } = PEERS[name]
  const shelf = process.env.COMPOSITOR_PEERS ?? join(homedir(), ".cache", "compositor", "peers")
  const folder = join(shelf, name)
  const path = join(folder, "node_modules", ".bin", program)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  process.stderr.write(`installing ${wanted} … `)
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", wanted]
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "ignore" })
  process.stderr.write(status === 0 ? "done\n" : "failed\n")
  return status === 0 && existsSync(path) ? path : undefined
}
