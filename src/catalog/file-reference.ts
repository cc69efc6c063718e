import type { FileReference } from "../message/part.ts"

/** A path as it is typed in a command file: a URL, a path, or a path with lines (`a.ts#L10-25`). An
 *  inverted range is no range, so it stays in the name. */
export function fileReference(written: string): FileReference {
  if (/^https?:\/\//i.test(written)) return { kind: "url", url: written }
  const [, path, from, to] = LINES.exec(written) ?? []
  const start = Number(from)
  const end = Number(to ?? from)
  if (!path || start < 1 || end < start) return { kind: "path", path: written }
  return { kind: "path", path, range: { start, end } }
}

const LINES = /^(.+)#L(\d{1,9})(?:[-:]L?(\d{1,9}))?$/s
