import { readFileSync, statSync } from "node:fs"

/** The byte of the shared-memory file that whoever writes has locked (SQLite's WAL_WRITE_LOCK). */
const WRITE_LOCK_BYTE = 120

/** Whether a process holds the lock for writing of a database; ask it of one that is stopped. */
export function holdsWriteLock(pid: number, database: string): boolean {
  const { ino } = statSync(`${database}-shm`)
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => LOCK.exec(line)?.groups)
    .some(
      (lock) =>
        Number(lock?.pid) === pid &&
        Number(lock?.inode) === ino &&
        Number(lock?.first) <= WRITE_LOCK_BYTE &&
        Number(lock?.last) >= WRITE_LOCK_BYTE,
    )
}

const LOCK =
  /POSIX +\w+ +WRITE +(?<pid>\d+) +[\da-f]+:[\da-f]+:(?<inode>\d+) +(?<first>\d+) +(?<last>\d+)$/

/** A stopped process is one whose state says so: the signal alone is not enough. */
export function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T")
}
