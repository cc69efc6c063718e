import { type Part, writePart } from "compositor-core/parts/table"
import { hash } from "node:crypto"
import { newId } from "compositor-core/message/id"
import type { EntityRow, NewPart, Store } from "../store/store.ts"
import { admitWords } from "../policy/judge.ts"
import { admitPart } from "../submit/admit.ts"
import type { SubmitDependencies } from "../submit/submit.ts"
import type { EntityContext, KnownContext, NewContext } from "./context.ts"
import type { EffectLog } from "./effect-log.ts"

const CONTEXT = "$context"
const MAX_NAME_CHARACTERS = 255

interface InsertedContextDependencies {
  readonly store: Pick<Store, "putContext" | "removeContext" | "entityRows" | "message">
  readonly policy: ReturnType<SubmitDependencies["policy"]>
  /** What was said so far is not what it was. */
  changed(): void
}

/** What a handler adds for the model to read. It is a part of the wake's own message, with its
 *  provenance in it, so that the inspector shows both (EA-030). */
export function insertedContext(
  rooms: InsertedContextDependencies,
  deeds: EffectLog,
): Pick<EntityContext, "insertContext" | "removeContext" | "listContext"> {
  const { session_id, wake } = deeds
  return {
    async insertContext(context) {
      const { type, title, metadata = {} } = await admitWords(rooms.policy, checked(context))
      const key = keyOf(wake, { type, title })
      const value = { key, type, title, metadata, wake, inserted_at: Date.now() }
      const effect = deeds.next("context:insert")
      const part = newPart(await admitPart(rooms.policy, partOf(context, key)))
      await rooms.store.putContext({ session_id, effect, message_id: wake, key, value, part })
      rooms.changed()
    },
    async removeContext(about) {
      const found = (await rowsOf(rooms, session_id)).findLast(({ value }) => isIt(value, about))
      const effect = deeds.next("context:remove")
      const key = found?.key ?? keyOf(wake, about)
      const { removed } = await rooms.store.removeContext({ session_id, effect, key })
      rooms.changed()
      return removed
    },
    async listContext() {
      const rows = await rowsOf(rooms, session_id)
      const known = await Promise.all(rows.map((row) => knownOf(rooms, session_id, row)))
      return known.filter((context) => context !== undefined)
    },
  }
}

function checked(context: NewContext): NewContext {
  for (const name of ["type", "title"] as const)
    if (context[name] === "" || context[name].length > MAX_NAME_CHARACTERS)
      throw new Error(`a context's ${name} has 1 to ${MAX_NAME_CHARACTERS} characters`)
  return context
}

// Keyed by wake, type and title: a handler that runs again replaces what it inserted.
function keyOf(wake: string, { type, title }: Pick<NewContext, "type" | "title">): string {
  return hash("sha256", JSON.stringify([wake, type, title]), "base64url").slice(0, 22)
}

/** A skill's body goes the one way that skills take (decision 7); the rest is told as what it is. */
function partOf({ type, title, content, metadata = {} }: NewContext, key: string): Part {
  const provenance = { context: { key, type, title, metadata } }
  if (type === "skill") {
    const { command, arguments: given } = metadata
    const name = typeof command === "string" && command !== "" ? command : title
    const about = typeof given === "string" && given !== "" ? { arguments: given } : {}
    return {
      type: "skill-content",
      name,
      ...about,
      text: content,
      initiator: "handler",
      ...provenance,
    }
  }
  const source = typeof metadata.source === "string" ? { source: metadata.source } : {}
  const payload = { title, content }
  return {
    type: "editor-context",
    kind: type,
    ...source,
    payload,
    emitted_at: Date.now(),
    ...provenance,
  }
}

function newPart(part: Part): NewPart {
  const data = writePart(part)
  return { id: newId("prt"), type: data.type, data_json: JSON.stringify(data), blob: null }
}

// In the order in which they were inserted.
async function rowsOf(
  { store }: InsertedContextDependencies,
  session_id: string,
): Promise<EntityRow[]> {
  const rows = await store.entityRows(session_id, CONTEXT)
  return rows.toSorted(
    (one, other) => Number(one.value.inserted_at) - Number(other.value.inserted_at),
  )
}

function isIt(value: EntityRow["value"], about: Pick<NewContext, "type" | "title">): boolean {
  return value.type === about.type && value.title === about.title
}

async function knownOf(
  { store }: InsertedContextDependencies,
  session_id: string,
  { key, value }: EntityRow,
): Promise<KnownContext | undefined> {
  const message = await store.message(session_id, String(value.message_id))
  const part = message?.parts.find(({ id }) => id === value.part_id)
  if (!part) return undefined
  const { text, payload } = part.data as { text?: string; payload?: { content?: string } }
  const content = text ?? payload?.content ?? ""
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
  return { ...(value as unknown as KnownContext), key, content }
}
