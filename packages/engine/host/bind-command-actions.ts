import type { MemoryReply } from "compositor-core/commands/command-actions"
import type { StoredMessage } from "compositor-core/message/row"
import type { MemoryEntry } from "../memory/entry.ts"
import type { Memory, MemoryAnswer } from "../memory/memory.ts"
import { memoryLines } from "../memory/memory-index.ts"
import type { Store } from "../store/store.ts"
import type { SessionActions } from "../submit/submission-context.ts"
import type { SubmitDependencies } from "../submit/submit.ts"

type TypedAt = Parameters<SubmitDependencies["actions"]>[0]

interface ActionSources {
  readonly store: Pick<Store, "history" | "latestTurn" | "receipts">
  readonly memory: (at: TypedAt) => Promise<Memory>
}

const PAGE_MESSAGES = 200

/** What built-in commands may ask for, in the session that they were typed in. */
export function bindCommandActions(sources: ActionSources): SubmitDependencies["actions"] {
  return (at) => bindTo(sources, at)
}

function bindTo({ store, memory }: ActionSources, at: TypedAt): SessionActions {
  const { session_id } = at
  return {
    readHistory: async () => (session_id === null ? [] : readPages(store, session_id)),
    readLastReceipts: async () => (session_id === null ? null : lastReceipts(store, session_id)),
    listMemories: async () => memoryLines(await (await memory(at)).list()),
    countProposedMemories: async () => (await (await memory(at)).proposals()).length,
    readMemory: async (name) => replyWith(await (await memory(at)).read(name)),
    deleteMemory: async (name) => replyWith(await (await memory(at)).delete(name)),
    rewriteMemory: async (name, body) => replyWith(await rewrite(await memory(at), name, body)),
  }
}

async function readPages(
  store: ActionSources["store"],
  session_id: string,
): Promise<StoredMessage[]> {
  const pages: StoredMessage[][] = []
  let before: string | undefined
  do {
    const { messages, next } = await store.history(session_id, { limit: PAGE_MESSAGES, before })
    pages.push(messages)
    before = next ?? undefined
  } while (before !== undefined)
  return pages.toReversed().flat()
}

async function lastReceipts(store: ActionSources["store"], session_id: string) {
  const turn = await store.latestTurn(session_id)
  if (!turn) return null
  const receipts = await store.receipts(session_id, turn.id)
  const own = receipts.filter(({ message_id }) => message_id === turn.message_id)
  return { model: turn.model, receipts: own }
}

/** A memory keeps its scope and its type when its text is changed. */
async function rewrite(memory: Memory, name: string, body: string) {
  const known = await memory.read(name)
  if (known.type !== "done") return known
  const { scope, type } = known.value
  return memory.write({ scope, type, name, body, author: { by: "user" } })
}

function replyWith(answer: MemoryAnswer<MemoryEntry>): MemoryReply {
  if (answer.type !== "done") return { type: "failed", message: answer.message }
  return { type: "done", body: answer.value.body }
}
