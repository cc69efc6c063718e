import type { Principal, PrincipalToken } from "compositor-core/message/principal"
import type { StoredAuditEntry } from "../store.ts"

export interface PrincipalRecord {
  readonly id: string
  readonly name: string
  readonly workspaces_json: string
  readonly limits_json: string
  readonly created_at: number
  readonly revoked_at: number | null
}

export interface TokenRecord extends PrincipalToken {
  readonly digest: string
}

export interface AuditRecord extends Omit<StoredAuditEntry, "named"> {
  readonly named_json: string
}

export function principalOf(record: PrincipalRecord): Principal {
  const { workspaces_json, limits_json, ...principal } = record
  return {
    ...principal,
    workspaces: JSON.parse(workspaces_json),
    limits: JSON.parse(limits_json),
  }
}

/** Without its digest, which is nobody's to see. */
export function tokenOf(record: TokenRecord): PrincipalToken {
  const { digest: _digest, ...token } = record
  return token
}

export function auditOf({ named_json, ...entry }: AuditRecord): StoredAuditEntry {
  return { ...entry, named: JSON.parse(named_json) }
}
