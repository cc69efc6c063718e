import type {
  PromptBlock,
  PromptMessage,
  TextBlock,
  ToolResultBlock,
} from "compositor-core/model/prompt"
import { mayHoldMarker } from "compositor-core/model/marker"
import { type StoredCall, storedCall } from "compositor-core/model/stored-call"
import { storedText } from "compositor-core/model/stored-text"
import type { WireFragment } from "compositor-core/wires/body"
import type { Provider } from "../providers/provider.ts"

interface Row {
  readonly data_json: string
}

/** The wire bytes of such a message, at once: a long history is thousands of them. */
export function plainFragments(
  { role, parts }: { readonly role: string; readonly parts: readonly Row[] },
  {
    provider,
    model_id,
  }: { readonly provider: Pick<Provider, "encode">; readonly model_id: string },
): readonly WireFragment[] | undefined {
  return plainMessages(role, parts)?.map((message) => provider.encode(message, model_id))
}

/** What a stored message says that is nothing but texts, or an answer of texts and finished calls,
 *  its rows unopened: there is nothing to load and nothing to decide about it. Undefined for any
 *  other message. */
export function plainMessages(
  role: string,
  parts: readonly Row[],
): readonly PromptMessage[] | undefined {
  if (role === "assistant") return plainAnswer(parts)
  const blocks = plainBlocks(parts)
  return blocks && [{ role: "user", blocks }]
}

/** The same of a user message. */
function plainBlocks(parts: readonly Row[]): readonly TextBlock[] | undefined {
  const blocks: TextBlock[] = []
  for (const { data_json } of parts) {
    const block = storedText(data_json)
    // What looks like a marker of the host's may have to be escaped (TRU-001).
    if (!block || mayHoldMarker(data_json)) return undefined
    blocks.push(block)
  }
  return blocks.length > 0 ? blocks : undefined
}

function plainAnswer(parts: readonly Row[]): PromptMessage[] | undefined {
  const [first] = parts
  const only = first && parts.length === 1 ? plainCall(first.data_json) : undefined
  // Most answers with a call are nothing else: written out, because lists that grow cost more.
  if (only) return [answer([callOf(only)]), { role: "user", blocks: [resultOf(only)] }]
  const said: PromptBlock[] = []
  const results: ToolResultBlock[] = []
  for (const { data_json } of parts) {
    const text = storedText(data_json)
    if (text) {
      said.push(text)
      continue
    }
    const call = plainCall(data_json)
    if (!call) return undefined
    said.push(callOf(call))
    results.push(resultOf(call))
  }
  if (said.length === 0) return undefined
  return results.length > 0 ? [answer(said), { role: "user", blocks: results }] : [answer(said)]
}

function plainCall(data_json: string): StoredCall | undefined {
  const call = storedCall(data_json)
  return call && !mayHoldMarker(data_json) ? call : undefined
}

function answer(blocks: readonly PromptBlock[]): PromptMessage {
  return { role: "assistant", blocks }
}

function callOf({ id, name, input }: StoredCall): PromptBlock {
  return { type: "tool-call", id, name, input }
}

function resultOf({ id, name, blocks }: StoredCall): ToolResultBlock {
  return { type: "tool-result", id, name, blocks, is_error: false }
}

/** Whether metadata may say that a message is not for the model: opening them all to find out would
 *  cost as much as the messages. */
export function mayBeLeftOut(metadata_json: string): boolean {
  // Without the quote before it, which is everywhere, a name is found sooner.
  return (
    metadata_json.includes('superseded"') ||
    metadata_json.includes('host"') ||
    metadata_json.includes('action"')
  )
}
