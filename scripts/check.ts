// `npm run check`: everything that can be said about the code without running it.

import { spawnSync } from "node:child_process"
import { join } from "node:path"
import process from "node:process"

const root = join(import.meta.dirname, "..")
const CHECKS = [
  { name: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "types of the pure rooms", command: ["tsc", "-p", "tsconfig.pure.json"] },
  { name: "types of the page", command: ["tsc", "-p", "tsconfig.web.json"] },
  { name: "types of the page's tests", command: ["tsc", "-p", "tsconfig.test-web.json"] },
  { name: "lint", command: ["oxlint", "--type-aware"] },
  { name: "format", command: ["biome", "format", "."] },
  { name: "house", command: [process.execPath, "scripts/house.ts"] },
  { name: "names", command: [process.execPath, "scripts/names.ts"] },
]

const results = CHECKS.map(check)
if (results.includes(false)) process.exitCode = 1

function check({ name, command: [program = "", ...args] }: (typeof CHECKS)[number]): boolean {
  const began = Date.now()
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
  })
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${status === 0 ? "ok  " : "FAIL"}  ${name} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout}${stderr}${error?.message ?? ""}`)
  return status === 0
}
