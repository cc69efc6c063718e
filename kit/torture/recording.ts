import { dirname } from "node:path"

/** One change of a folder, as a disk is told of it. */
export type Change =
  | { readonly type: "make"; readonly path: string }
  | {
      readonly type: "write"
      readonly path: string
      /** Null: where the last write to the file ended. */
      readonly at: number | null
      readonly bytes: Buffer
    }
  | { readonly type: "cut"; readonly path: string; readonly size: number }
  | { readonly type: "sync"; readonly path: string }
  | { readonly type: "rename"; readonly from: string; readonly to: string }
  | { readonly type: "remove"; readonly path: string }
  | { readonly type: "folder"; readonly path: string }
  /** A line of the ledger: from here on it was said. */
  | { readonly type: "note"; readonly line: string }

/** What strace must be told to see all of it. */
export const RECORDING = [
  "--seccomp-bpf",
  "-xx",
  "-s",
  "4000000",
  "-e",
  "trace=openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,mkdir,unlink,writev",
]

/** The changes of a folder in the order in which they were done, from what strace saw. */
export function readRecording(
  log: string,
  { data, ledger }: { readonly data: string; readonly ledger: string },
): Change[] {
  const changes: Change[] = []
  for (const line of wholeLines(log)) {
    const [, call = "", said = "", result = ""] = CALL.exec(line) ?? []
    if (result.startsWith("-") || call === "") continue
    const change = changeOf(call, said, ledger)
    if (change && (change.type === "note" || placeOf(change).startsWith(data))) changes.push(change)
  }
  return changes
}

const CALL = /^\d+ +(\w+)\((.*)\) += (-?\d+|\?)/

/** A call during which another thread made one stands on two lines. */
export function* wholeLines(log: string): Iterable<string> {
  const begun = new Map<string, string>()
  for (const line of log.split("\n")) {
    const [thread = ""] = line.split(" ", 1)
    const open = line.indexOf(" <unfinished ...>")
    const rest = /^\d+ +<\.\.\. \w+ resumed>(.*)$/.exec(line)?.[1]
    if (open >= 0) begun.set(thread, line.slice(0, open))
    else if (rest !== undefined) yield `${begun.get(thread) ?? thread}${rest}`
    else yield line
  }
}

function changeOf(call: string, said: string, ledger: string): Change | undefined {
  const path = descriptorPath(said)
  const strings = [...said.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) =>
    bytesOf(hex ?? ""),
  )
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = strings
  const numbers = said.split(", ").map(Number)
  switch (call) {
    case "openat":
      return said.includes("O_CREAT") ? { type: "make", path: first.toString() } : undefined
    case "write":
      return { type: "write", path, at: null, bytes: first }
    case "pwrite64":
      return { type: "write", path, at: numbers.at(-1) ?? 0, bytes: first }
    case "ftruncate":
      return { type: "cut", path, size: numbers.at(-1) ?? 0 }
    case "fsync":
    case "fdatasync":
      return { type: "sync", path }
    case "rename":
      return { type: "rename", from: first.toString(), to: second.toString() }
    case "unlink":
      return { type: "remove", path: first.toString() }
    case "mkdir":
      return { type: "folder", path: first.toString() }
    case "writev":
      return path === ledger ? { type: "note", line: first.toString().trim() } : undefined
    default:
      return undefined
  }
}

// `-y` shows the path behind a descriptor, `-xx` in digits.
function descriptorPath(said: string): string {
  const shown = /^\d+<([^>]*)>/.exec(said)?.[1] ?? ""
  return shown.startsWith("\\x") ? bytesOf(shown).toString() : shown
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex")
}

function placeOf(change: Exclude<Change, { type: "note" }>): string {
  return change.type === "rename" ? change.to : change.path
}

export function folderOf(path: string): string {
  return dirname(path)
}
