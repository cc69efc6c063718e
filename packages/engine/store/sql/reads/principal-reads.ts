import type { Principal, PrincipalToken } from "compositor-core/message/principal"
import type { AuditFilter, PrincipalReads, StoredAuditEntry } from "../../store.ts"
import {
  type AuditRecord,
  auditOf,
  type PrincipalRecord,
  principalOf,
  type TokenRecord,
  tokenOf,
} from "../principal-rows.ts"
import type { SqlReader, Program, Programs, Value } from "../program.ts"

const MAX_LISTED = 10_000

interface Owner {
  readonly id: string
  readonly principal: string | null
}

const SESSION = "SELECT id, principal FROM chat_sessions WHERE id = ?"

/** Where the rows of each kind lie whose session decides whose they are, by the prefix of their ids. */
const WITHIN: Readonly<Record<string, string>> = {
  msg: within("chat_messages"),
  prt: within("chat_parts"),
  trn: within("turns"),
  trg: within("triggers"),
  ses: SESSION,
}

function within(table: string): string {
  return `SELECT ${table}.id, chat_sessions.principal FROM ${table}
    JOIN chat_sessions ON chat_sessions.id = ${table}.session_id WHERE ${table}.id = ?`
}

const OWN_CONTENT = `SELECT content_id FROM uploads WHERE content_id = ? AND principal = ?
  UNION SELECT content_id FROM blob_references
    JOIN chat_sessions ON chat_sessions.id = blob_references.session_id
    WHERE content_id = ? AND chat_sessions.principal = ?`

/** Reads who shares the store, whose what is, and who asked for what. */
export class PrincipalPrograms implements Programs<PrincipalReads> {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *principals(): Program<Principal[]> {
    const rows = yield* this.#asking.all<PrincipalRecord>(
      `SELECT * FROM principals ORDER BY id LIMIT ${MAX_LISTED}`,
    )
    return rows.map(principalOf)
  }

  *principal(id: string): Program<Principal | null> {
    const row = yield* this.#asking.get<PrincipalRecord>(
      "SELECT * FROM principals WHERE id = ?",
      id,
    )
    return row ? principalOf(row) : null
  }

  *principalTokens(principal: string): Program<PrincipalToken[]> {
    const rows = yield* this.#asking.all<TokenRecord>(
      `SELECT * FROM principal_tokens WHERE principal = ? ORDER BY created_at, id LIMIT ${MAX_LISTED}`,
      principal,
    )
    return rows.map(tokenOf)
  }

  *principalByToken(
    digest: string,
  ): Program<{ principal: Principal; token: PrincipalToken } | null> {
    const row = yield* this.#asking.get<TokenRecord>(
      "SELECT * FROM principal_tokens WHERE digest = ?",
      digest,
    )
    const principal = row ? yield* this.principal(row.principal) : null
    return row && principal ? { principal, token: tokenOf(row) } : null
  }

  *owners(ids: readonly string[]): Program<Owner[]> {
    const owners: Owner[] = []
    for (const [kind, named] of Map.groupBy(ids, (id) => id.slice(0, 3))) {
      const sql = WITHIN[kind]
      if (sql === undefined) continue
      const rows = yield* this.#asking.each<Owner>(
        sql,
        named.map((id) => [id]),
      )
      owners.push(...rows.flat())
    }
    return owners
  }

  *ownContent(principal: string, content_ids: readonly string[]): Program<string[]> {
    const rows = yield* this.#asking.each<{ content_id: string }>(
      OWN_CONTENT,
      content_ids.map((id) => [id, principal, id, principal]),
    )
    return rows.flat().map(({ content_id }) => content_id)
  }

  *audit({ principal, since, before, limit }: AuditFilter): Program<StoredAuditEntry[]> {
    const filters: [string, Value][] = []
    if (principal !== undefined) filters.push(["principal = ?", principal])
    if (since !== undefined) filters.push(["at >= ?", since])
    if (before !== undefined) filters.push(["id < ?", before])
    const where = ["1 = 1", ...filters.map(([sql]) => sql)].join(" AND ")
    const rows = yield* this.#asking.all<AuditRecord>(
      `SELECT * FROM audit WHERE ${where} ORDER BY id DESC LIMIT ?`,
      ...filters.map(([, value]) => value),
      limit,
    )
    return rows.map(auditOf)
  }
}
