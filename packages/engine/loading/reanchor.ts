import { decodeText } from "compositor-files/kinds/sniff"
import { locateLines } from "compositor-files/workspace/surroundings"
import type { WorkspaceRead } from "compositor-files/workspace/workspace"
import type { PathTarget } from "./capture.ts"
import type { Sources } from "./sources.ts"

interface LineRange {
  readonly start: number
  readonly end: number
}

/** Where lines that stood at `start` stand now, by what they say: the nearest place that says the
 *  same, else the nearest that differs in white space at the ends of lines only; undefined when they
 *  are gone. Lines count from 1. */
export function reanchor(
  old: readonly string[],
  start: number,
  text: string,
): LineRange | undefined {
  if (old.length === 0) return undefined
  const lines = text.split("\n")
  const found = nearest(old, lines, start) ?? nearest(old.map(trimmed), lines.map(trimmed), start)
  return found === undefined ? undefined : { start: found, end: found + old.length - 1 }
}

function trimmed(line: string): string {
  return line.trimEnd()
}

function nearest(
  old: readonly string[],
  lines: readonly string[],
  start: number,
): number | undefined {
  const last = lines.length - old.length + 1
  for (let distance = 0; distance <= Math.max(start - 1, last - start); distance++)
    for (const at of [start - distance, start + distance])
      if (at >= 1 && at <= last && old.every((line, index) => line === lines[at - 1 + index]))
        return at
  return undefined
}

type ReadContent = Extract<WorkspaceRead, { type: "content" }>

/** The selected lines where they are now, when the surface said what they were and the file has
 *  changed since (BEY-03); what was read when it has not, or when they are gone. */
export async function findMovedLines(
  target: PathTarget,
  read: ReadContent,
  sources: Sources,
): Promise<ReadContent> {
  const { selected, place, path } = target
  const { range } = place
  const { workspace_root, limits } = sources
  if (!selected || !range || range.unit === "byte" || !read.lines || !workspace_root) return read
  if (decodeText(read.bytes) === selected) return read
  const whole = await sources.read(workspace_root, path, { maxBytes: limits.file_bytes })
  const text = whole.type === "content" ? decodeText(whole.bytes) : undefined
  if (text === undefined) return read
  const moved = reanchor(selected.split("\n"), range.start, text)
  if (!moved) return { ...read, note: "the selected lines have changed since they were selected" }
  const { start, end } = locateLines(text, moved)
  const bytes = Buffer.from(text.slice(start, end))
  const before = Buffer.byteLength(text.slice(0, start))
  const around = { bytes: Buffer.from(text), start: before, end: before + bytes.length }
  const note = `they stood at line ${range.start} when they were selected`
  return { ...read, bytes, around, lines: { ...read.lines, ...moved }, note }
}
