import type {
  MessageRow,
  Session,
  StoredMessage,
  StoredPart,
  StreamEvent,
  Turn,
} from "compositor-core/message/row"
import { openJson } from "compositor-core/message/stored-json"

/** Rows as SQLite gives them, and how each opens into what the rest of the house sees. */
export interface SessionRecord {
  id: string
  agent: string
  title: string | null
  workspace_root: string | null
  model_json: string
  parent_id: string | null
  parent_message_id: string | null
  permissions_json: string
  metadata_json: string
  prompt_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  cache_read: number
  cache_write: number
  total_tokens: number
  cost_usd: number
  path_json: string
  path_revision: number
  previous_paths_json: string
  /** `held`: an import brought what waits, and nobody let it go yet. */
  drain: "open" | "stopped" | "held"
  next_seq: number
  next_fence: number
  first_event: number
  next_event: number
  last_queued_at: number
  last_created_at: number
  created_at: number
  updated_at: number
  archived_at: number | null
  deleted_at: number | null
  /** Null is the operator's. */
  principal: string | null
}

export interface MessageRecord {
  id: string
  session_id: string
  role: MessageRow["role"]
  metadata_json: string
  state: MessageRow["state"]
  mode: string | null
  seq: number | null
  position: string | null
  payload_digest: string | null
  created_at: number
  updated_at: number
}

export interface PartRecord {
  id: string
  message_id: string
  session_id: string
  index: number
  type: string
  data_json: string
  tool_call_id: string | null
  tool_state: string | null
  created_at: number
  updated_at: number
}

export interface TurnRecord {
  id: string
  session_id: string
  message_id: string
  agent: string
  attempt: number
  state: Turn["state"]
  model_json: string
  api: string | null
  fence: number
  owner: string
  beat: number
  abort_requested_at: number | null
  side_effects: number
  answer_id: string | null
  system_prompt_digest: string | null
  tool_catalog_digest: string | null
  capabilities_revision: string | null
  usage_json: string | null
  error_json: string | null
  waiting_json: string
  retry_json: string | null
  notices_json: string
  started_at: number
  ended_at: number | null
}

export interface EventsRecord {
  seq: number
  count: number
  body_json: string
  txid: string
}

/** An event as it is kept; without a value it stands for the row it names. */
export interface StoredEventRow {
  readonly type: string
  readonly key: string
  readonly operation: StreamEvent["headers"]["operation"]
  readonly value?: Record<string, unknown>
  /** Of the operation that told it, where a row holds what several told. */
  readonly txid?: string
}

export function sessionOf(record: SessionRecord): Session {
  return {
    id: record.id,
    agent: record.agent,
    title: record.title,
    workspace_root: record.workspace_root,
    model: JSON.parse(record.model_json),
    parent_id: record.parent_id,
    parent_message_id: record.parent_message_id,
    permissions: JSON.parse(record.permissions_json),
    metadata: JSON.parse(record.metadata_json),
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    reasoning_tokens: record.reasoning_tokens,
    cache_read: record.cache_read,
    cache_write: record.cache_write,
    total_tokens: record.total_tokens,
    cost_usd: record.cost_usd,
    path: JSON.parse(record.path_json),
    path_revision: record.path_revision,
    drain: record.drain === "open" ? "open" : "stopped",
    created_at: record.created_at,
    updated_at: record.updated_at,
    archived_at: record.archived_at,
  }
}

export function messageRowOf(record: MessageRecord): MessageRow {
  return {
    id: record.id,
    session_id: record.session_id,
    role: record.role,
    metadata: openJson(record.metadata_json),
    state: record.state,
    seq: record.seq,
    position: record.position,
    ...(record.mode === "steer" && record.seq === null ? { mode: "steer" } : {}),
    created_at: record.created_at,
    updated_at: record.updated_at,
  }
}

export function readMessageRow(record: MessageRecord, parts: readonly PartRecord[]): StoredMessage {
  return { ...messageRowOf(record), parts: parts.map(readPartRow) }
}

export function readPartRow(record: PartRecord): StoredPart {
  const { data_json, ...columns } = record
  return { ...columns, data: { type: "unknown", ...openJson(data_json) } }
}

export function readTurnRow(record: TurnRecord): Turn {
  return {
    id: record.id,
    session_id: record.session_id,
    message_id: record.message_id,
    agent: record.agent,
    attempt: record.attempt,
    state: record.state,
    model: JSON.parse(record.model_json),
    api: record.api,
    fence: record.fence,
    system_prompt_digest: record.system_prompt_digest,
    tool_catalog_digest: record.tool_catalog_digest,
    capabilities_revision: record.capabilities_revision,
    usage: record.usage_json === null ? null : JSON.parse(record.usage_json),
    error: record.error_json === null ? null : JSON.parse(record.error_json),
    waiting: JSON.parse(record.waiting_json),
    retry: record.retry_json === null ? null : JSON.parse(record.retry_json),
    notices: JSON.parse(record.notices_json),
    started_at: record.started_at,
    ended_at: record.ended_at,
  }
}
