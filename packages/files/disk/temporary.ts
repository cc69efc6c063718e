import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, readdir, stat } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { removeTree } from "./remove-tree.ts"
import { isRunning } from "./running.ts"

/** Only on one machine does a process id say who is gone; and in a container each start may have the
 *  same. */
const MACHINE = createHash("sha256").update(hostname()).digest("hex").slice(0, 8)
const START = randomBytes(4).toString("hex")
const LEFT_ELSEWHERE_MS = 3_600_000

/** A folder of ours that is removed when its work is done, or, where this process is killed, by whoever
 *  makes the next one beside it. */
export async function makeTemporary(parent: string, prefix: string): Promise<string> {
  await sweepTemporary(parent, prefix)
  return mkdtemp(join(parent, `${prefix}${MACHINE}-${process.pid}-${START}-`))
}

/** Remove what processes that are gone have left in a folder. */
export async function sweepTemporary(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const made = name.startsWith(prefix) ? MADE.exec(name.slice(prefix.length)) : null
    if (made === null || !(await isLeft(join(parent, name), made))) continue
    // Another user's is not ours to remove.
    await removeTree(join(parent, name)).catch(() => undefined)
  }
}

const MADE = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})-/

async function isLeft(path: string, [, machine, pid, start]: RegExpExecArray): Promise<boolean> {
  if (machine === MACHINE)
    return Number(pid) === process.pid ? start !== START : !isRunning(Number(pid))
  const stats = await stat(path).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > LEFT_ELSEWHERE_MS
}
