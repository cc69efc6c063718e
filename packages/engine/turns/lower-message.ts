import type { NamedPart } from "compositor-core/lower/loaded-part"
import { pathTarget } from "../loading/capture-target.ts"
import { readPart } from "compositor-core/parts/read-part"
import type { Policy } from "compositor-core/lower/policy"
import { hash } from "node:crypto"
import type { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { type AnswerPart, lowerAssistant } from "compositor-core/lower/assistant"
import { type Earlier, rememberShown } from "../loading/unchanged-files.ts"
import { type Capture, LOAD_LIMITS, load, type Sources } from "../loading/load.ts"
import { lower, promptMessages } from "compositor-core/lower/lower"
import type { PlannedMedia } from "compositor-core/file/plan"
import { openJson } from "compositor-core/message/stored-json"
import { upgradePart } from "compositor-core/message/upgrade"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { PromptMessage } from "compositor-core/model/prompt"
import type { Receipt } from "compositor-core/model/receipt"
import { openRow } from "compositor-core/model/stored-text"
import type { WireFragment } from "compositor-core/wires/body"
import type { Provider } from "../providers/provider.ts"
import type { RawMessage, Store } from "../store/store.ts"
import { instructionsIn, lowerInstructions, mayHoldInstructions } from "./instructions.ts"
import { plainMessages } from "./plain-blocks.ts"
import type { PromptedMessage } from "./compaction.ts"

export interface HistoryDependencies {
  readonly store: Pick<Store, "rawHistory" | "toldHistory" | "lastAsked" | "capture">
  readonly blobs: Sources["blobs"]
  readonly read: typeof readWorkspaceFile
  /** What may come in from a workspace. */
  ingress(workspace_root: string | null): NonNullable<Sources["ingress"]>
  /** Who knows formats: slices, shrinks, counts and finds routes. */
  readonly formats?: Pick<Sources, "slice" | "shrink" | "routes" | "measure">
}

/** The model that is addressed. */
export interface ModelTarget {
  readonly provider: Provider
  readonly model_id: string
  readonly capabilities: Capabilities
}

export interface MessageReceipt {
  readonly message_id: string
  readonly receipt: Receipt
}

export interface LoweringOf {
  readonly target: Omit<ModelTarget, "provider"> & { readonly provider: Pick<Provider, "encode"> }
  readonly workspace_root: string | null
  readonly policy: Policy
  /** Its turn is over. */
  readonly closed: boolean
  /** The files that the model was shown before. */
  readonly shown: ReadonlyMap<string, Earlier>
  readonly wants_receipts: boolean
}

export interface LoweredMessage {
  readonly fragments: readonly WireFragment[]
  readonly media: readonly PlannedMedia[]
  readonly receipts: readonly MessageReceipt[]
  readonly captures: readonly Capture[]
  /** The files that the model has been shown with it. */
  readonly shown: ReadonlyMap<string, Earlier>
}

/** One stored message as wire bytes, and what became of its parts. */
export async function lowerMessage(
  rooms: HistoryDependencies,
  message: PromptedMessage,
  at: LoweringOf,
): Promise<LoweredMessage> {
  const plain =
    at.wants_receipts || at.policy.custom || mayHoldInstructions(message.metadata_json)
      ? undefined
      : plainMessages(message.role, message.parts)
  if (plain) return { ...nothingElse(at), fragments: encoded(plain, at) }
  if (message.role === "assistant") return lowerAnswer(message, at)
  return lowerSaid(rooms, message, at)
}

/** An answer as wire bytes: it needs nothing but its rows. */
export function lowerAnswer(
  message: RawMessage,
  at: Pick<LoweringOf, "target" | "policy" | "closed" | "shown">,
): LoweredMessage {
  const { capabilities } = at.target
  const { policy, closed } = at
  const lowered = lowerAssistant(answerParts(message), { capabilities, policy, closed })
  return {
    ...nothingElse(at),
    fragments: encoded(lowered.messages, at),
    media: lowered.media.map((use) => ({ ...use, seq: message.seq })),
    receipts: lowered.receipts.map((receipt) => ({ message_id: message.id, receipt })),
  }
}

export function answerParts({ parts }: RawMessage): AnswerPart[] {
  return parts.map(({ id, data_json }) => ({ id, data: openAnswerRow(data_json) }))
}

function openAnswerRow(data_json: string): AnswerPart["data"] {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- we wrote the row
    return openRow(data_json) as AnswerPart["data"]
  } catch {
    return openJson(data_json)
  }
}

async function lowerSaid(
  rooms: HistoryDependencies,
  message: PromptedMessage,
  at: LoweringOf,
): Promise<LoweredMessage> {
  const version = Number(openJson(message.metadata_json).schema_version ?? 1)
  const parts = message.parts.map(({ id, data_json }) => ({
    id,
    part: readPart(upgradePart(openJson(data_json), version)),
  }))
  const kept = await captured(rooms, parts)
  const loaded = await load(parts, {
    ...rooms.formats,
    workspace_root: at.workspace_root,
    read: rooms.read,
    blobs: rooms.blobs,
    captured: (part_id) => kept.get(part_id),
    limits: LOAD_LIMITS,
    ingress: rooms.ingress(at.workspace_root),
    capabilities: at.target.capabilities,
    reach: at.policy.reach,
    earlier: (path) => at.shown.get(path),
  })
  const { capabilities } = at.target
  const policy = { ...at.policy, ...writingOf(message, capabilities) }
  const lowered = lower(loaded.parts, capabilities, policy)
  const said = lowerInstructions(instructionsIn(message), { ...policy, message_id: message.id })
  const receipts = [...lowered.receipts, ...said.map(({ receipt }) => receipt)]
  const blocks = [...said.map(({ block }) => block), ...lowered.blocks]
  return {
    fragments: encoded(promptMessages({ ...lowered, blocks }), at),
    media: lowered.media.map((use) => ({ ...use, seq: message.seq })),
    receipts: receipts.map((receipt) => ({ message_id: message.id, receipt })),
    captures: loaded.captures,
    shown: rememberShown(at.shown, loaded.parts, { receipts, shown_at: message.created_at }),
  }
}

function writingOf(
  { id, host_wrote }: PromptedMessage,
  { one_string }: Capabilities,
): Pick<Policy, "nonce" | "host_wrote"> {
  return {
    ...(host_wrote ? { host_wrote } : {}),
    ...(one_string ? { nonce: nonceOf(id) } : {}),
  }
}

/** A message's id is random and told to no model, so that nobody who wrote something in the message
 *  can know its nonce; and it stays the same, so that its bytes do (TRU-002). */
export function nonceOf(message_id: string): string {
  return hash("sha256", `marker ${message_id}`).slice(0, NONCE_CHARACTERS)
}

const NONCE_CHARACTERS = 16

/** What was captured for the parts that want a file captured. */
async function captured(rooms: HistoryDependencies, parts: readonly NamedPart[]) {
  const kept = new Map<string, Capture>()
  for (const part of parts) {
    if (!pathTarget(part)) continue
    const capture = await rooms.store.capture(part.id)
    if (capture) kept.set(part.id, JSON.parse(capture.data_json))
  }
  return kept
}

function encoded(messages: readonly PromptMessage[], { target }: Pick<LoweringOf, "target">) {
  return messages.map((message) => target.provider.encode(message, target.model_id))
}

function nothingElse({ shown }: Pick<LoweringOf, "shown">): LoweredMessage {
  return { fragments: [], media: [], receipts: [], captures: [], shown }
}
