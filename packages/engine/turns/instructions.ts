import { openJson } from "compositor-core/message/stored-json"
import { LOWERING_VERSION, type Receipt } from "compositor-core/model/receipt"
import { estimateTokens, utf8Length } from "compositor-core/model/tokens"
import {
  Instructions,
  newInstructions,
  sayInstructions,
  UNTRUSTED,
} from "../skills/instructions.ts"
import type { RawMessage } from "../store/store.ts"
import { allOf, sinceCompaction } from "./compaction.ts"
import { keyOf, type TurnContext, type TurnDependencies } from "./turn-context.ts"

/** Let the message that begins a turn say what the project's files ask for, where that was not said
 *  yet, or is another by now. It is stored with the message, so that every later request says the
 *  same (TRU-003, TRU-005). */
export async function tellInstructions(rooms: TurnDependencies, talk: TurnContext): Promise<void> {
  const { claim, place, system } = talk
  const { session_id, message_id } = claim.turn
  // A turn that goes on has said it.
  if (claim.answer_id !== null) return
  const unsaid = newInstructions(await rooms.instructions(place), { system: system.body, said: [] })
  if (unsaid.length === 0) return
  const told = allOf(sinceCompaction(await rooms.store.toldHistory(session_id, null)))
  const own = told.find(({ id }) => id === message_id)
  if (own && instructionsIn(own).length > 0) return
  const said = told.flatMap(instructionsIn)
  const instructions = newInstructions(unsaid, { system: system.body, said })
  if (instructions.length > 0)
    await rooms.store.recordInstructions({ ...keyOf(talk), message_id, instructions })
}

/** What must be said with a summary: the messages that stay do not say it any more (TRU-005). */
export async function instructionsAfter(
  rooms: Pick<TurnDependencies, "instructions">,
  { place, system }: Pick<TurnContext, "place" | "system">,
  staying: readonly RawMessage[],
): Promise<Instructions[]> {
  const said = staying.flatMap(instructionsIn)
  return newInstructions(await rooms.instructions(place), { system: system.body, said })
}

/** What a message says of the project's instructions. */
export function instructionsIn({ metadata_json }: Pick<RawMessage, "metadata_json">) {
  if (!mayHoldInstructions(metadata_json)) return []
  return readInstructions(openJson(metadata_json).instructions)
}

/** Whether metadata may say something of instructions; most say nothing, and are not opened. */
export function mayHoldInstructions(metadata_json: string): boolean {
  return metadata_json.includes('instructions"')
}

export function readInstructions(said: unknown): readonly Instructions[] {
  return Instructions.array().safeParse(said).data ?? []
}

interface QuotedInstructions {
  readonly block: { readonly type: "text"; readonly text: string }
  readonly receipt: Receipt
}

/** The blocks that say it, before the user's words, each with a receipt that names the file and says
 *  why it is there. */
export function lowerInstructions(
  files: readonly Instructions[],
  { nonce, message_id }: { readonly nonce?: string | undefined; readonly message_id?: string },
): QuotedInstructions[] {
  return files.map((file, at) => {
    const text = sayInstructions(file, nonce)
    const reason = file.trusted
      ? `${file.path} is trusted, and is said as it is now.`
      : `${file.path} is quoted: ${UNTRUSTED}.`
    const receipt: Receipt = {
      part: [message_id ?? [], `instructions-${at}`].flat().join("/"),
      type: "instructions",
      outcome: "inlined",
      rule: "TRU-003",
      reason,
      bytes: utf8Length(text),
      tokens: estimateTokens(text),
      content_id: null,
      version: LOWERING_VERSION,
    }
    return { block: { type: "text", text }, receipt }
  })
}
