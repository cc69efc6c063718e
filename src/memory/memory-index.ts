import type { KnownMemory } from "./memory.ts"

/** What a session is told at its start: a line for each memory, and none of their bodies (UX-037). */
const MAX_INDEX_CHARACTERS = 16_000

export function memoryIndex(memories: readonly KnownMemory[]): string {
  const lines: string[] = []
  let length = 0
  for (const memory of memories.filter(({ trusted }) => trusted)) {
    const line = lineOf(memory)
    length += line.length + 1
    if (length > MAX_INDEX_CHARACTERS) break
    lines.push(line)
  }
  if (lines.length === 0) return ""
  const rest = memories.filter(({ trusted }) => trusted).length - lines.length
  const more = rest === 0 ? [] : [`- and ${rest} more: memory_list names them`]
  return ["Memories (memory_read gives one whole):", ...lines, ...more].join("\n")
}

function lineOf({ entry: { scope, name, type, description } }: KnownMemory): string {
  const kind = type === scope ? scope : `${scope}, ${type}`
  return `- ${name} (${kind}): ${description}`
}
