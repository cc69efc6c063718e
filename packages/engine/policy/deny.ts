import { entriesTo, type IgnoredBy, type IgnoreLists, ignoredBy, listOf } from "./ignore.ts"

/** Deny rules count in any case: on some disks `.ENV` is `.env`. */
export function denyList(patterns: readonly string[]): IgnoreLists {
  return [
    listOf(
      "the deny rules",
      "",
      patterns.map((pattern) => pattern.toLowerCase()),
    ),
  ]
}

/** The deny rule that a path or a name meets, if any. */
export function deniedBy(lists: IgnoreLists, path: string): IgnoredBy | undefined {
  for (const entry of entriesTo(plain(path), 0, false)) {
    const found = ignoredBy(lists, entry)
    if (found) return found
  }
  return undefined
}

/** As a disk may understand it: case, and dots and spaces at the end of a name, may not count; a
 *  colon may begin a stream of the same file; a name from elsewhere may have backslashes. */
function plain(path: string): string {
  const names = path.toLowerCase().split(/[\\/]+/)
  return names
    .map((name) => name.replace(/(?<=.)::?\$?[a-z]*$/, "").replace(/(?<=[^. ])[. ]+$/, ""))
    .filter((name) => name !== "" && name !== ".")
    .join("/")
}
