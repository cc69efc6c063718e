/** The address of a file; a path that is relative to nothing known stays relative. */
export function fileUri(path: string, root: string | undefined): string {
  const encoded = (text: string) =>
    encodeURI(text.toWellFormed()).replace(/[?#!]/g, (mark) => ESCAPED[mark] ?? mark)
  if (path.startsWith("/")) return `file://${encoded(path)}`
  if (root === undefined) return encoded(path)
  return `file://${encoded(`${root.replace(/\/+$/, "")}/${path}`)}`
}

const ESCAPED: Readonly<Record<string, string>> = { "?": "%3F", "#": "%23", "!": "%21" }

export interface FileAddress {
  /** Relative to the root where it lies in it, else absolute. */
  readonly path: string
  readonly entry?: string
  /** What follows the `#`, as written. */
  readonly fragment?: string
}

/** The file that a `file:` address names; undefined when it names none. */
export function readFileUri(uri: string, root: string | undefined): FileAddress | undefined {
  const match = /^file:\/\/(?:localhost)?(\/[^?#]*)(?:#(.*))?$/s.exec(uri)
  if (!match) return undefined
  const [, address = "", fragment] = match
  const inside = address.indexOf("!/")
  const path = decoded(inside < 0 ? address : address.slice(0, inside))
  const entry = inside < 0 ? undefined : decoded(address.slice(inside + 2))
  if (path === undefined || (inside >= 0 && !entry)) return undefined
  return {
    path: relativeTo(root, path),
    ...(entry === undefined ? {} : { entry }),
    ...(fragment === undefined ? {} : { fragment }),
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function relativeTo(root: string | undefined, path: string): string {
  const base = root === undefined ? undefined : `${root.replace(/\/+$/, "")}/`
  return base && path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
