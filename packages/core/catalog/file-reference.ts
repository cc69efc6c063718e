import type { FileReference, Range } from "../message/file-reference.ts"
import { type FileFragment, parseFragment, type ReadFragment } from "../message/file-location.ts"

/** A path as it is typed in a command file: a URL, a path, or a path with a place in it
 *  (`a.ts#L10-25`, `a.pdf#page=3`, `a.zip!/b.ts`). What names no place stays in the name. */
export function fileReference(written: string): FileReference {
  if (/^https?:\/\//i.test(written)) return { kind: "url", url: written }
  const hash = written.lastIndexOf("#")
  const place = hash > 0 ? parseFragment(written.slice(hash + 1)) : undefined
  const whole = place?.type === "fragment" ? written.slice(0, hash) : written
  return { kind: "path", ...splitEntry(whole), ...fragmentLocation(place) }
}

// What stands before `!/` has a suffix, as archives do: `wow!/a.ts` is a folder.
const ENTRY = /^([^!]*[^!/\\.]\.[A-Za-z0-9]+)!\/(.+)$/s

/** A path, or the path of an archive and the path of an entry in it. */
export function splitEntry(whole: string): { path: string; entry?: string } {
  if (!whole.includes("!/")) return { path: whole }
  const [, path, entry] = ENTRY.exec(whole) ?? []
  return path === undefined || entry === undefined ? { path: whole } : { path, entry }
}

/** Lines and bytes are a range, any other place is a fragment (BEY-08). */
export function fragmentLocation(place: ReadFragment | undefined): {
  range?: Range
  fragment?: FileFragment
} {
  if (place?.type !== "fragment") return {}
  const { fragment } = place
  if (fragment.unit === "line") return { range: { start: fragment.start, end: fragment.end } }
  if (fragment.unit === "byte")
    return { range: { start: fragment.start, end: fragment.end, unit: "byte" } }
  return { fragment }
}
