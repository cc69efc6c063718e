import { isKnownNode } from "./node-kinds.ts"
import type { ComposerNode, KnownNode, SlashCommandNode } from "./node.ts"

/** What a handler is given: what was typed, and the nodes that were found in it (EA-003). */
export interface HandlerPayload {
  readonly source: string
  readonly nodes?: readonly ComposerNode[] | undefined
}

/** What a handler asks of an input (EA-032). Interpretation is the handler's: nothing here knows what
 *  a command means. */
export function slashCommands({ nodes = [] }: HandlerPayload): SlashCommandNode[] {
  return nodes.filter(isSlashCommand)
}

/** Whether it has the command of that name, or any without one. */
export function hasSlashCommand(payload: HandlerPayload, name?: string): boolean {
  return slashCommands(payload).some((node) => name === undefined || node.name === name)
}

export function firstSlashCommand(payload: HandlerPayload): SlashCommandNode | undefined {
  return payload.nodes?.find(isSlashCommand)
}

/** What was typed for a command: the text up to the next one, without the space around it. */
export function argumentText(payload: HandlerPayload, node: ComposerNode): string {
  const next = nodesAfter(payload, node).find(isSlashCommand)
  return payload.source.slice(node.end, next?.start).trim()
}

export function nodesAfter({ nodes = [] }: HandlerPayload, node: ComposerNode): ComposerNode[] {
  return nodes.filter((other) => other !== node && other.start >= node.end)
}

/** The text between two nodes, whichever comes first. */
export function sliceBetween(
  { source }: HandlerPayload,
  one: ComposerNode,
  other: ComposerNode,
): string {
  const [first, second] = one.start <= other.start ? [one, other] : [other, one]
  return source.slice(first.end, second.start)
}

export function knownNodes({ nodes = [] }: HandlerPayload): KnownNode[] {
  return nodes.filter(isKnownNode)
}

export function unknownNodes({ nodes = [] }: HandlerPayload): ComposerNode[] {
  return nodes.filter((node) => !isKnownNode(node))
}

function isSlashCommand(node: ComposerNode): node is SlashCommandNode {
  return node.kind === "slash_command"
}
