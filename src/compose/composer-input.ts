import { z } from "zod"
import { MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import type { Part, UnknownPart } from "../message/part.ts"

/** The wire view of what was typed: the full source, and spans of it (EA-002). Offsets count UTF-16
 *  units; extra fields survive. */
export const ComposerNode = z.looseObject({
  kind: z.string().min(1),
  start: z.int().min(0),
  end: z.int().min(0),
  raw: z.string(),
})
export type ComposerNode = z.infer<typeof ComposerNode>

export const ComposerInput = z
  .object({
    source: z.string().max(MAX_TEXT_CHARACTERS),
    nodes: z.array(ComposerNode).max(10_000).optional(),
  })
  .superRefine(({ source, nodes = [] }, context) => {
    let end = 0
    for (const [at, node] of nodes.entries()) {
      const fault = faultOf(source, node, end)
      if (fault)
        context.addIssue({ code: "custom", path: ["nodes", at, fault[0]], message: fault[1] })
      end = Math.max(end, node.end)
    }
  })
export type ComposerInput = z.infer<typeof ComposerInput>

function faultOf(source: string, node: ComposerNode, previousEnd: number) {
  if (node.end < node.start) return ["end", "must not be before start"] as const
  if (node.end > source.length) return ["end", "must be within source"] as const
  if (node.start < previousEnd) return ["start", "must not overlap the previous node"] as const
  if (node.raw !== source.slice(node.start, node.end))
    return ["raw", "must equal source.slice(start, end)"] as const
  return undefined
}

/** The persisted view: nodes become typed parts, the gaps between them text (EA-041). */
export function partsOf({ source, nodes = [] }: ComposerInput): (Part | UnknownPart)[] {
  const parts: (Part | UnknownPart)[] = []
  let at = 0
  for (const node of nodes) {
    pushText(parts, source.slice(at, node.start))
    parts.push(partOf(node))
    at = node.end
  }
  pushText(parts, source.slice(at))
  return parts
}

function pushText(parts: (Part | UnknownPart)[], text: string) {
  if (text.trim() !== "") parts.push({ type: "text", text })
}

function partOf(node: ComposerNode): Part | UnknownPart {
  const { kind, start: _start, end: _end, raw, ...rest } = node
  switch (kind) {
    case "text":
      return { type: "text", text: raw }
    case "file":
      return { type: "file-ref", ref: { kind: "path", path: String(rest.path), ...rangeOf(rest) } }
    case "symbol":
    case "branch":
      return { type: "mention", target: { kind, ...rest } }
    case "slash_command":
      // No catalog yet, so no command is recognised: it passes through as typed (CMP-044).
      return {
        type: "command",
        id: `/${String(rest.name)}`,
        args: (rest.args as Record<string, unknown>) ?? {},
        outcome: "pass-through",
        raw,
      }
    default:
      return { ...rest, type: `node-${kind.toLowerCase().replace(/[^a-z0-9-]/g, "-")}`, text: raw }
  }
}

function rangeOf(rest: Record<string, unknown>): { range?: { start: number; end: number } } {
  const range = rest.range as { start: number; end: number } | undefined
  return range === undefined ? {} : { range }
}
