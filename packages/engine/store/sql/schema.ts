import { PRINCIPALS } from "./principal-schema.ts"

/** Migrations in order; `PRAGMA user_version` says how many a database has seen. Released ones are
 *  never edited: each leaves a fixture in test/store/fixtures that every later version opens.
 *  Plain SQL, because the two engines differ in three type words and start-up must not load a query
 *  builder. The columns that the documents name keep their names (PER-002, PER-005, PER-007). */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE chat_sessions (
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  title TEXT,
  workspace_root TEXT,
  model_json TEXT NOT NULL,
  parent_id TEXT,
  parent_message_id TEXT,
  permissions_json TEXT NOT NULL DEFAULT '[]',
  metadata_json TEXT NOT NULL DEFAULT '{}',
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read INTEGER NOT NULL DEFAULT 0,
  cache_write INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL NOT NULL DEFAULT 0,
  path_json TEXT NOT NULL,
  path_revision INTEGER NOT NULL DEFAULT 0,
  previous_paths_json TEXT NOT NULL DEFAULT '[]',
  drain TEXT NOT NULL DEFAULT 'open',
  next_seq INTEGER NOT NULL DEFAULT 1,
  next_fence INTEGER NOT NULL DEFAULT 1,
  first_event INTEGER NOT NULL DEFAULT 0,
  next_event INTEGER NOT NULL DEFAULT 0,
  last_queued_at INTEGER NOT NULL DEFAULT 0,
  last_created_at INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER,
  deleted_at INTEGER
);
CREATE INDEX chat_sessions_agent ON chat_sessions (agent, updated_at);
CREATE INDEX chat_sessions_workspace ON chat_sessions (workspace_root, updated_at);
CREATE INDEX chat_sessions_parent ON chat_sessions (parent_id);
CREATE INDEX chat_sessions_archived ON chat_sessions (archived_at);
CREATE INDEX chat_sessions_updated ON chat_sessions (updated_at, id);

