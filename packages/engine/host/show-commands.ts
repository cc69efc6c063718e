import type { MemoryEntry } from "../memory/entry.ts"
import type { Memory, MemoryAnswer } from "../memory/memory.ts"
import { memoryLines } from "../memory/memory-index.ts"
import type { Store } from "../store/store.ts"
import type { SubmitRooms } from "../submit/submit.ts"

export interface ShowingRooms {
  readonly store: Pick<Store, "latestTurn" | "receipts">
  memory(at: Parameters<Show>[2]): Promise<Memory>
}

type Show = NonNullable<SubmitRooms["show"]>
type Shown = (rooms: ShowingRooms, typed: string, at: Parameters<Show>[2]) => Promise<string>

/** What the built-in commands say that only show something (decision 6). */
export function showing(rooms: ShowingRooms): Show {
  return async (name, typed, at) => (await SHOWN[name]?.(rooms, typed, at)) ?? ""
}

const SHOWN: Readonly<Record<string, Shown>> = {
  memory: async (rooms, typed, at) => remembered(await rooms.memory(at), typed),
  xray: ({ store }, _, { session_id }) => seen(store, session_id),
}

const VERB = /^(\w+)(?:\s+(\S+))?(?:\s+([^]+))?$/

async function remembered(memory: Memory, typed: string): Promise<string> {
  const [, verb = "list", name = "", body = ""] = VERB.exec(typed.trim()) ?? []
  switch (verb) {
    case "list":
      return listed(memory)
    case "show":
      return told(await memory.read(name), ({ body }) => body)
    case "rm":
      return told(await memory.delete(name), () => `${name} is forgotten.`)
    case "edit":
      return edited(memory, name, body)
    default:
      return `/memory knows list, show, edit and rm; not ${verb}.`
  }
}

async function listed(memory: Memory): Promise<string> {
  const lines = memoryLines(await memory.list())
  const waiting = (await memory.proposals()).length
  const more = waiting === 0 ? [] : [`${waiting} proposed: compositor memory proposals`]
  return [...(lines.length === 0 ? ["Nothing is remembered yet."] : lines), ...more].join("\n")
}

async function edited(memory: Memory, name: string, body: string): Promise<string> {
  const known = await memory.read(name)
  if (known.type !== "done") return known.message
  if (body === "") return `Say what ${name} is to be: /memory edit ${name} …`
  const { scope, type } = known.value
  const written = await memory.write({ scope, type, name, body, author: { by: "user" } })
  return told(written, () => `${name} is changed.`)
}

function told(answer: MemoryAnswer<MemoryEntry>, say: (entry: MemoryEntry) => string): string {
  return answer.type === "done" ? say(answer.value) : answer.message
}

/** What the model was shown of the last message, part by part. */
async function seen(store: ShowingRooms["store"], session_id: string | null): Promise<string> {
  const turn = session_id === null ? null : await store.latestTurn(session_id)
  if (!turn || session_id === null) return "No model has been asked here yet."
  const receipts = await store.receipts(session_id, turn.id)
  const own = receipts.filter(({ message_id }) => message_id === turn.message_id)
  const lines = own.map(({ type, outcome, tokens, reason }) =>
    [outcome, type, `${tokens} tokens`, reason].join("  "),
  )
  return [`${turn.model.model_id} was shown:`, ...lines].join("\n")
}
