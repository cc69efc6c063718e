import { createHash } from "node:crypto"
import type { Segment } from "compositor-core/message/row"
import type { ExportRow } from "../../store.ts"
import type { Program } from "../program.ts"

type Row = ExportRow["data"]

/** Rows of one session that can stand alone, and of the parts among them that were copied the ids that
 *  they had. */
export interface Standalone {
  readonly session: Row
  readonly messages: readonly Row[]
  partsOf(message: Row): Program<readonly Row[]>
  readonly captures: readonly Row[]
  readonly copied_parts: readonly string[]
}

interface BranchExportDependencies {
  /** What fired on a segment, in its order. */
  fired(segment: Segment): Program<Row[]>
  messages(session_id: string): Program<Row[]>
  parts(message_id: string): Program<Row[]>
  captures(session_id: string): Program<Row[]>
  capture(part_id: string): Program<Row | undefined>
}

/** A branch with what it inherited: rows of other sessions are copied under ids that follow from the
 *  branch and their own, and say where they come from, so that it can be imported beside its parent.
 *  They stand before the branch's own messages, at places from 0 downwards. */
export function* standalone(rooms: BranchExportDependencies, session: Row): Program<Standalone> {
  const id = String(session.id)
  const paths = [pathOf(session.path_json), ...pathsOf(session.previous_paths_json)]
  const inherited = longest(paths.map((path) => inheritedOf(path, id)))
  const sources: Row[] = []
  for (const segment of inherited) sources.push(...(yield* rooms.fired(segment)))
  const [path = [], ...previous] = paths.map((one) => movedPath(one, id, sources))
  const names = new Map(sources.map((row) => [String(row.id), freshId(id, String(row.id))]))
  const copies = new Map<unknown, readonly Row[]>()
  const messages: Row[] = []
  const captures: Row[] = []
  const copied_parts: string[] = []
  for (const [at, row] of sources.entries()) {
    const seq = at - sources.length + 1
    const message = copiedMessage(row, { id, seq, hidden: !covers(path, seq) })
    const parts = yield* rooms.parts(String(row.id))
    messages.push(message)
    copies.set(
      message.id,
      parts.map((part) => copiedPart(part, message, names)),
    )
    copied_parts.push(...parts.map((part) => String(part.id)))
  }
  for (const part of copied_parts) {
    const capture = yield* rooms.capture(part)
    if (capture) captures.push(copiedCapture(capture, id))
  }
  return {
    session: {
      ...session,
      path_json: JSON.stringify(path),
      previous_paths_json: JSON.stringify(previous),
    },
    messages: [...messages, ...(yield* rooms.messages(id))].sort(byTime),
    *partsOf(message) {
      const copied = copies.get(message.id)
      if (copied) return copied
      const own = yield* rooms.parts(String(message.id))
      return own.map((row) => ({ ...row, ...renamedTail(row, names) }))
    },
    captures: [...captures, ...(yield* rooms.captures(id))].sort(byPart),
    copied_parts,
  }
}

export function isBranch(session: Row): boolean {
  return pathOf(session.path_json).some(({ owner }) => owner !== session.id)
}

function pathOf(json: unknown): Segment[] {
  return JSON.parse(String(json))
}

function pathsOf(json: unknown): Segment[][] {
  return JSON.parse(String(json))
}

function inheritedOf(path: readonly Segment[], id: string): Segment[] {
  return path.filter(({ owner }) => owner !== id)
}

// A rewind cuts what was inherited and never adds to it: every path begins like the longest one.
function longest(inherited: readonly (readonly Segment[])[]): readonly Segment[] {
  const reach = (path: readonly Segment[]) => [path.length, path.at(-1)?.to ?? 0] as const
  return inherited.reduce((most, path) => {
    const [segments, to] = reach(path)
    const [most_segments, most_to] = reach(most)
    return segments > most_segments || (segments === most_segments && to > most_to) ? path : most
  }, [])
}

function movedPath(path: readonly Segment[], id: string, sources: readonly Row[]): Segment[] {
  const foreign = inheritedOf(path, id)
  const count = sources.filter((row) => foreign.some((segment) => holds(segment, row))).length
  const own = path.filter(({ owner }) => owner === id)
  if (count === 0) return own
  const from = 1 - sources.length
  return [{ owner: id, from, to: from + count - 1 }, ...own]
}

function holds({ owner, from, to }: Segment, { session_id, seq }: Row): boolean {
  return owner === session_id && Number(seq) >= from && Number(seq) <= (to ?? Infinity)
}

function covers(path: readonly Segment[], seq: number): boolean {
  return path.some(({ from, to }) => seq >= from && seq <= (to ?? Infinity))
}

type Names = ReadonlyMap<string, string>

interface Copy {
  readonly id: string
  readonly seq: number
  readonly hidden: boolean
}

function copiedMessage(row: Row, { id, seq, hidden }: Copy): Row {
  const { hidden_at: _, ...metadata } = JSON.parse(String(row.metadata_json))
  const copied_from = metadata.copied_from ?? row.id
  const more = hidden ? { copied_from, hidden_at: row.updated_at } : { copied_from }
  const metadata_json = JSON.stringify({ ...metadata, ...more })
  return { ...row, id: freshId(id, String(row.id)), session_id: id, seq, metadata_json }
}

function copiedPart(row: Row, message: Row, names: Names): Row {
  const { id: message_id = null, session_id = null } = message
  const id = freshId(String(session_id), String(row.id))
  return { ...row, ...renamedTail(row, names), id, session_id, message_id }
}

// A summary names the message from which on every word stays.
function renamedTail(row: Row, names: Names): Row {
  if (row.type !== "data-compaction") return {}
  const data = JSON.parse(String(row.data_json))
  if (typeof data.tail_start_id !== "string") return {}
  const tail_start_id = names.get(data.tail_start_id) ?? data.tail_start_id
  return { data_json: JSON.stringify({ ...data, tail_start_id }) }
}

function copiedCapture(row: Row, session_id: string): Row {
  const part_id = freshId(session_id, String(row.part_id))
  const data_json = JSON.stringify({ ...JSON.parse(String(row.data_json)), part_id })
  return { ...row, part_id, session_id, data_json }
}

/** The same copy has the same id, and sorts where its source does. */
function freshId(session_id: string, id: string): string {
  const digest = createHash("sha256").update(`${session_id} ${id}`).digest("hex")
  return `${id.slice(0, -11)}${digest.slice(0, 11)}`
}

function byTime(one: Row, other: Row): number {
  const [left, right] = [Number(one.created_at), Number(other.created_at)]
  return left === right ? byText(one.id, other.id) : left - right
}

function byPart(one: Row, other: Row): number {
  return byText(one.part_id, other.part_id)
}

function byText(one: unknown, other: unknown): number {
  if (one === other) return 0
  return String(one) < String(other) ? -1 : 1
}
