import type { ComposerNode } from "./node.ts"

export interface InputFault {
  readonly path: string
  readonly message: string
}

interface Anchored {
  readonly nodes: readonly ComposerNode[]
  readonly faults: readonly InputFault[]
  readonly warnings: readonly InputFault[]
}

/** How far from where it was said to be a node is looked for. */
const NEARBY_UNITS = 256

/** A node, and where it stands in the list that was sent. */
export interface AnchoredNode {
  readonly node: ComposerNode
  readonly index: number
}

/** Put every node where its text is (EA-006). Nodes that are where they say stay; one that is not is
 *  looked for between its neighbours, near the place it names, and moved there with a warning. */
export function anchor(source: string, placed: readonly AnchoredNode[]): Anchored {
  const nodes: ComposerNode[] = []
  const faults: InputFault[] = []
  const warnings: InputFault[] = []
  const ceilings = ceilingsOf(source, placed)
  let floor = 0
  let drift = 0
  for (const [at, { node, index }] of placed.entries()) {
    const path = `/nodes/${index}`
    const room = { floor, ceiling: ceilings[at] ?? source.length, drift }
    const found = isExact(source, node)
      ? exactly(node, room, path)
      : nearby(source, node, { ...room, path })
    if ("fault" in found) {
      faults.push(found.fault)
      floor = Math.max(floor, Math.min(node.end, source.length))
      continue
    }
    const { start } = found
    const end = start + node.raw.length
    const moved = start !== node.start || end !== node.end
    const message = `was moved from ${node.start}-${node.end} to ${start}-${end}, where its text is`
    if (moved) warnings.push({ path, message })
    nodes.push(moved ? { ...node, start, end } : node)
    floor = end
    drift = end - node.end
  }
  return { nodes, faults, warnings }
}

/** For each node, where the next one starts that is where it says. */
function ceilingsOf(source: string, placed: readonly AnchoredNode[]): number[] {
  const ceilings: number[] = []
  let ceiling = source.length
  for (const { node } of placed.toReversed()) {
    ceilings.push(ceiling)
    if (isExact(source, node)) ceiling = Math.min(ceiling, node.start)
  }
  return ceilings.toReversed()
}

function isExact(source: string, { start, end, raw }: ComposerNode): boolean {
  return end - start === raw.length && end <= source.length && source.startsWith(raw, start)
}

interface Room {
  /** No node may start before here, and none end behind the ceiling. */
  readonly floor: number
  readonly ceiling: number
  /** By how much the node before was off. */
  readonly drift: number
}

type Found = { readonly start: number } | { readonly fault: InputFault }

function exactly(node: ComposerNode, { floor }: Room, path: string): Found {
  if (node.start >= floor) return { start: node.start }
  return { fault: { path: `${path}/start`, message: "must not overlap the previous node" } }
}

function nearby(source: string, node: ComposerNode, room: Room & { path: string }): Found {
  const { floor, ceiling, drift, path } = room
  const expected = node.start + drift
  const from = Math.max(floor, expected - NEARBY_UNITS)
  const to = Math.min(ceiling, expected + NEARBY_UNITS + node.raw.length)
  const start = nearest(source.slice(from, to), node.raw, expected - from)
  if (start !== undefined) return { start: from + start }
  if (node.end > source.length)
    return { fault: { path: `${path}/end`, message: "must be within source" } }
  return { fault: { path: `${path}/raw`, message: "must equal source.slice(start, end)" } }
}

/** Where `raw` stands in the text, as near to `expected` as it does. */
function nearest(text: string, raw: string, expected: number): number | undefined {
  const before = text.lastIndexOf(raw, expected)
  const after = text.indexOf(raw, Math.max(0, expected))
  if (before < 0) return after < 0 ? undefined : after
  if (after < 0) return before
  return after - expected < expected - before ? after : before
}
