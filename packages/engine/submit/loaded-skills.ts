import { recordOf } from "compositor-core/message/untyped"
import { readCompactionPart } from "compositor-core/message/compaction-part"
import type { StoredMessage, StoredPart } from "compositor-core/message/row"
import type { Store } from "../store/store.ts"

const PAGE = 100

/** The skills whose bodies the model still has, by `skillKey`: those on the session's path since its
 *  last compaction (decision 7). What was rewound is not on the path, what a branch inherited is. A
 *  message that waits does not count, because it may never fire. So far back as is read here, the
 *  next request sends. */
export async function loadedSkills(
  store: Pick<Store, "history">,
  session_id: string,
): Promise<ReadonlySet<string>> {
  const loaded = new Set<string>()
  let before: string | undefined
  // Where what the model is told word for word begins, once a summary said so.
  let last: string | null | undefined
  do {
    const page = await store.history(session_id, { limit: PAGE, before })
    for (const message of page.messages.toReversed()) {
      last ??= tailStartOf(message)
      if (last === null) return loaded
      for (const key of keysIn(message)) loaded.add(key)
      if (message.id === last) return loaded
    }
    before = page.next ?? undefined
  } while (before !== undefined)
  return loaded
}

export function skillKey(name: string, given: string): string {
  return JSON.stringify([name, given])
}

// What a user sends is never a marker, whatever it calls itself.
function tailStartOf({ role, parts }: StoredMessage): string | null | undefined {
  const [part] = parts
  if (role !== "assistant" || part?.type !== "data-compaction") return undefined
  return readCompactionPart(part.data)?.tail_start_id
}

function keysIn({ metadata, parts }: StoredMessage): string[] {
  return metadata.superseded === true ? [] : parts.flatMap(keysOf)
}

/** A body came by the user's word, or by a call of the model's own. */
function keysOf({ type, data, tool_state }: StoredPart): string[] {
  if (type === "skill-content" && !isDenied(data))
    return [skillKey(textOf(data.name), textOf(data.arguments))]
  if (type !== "tool-skill" || tool_state !== "output-available") return []
  const input = recordOf(data.input)
  return [skillKey(textOf(input?.name), textOf(input?.arguments))]
}

function isDenied({ ingress }: StoredPart["data"]): boolean {
  return recordOf(ingress).verdict === "denied"
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : ""
}
