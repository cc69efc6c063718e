import { INVISIBLE } from "./refusal.ts"

type EntryName =
  | {
      readonly type: "name"
      /** The folders above it and its own name; empty for the archive's root. */
      readonly segments: readonly string[]
      /** Says what was changed to make it a name that can be used. */
      readonly change: string | undefined
    }
  | { readonly type: "refused"; readonly reason: string }

const MAX_SEGMENT_BYTES = 255
const MAX_NAME_BYTES = 2048

/** What an entry's name comes to on this disk. A name that leads out of its folder by any system's
 *  rules is refused on every system; a name that merely cannot be used is changed. */
export function entryName(name: string, windows = process.platform === "win32"): EntryName {
  if (!windows && PLAIN.test(name))
    return { type: "name", segments: name.split("/"), change: undefined }
  if (name.includes("\0")) return refused("has a NUL in its name")
  const slashed = name.replaceAll("\\", "/")
  if (slashed.startsWith("/")) return refused("is an absolute path")
  const segments = slashed.split("/").filter((segment) => segment !== "" && segment !== ".")
  if (DRIVE.test(segments[0] ?? "")) return refused("names a drive")
  if (segments.some(leadsUp)) return refused("leads out of its folder")
  const usable = segments.map((segment) => usableSegment(segment, windows))
  if (usable.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES))
    return refused(`has a name of more than ${MAX_SEGMENT_BYTES} bytes`)
  if (Buffer.byteLength(usable.join("/")) > MAX_NAME_BYTES)
    return refused(`has a path of more than ${MAX_NAME_BYTES} bytes`)
  return { type: "name", segments: usable, change: changeOf(name, segments, usable) }
}

/** Most names: letters, digits and a few marks, no dot at either end of a segment, short. */
const PLAIN = /^(?!.{200})(?:[\w-](?:[\w. -]*[\w-])?\/)*[\w-](?:[\w. -]*[\w-])?$/
const DRIVE = /^[A-Za-z]:/

function refused(reason: string): EntryName {
  return { type: "refused", reason }
}

/** `..` in any spelling that some system reads as such: spaces around it are dropped by one, wide
 *  dots and slashes are narrowed by another. */
function leadsUp(segment: string): boolean {
  return segment
    .normalize("NFKC")
    .split(/[\\/]/)
    .some((piece) => piece.trim() === "..")
}

function usableSegment(segment: string, windows: boolean): string {
  const visible = segment.replace(INVISIBLE, "_")
  return windows ? portable(visible) : visible
}

// oxlint-disable-next-line no-control-regex
const NOT_IN_WINDOWS = /[<>:"|?*]/g
const DROPPED_BY_WINDOWS = /[. ]+$/
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

function portable(segment: string): string {
  return segment
    .replace(NOT_IN_WINDOWS, "_")
    .replace(DROPPED_BY_WINDOWS, (end) => "_".repeat(end.length))
    .replace(DEVICE, (device) => `${device}_`)
}

function changeOf(
  name: string,
  segments: readonly string[],
  usable: readonly string[],
): string | undefined {
  if (segments.some((segment, at) => segment !== usable[at]))
    return `was renamed to ${usable.join("/")}`
  return name.includes("\\") ? `was read as ${usable.join("/")}` : undefined
}

/** Two names with the same key are one file on some disk: letters' case, composed and decomposed
 *  accents and ligatures make no difference there. */
export function nameKey(segment: string): string {
  if (ASCII.test(segment)) return segment.toLowerCase()
  return segment.normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD")
}

const ASCII = /^[ -~]*$/
