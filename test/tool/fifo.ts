import { execFileSync } from "node:child_process"

/** Node makes no pipes with names. */
export function mkfifoSync(path: string) {
  execFileSync("mkfifo", [path])
}
