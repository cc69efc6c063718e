import type { z } from "zod"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { anchor, type InputFault, type AnchoredNode } from "./anchor.ts"
import { type ComposerNode, KnownNode, UnknownNode } from "./node.ts"

export const MAX_NODES = 10_000

/** What was typed, whole, and the nodes in it: in order, apart, each where it says (EA-002). */
export interface ComposerInput {
  readonly source: string
  readonly nodes?: readonly ComposerNode[]
}

type ReadComposerInput =
  | {
      readonly type: "input"
      readonly input: ComposerInput
      /** Nodes that were moved to where their text is. */
      readonly warnings: readonly InputFault[]
    }
  | { readonly type: "invalid"; readonly faults: readonly InputFault[] }

/** Read the payload of a `composer_input`. Its shape is strict, its spans are forgiven what can be
 *  put right; every fault is told at once, each with its JSON path. Whether a command exists or a
 *  file can be read is not asked (EA-005..007). */
export function readComposerInput(payload: unknown): ReadComposerInput {
  if (!isObject(payload)) return invalid([{ path: "/", message: "must be an object" }])
  const { source, nodes } = payload
  const faults = [...sourceFaults(source), ...listFaults(nodes)]
  const read = Array.isArray(nodes) && nodes.length <= MAX_NODES ? readNodes(nodes) : NO_NODES
  const text =
    typeof source === "string" && source.length <= MAX_TEXT_CHARACTERS ? source : undefined
  const anchored = text === undefined ? undefined : anchor(text, read.placed)
  const all = [...faults, ...sorted([...read.faults, ...(anchored?.faults ?? [])])]
  if (all.length > 0 || text === undefined || !anchored) return invalid(all)
  const { warnings } = anchored
  const input = nodes === undefined ? { source: text } : { source: text, nodes: anchored.nodes }
  return { type: "input", input, warnings }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function invalid(faults: readonly InputFault[]): ReadComposerInput {
  return { type: "invalid", faults }
}

function sourceFaults(source: unknown): InputFault[] {
  if (typeof source !== "string") return [{ path: "/source", message: "must be a string" }]
  if (source.length <= MAX_TEXT_CHARACTERS) return []
  return [{ path: "/source", message: `must be at most ${MAX_TEXT_CHARACTERS} characters` }]
}

function listFaults(nodes: unknown): InputFault[] {
  if (nodes === undefined) return []
  if (!Array.isArray(nodes)) return [{ path: "/nodes", message: "must be an array" }]
  if (nodes.length <= MAX_NODES) return []
  return [{ path: "/nodes", message: `must be at most ${MAX_NODES} nodes` }]
}

interface ReadNodes {
  readonly placed: readonly AnchoredNode[]
  readonly faults: readonly InputFault[]
}

const NO_NODES: ReadNodes = { placed: [], faults: [] }

function readNodes(nodes: readonly unknown[]): ReadNodes {
  const placed: AnchoredNode[] = []
  const faults: InputFault[] = []
  for (const [index, value] of nodes.entries()) {
    const read = readNode(value)
    if ("node" in read) placed.push({ node: read.node, index })
    else
      for (const { path, message } of read.faults)
        faults.push({ path: `/nodes/${index}${path}`, message })
  }
  return { placed, faults }
}

const SCHEMAS: ReadonlyMap<unknown, z.ZodType<ComposerNode>> = new Map(
  KnownNode.options.map((option) => [option.shape.kind.value, option]),
)

function readNode(
  value: unknown,
): { readonly node: ComposerNode } | { readonly faults: readonly InputFault[] } {
  if (!isObject(value)) return { faults: [{ path: "", message: "must be an object" }] }
  const parsed = (SCHEMAS.get(value.kind) ?? UnknownNode).safeParse(value)
  const faults = parsed.success ? [] : parsed.error.issues.map(faultOf)
  const inverted = isInverted(value) ? [{ path: "/end", message: "must be >= start" }] : []
  if (parsed.success && inverted.length === 0) return { node: parsed.data }
  return { faults: [...faults, ...inverted] }
}

function faultOf({ path, message }: z.core.$ZodIssue): InputFault {
  return { path: `/${path.map(String).join("/")}`, message }
}

function isInverted({ start, end }: Readonly<Record<string, unknown>>): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && Number(end) < Number(start)
}

/** In the order of the nodes, whichever check found them. */
function sorted(faults: readonly InputFault[]): InputFault[] {
  const indexOf = ({ path }: InputFault) => Number(path.split("/")[2])
  return faults.toSorted((left, right) => indexOf(left) - indexOf(right))
}