CREATE TABLE chat_messages (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  metadata_json TEXT NOT NULL DEFAULT '{}',
  state TEXT NOT NULL,
  mode TEXT,
  seq INTEGER,
  position TEXT,
  payload_digest TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX chat_messages_created ON chat_messages (session_id, created_at);
CREATE UNIQUE INDEX chat_messages_history ON chat_messages (session_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX chat_messages_queue ON chat_messages (session_id, position)
  WHERE state IN ('queued', 'paused', 'editing');

CREATE TABLE chat_parts (
  id TEXT PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES chat_messages (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  "index" INTEGER NOT NULL,
  type TEXT NOT NULL,
  data_json TEXT NOT NULL,
  tool_call_id TEXT,
  tool_state TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX chat_parts_message ON chat_parts (message_id, "index");
CREATE INDEX chat_parts_session ON chat_parts (session_id);
CREATE INDEX chat_parts_tool_call ON chat_parts (tool_call_id) WHERE tool_call_id IS NOT NULL;

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT 'assistant',
  attempt INTEGER NOT NULL,
  state TEXT NOT NULL,
  model_json TEXT NOT NULL,
  api TEXT,
  fence INTEGER NOT NULL,
  owner TEXT NOT NULL,
  beat INTEGER NOT NULL DEFAULT 0,
  abort_requested_at INTEGER,
  side_effects INTEGER NOT NULL DEFAULT 0,
  answer_id TEXT,
  system_prompt_digest TEXT,
  tool_catalog_digest TEXT,
  capabilities_revision TEXT,
  usage_json TEXT,
  error_json TEXT,
  waiting_json TEXT NOT NULL DEFAULT '[]',
  retry_json TEXT,
  notices_json TEXT NOT NULL DEFAULT '[]',
  started_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE UNIQUE INDEX turns_live ON turns (session_id)
  WHERE state IN ('running', 'retrying', 'waiting_on_approval', 'waiting_on_user_input');
CREATE UNIQUE INDEX turns_attempt ON turns (message_id, attempt);
CREATE UNIQUE INDEX turns_fence ON turns (session_id, fence);

CREATE TABLE receipts (
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  part_id TEXT NOT NULL,
  data_json TEXT NOT NULL,
  PRIMARY KEY (session_id, turn_id, part_id)
) WITHOUT ROWID;

CREATE TABLE captures (
  part_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  content_id TEXT,
  data_json TEXT NOT NULL
);
CREATE INDEX captures_session ON captures (session_id);

-- Media that a model would not take, so that it is not sent them again (BEY-02).
CREATE TABLE refusals (
  api TEXT NOT NULL,
  model_id TEXT NOT NULL,
  content_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (api, model_id, content_id)
) WITHOUT ROWID;

CREATE TABLE system_prompts (digest TEXT PRIMARY KEY, body TEXT NOT NULL, created_at INTEGER NOT NULL);

CREATE TABLE blobs (
  content_id TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE blob_references (
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  part_id TEXT NOT NULL,
  content_id TEXT NOT NULL,
  PRIMARY KEY (session_id, part_id, content_id)
) WITHOUT ROWID;
CREATE INDEX blob_references_content ON blob_references (content_id);
CREATE TABLE uploads (
  id INTEGER PRIMARY KEY,
  content_id TEXT NOT NULL,
  uploaded_at INTEGER NOT NULL
);
CREATE INDEX uploads_content ON uploads (content_id);

-- Streams that anybody may make and append to (Durable Streams).
CREATE TABLE durable_streams (
  id TEXT PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  content_type TEXT NOT NULL,
  ttl_seconds INTEGER,
  expires_at INTEGER,
  used_at INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  closed_by TEXT,
  deleted INTEGER NOT NULL,
  tail INTEGER NOT NULL,
  last_order TEXT,
  source_id TEXT,
  source_position INTEGER,
  fork_within INTEGER NOT NULL
);
CREATE INDEX durable_streams_source ON durable_streams (source_id) WHERE source_id IS NOT NULL;
CREATE TABLE durable_appends (
  stream_id TEXT NOT NULL,
  "start" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE UNIQUE INDEX durable_appends_end ON durable_appends (stream_id, "end");
CREATE TABLE durable_producers (
  stream_id TEXT NOT NULL,
  producer_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (stream_id, producer_id)
) WITHOUT ROWID;

CREATE TABLE drafts (
  session_id TEXT PRIMARY KEY REFERENCES chat_sessions (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  body_json TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
-- Drafts that lost against another: nothing that was typed is thrown away by us.
CREATE TABLE stashed_drafts (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  body_json TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  stashed_at INTEGER NOT NULL
);
CREATE INDEX stashed_drafts_session ON stashed_drafts (session_id, id);

-- Heads of streams. A session's own stream has its head in its row: a send then writes one row less.
CREATE TABLE streams (
  id TEXT PRIMARY KEY,
  session_id TEXT,
  first_seq INTEGER NOT NULL DEFAULT 0,
  next_seq INTEGER NOT NULL DEFAULT 0,
  closed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX streams_session ON streams (session_id) WHERE session_id IS NOT NULL;
-- One row is all that one operation told a stream: \`count\` events from \`seq\` on. Events of messages
-- and parts name their row and carry no copy of it, so that content stands in one place only.
CREATE TABLE events (
  stream_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body_json TEXT NOT NULL,
  txid TEXT NOT NULL
);
CREATE UNIQUE INDEX events_stream ON events (stream_id, seq);

-- What wakes a session that nobody types into, and every time that it did.
CREATE TABLE triggers (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  data_json TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  next_fire_at INTEGER,
  fired_at INTEGER,
  held_by TEXT,
  held_until INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX triggers_session ON triggers (session_id);
CREATE INDEX triggers_due ON triggers (next_fire_at) WHERE next_fire_at IS NOT NULL;
CREATE TABLE deliveries (
  trigger_id TEXT NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
  delivery_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  state TEXT NOT NULL,
  auth_subject TEXT,
  data_json TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (trigger_id, delivery_id)
) WITHOUT ROWID;
CREATE INDEX deliveries_at ON deliveries (trigger_id, at);
CREATE INDEX deliveries_pending ON deliveries (at) WHERE state = 'pending';

-- Sessions under a name of their own, whose wakes are handled by code, and the rows they keep.
CREATE TABLE entities (
  session_id TEXT PRIMARY KEY REFERENCES chat_sessions (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  args_json TEXT NOT NULL,
  tags_json TEXT NOT NULL,
  parent TEXT,
  spawned_by TEXT,
  commands_digest TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  killed_at INTEGER
);
CREATE UNIQUE INDEX entities_name ON entities (type, name);
CREATE INDEX entities_parent ON entities (parent) WHERE parent IS NOT NULL;
CREATE TABLE entity_rows (
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  event_type TEXT NOT NULL,
  value_json TEXT NOT NULL,
  PRIMARY KEY (session_id, collection, key)
) WITHOUT ROWID;
-- Who registered which command; readers see the top one of each name.
CREATE TABLE slash_commands (
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  position INTEGER NOT NULL,
  data_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, name, owner)
) WITHOUT ROWID;
-- What a handler has done for the wake it is handling, so that it is done once.
CREATE TABLE entity_effects (
  session_id TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  wake TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  answer_json TEXT NOT NULL,
  PRIMARY KEY (session_id, wake, ordinal)
) WITHOUT ROWID;
CREATE TABLE observations (
  observer TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  observed TEXT NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
  collections_json TEXT NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (observer, observed)
) WITHOUT ROWID;
CREATE INDEX observations_observed ON observations (observed);
`,
  PRINCIPALS,
  `
-- At every step of a turn someone asks whether one was steered in, however many wait.
CREATE INDEX chat_messages_steered ON chat_messages (session_id, position)
  WHERE mode = 'steer' AND state IN ('queued', 'paused', 'editing');
`,
  `
-- An id that a sender gives its delivery is not signed; the signature itself tells a replay.
ALTER TABLE deliveries ADD COLUMN signature TEXT;
CREATE UNIQUE INDEX deliveries_signature ON deliveries (trigger_id, signature)
  WHERE signature IS NOT NULL;
`,
]
