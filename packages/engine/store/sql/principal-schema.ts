/** The second migration: several people and projects share one store. */
export const PRINCIPALS = `
-- Whose it is: null is the operator's.
ALTER TABLE chat_sessions ADD COLUMN principal TEXT;
CREATE INDEX chat_sessions_principal ON chat_sessions (principal, updated_at, id)
  WHERE principal IS NOT NULL;
ALTER TABLE uploads ADD COLUMN principal TEXT;
-- Two principals may give their entities the same name; the operator's have none before them.
ALTER TABLE entities ADD COLUMN principal TEXT NOT NULL DEFAULT '';
DROP INDEX entities_name;
CREATE UNIQUE INDEX entities_name ON entities (principal, type, name);

CREATE TABLE principals (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  workspaces_json TEXT NOT NULL,
  limits_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE principal_tokens (
  id TEXT PRIMARY KEY,
  -- sha256 of what it says; that itself is kept nowhere.
  digest TEXT NOT NULL UNIQUE,
  principal TEXT NOT NULL REFERENCES principals (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
);
CREATE INDEX principal_tokens_principal ON principal_tokens (principal, created_at);
-- Who asked for what. Rows are added, and go when they are old; none is ever changed.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  principal TEXT NOT NULL,
  action TEXT NOT NULL,
  named_json TEXT NOT NULL,
  status INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  address TEXT
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_principal ON audit (principal, id);
`
