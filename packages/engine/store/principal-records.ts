import type {
  AuditEntry,
  Principal,
  PrincipalLimits,
  PrincipalToken,
} from "compositor-core/message/principal"

export interface NewPrincipal {
  readonly id: string
  readonly name: string
  readonly workspaces: readonly string[]
  readonly limits: PrincipalLimits
}

export interface NewPrincipalToken {
  readonly id: string
  /** What is kept of it. */
  readonly digest: string
  readonly principal: string
  readonly name: string
  readonly expires_at: number | null
}

export interface StoredAuditEntry extends AuditEntry {
  readonly id: number
}

export interface AuditFilter {
  readonly principal?: string | undefined
  readonly since?: number | undefined
  /** The cursor of an older page. */
  readonly before?: number | undefined
  readonly limit: number
}

export interface PrincipalWrites {
  addPrincipal(input: NewPrincipal): { principal: Principal }
  /** It may come in no more; what it made stays. Null when there is none. */
  revokePrincipal(input: { readonly id: string }): { principal: Principal | null }
  addPrincipalToken(input: NewPrincipalToken): { token: PrincipalToken }
  revokePrincipalToken(input: { readonly id: string }): { token: PrincipalToken | null }
  usePrincipalToken(input: { readonly id: string }): null
  /** Append-only: nothing here changes an entry, and only age and number let one go. */
  recordAudit(input: { readonly entries: readonly AuditEntry[] }): null
  sweepAudit(input: { readonly before: number; readonly max_entries: number }): null
}

export interface PrincipalReads {
  principals(): Principal[]
  principal(id: string): Principal | null
  principalTokens(principal: string): PrincipalToken[]
  /** Whose token has this digest, revoked and expired ones too. */
  principalByToken(digest: string): { principal: Principal; token: PrincipalToken } | null
  /** Whose session each of these belongs to, or is: null is the operator's. What is not there is not
   *  in the answer. */
  owners(ids: readonly string[]): { readonly id: string; readonly principal: string | null }[]
  /** Those of these contents that the principal uploaded, or that a session of its carries. */
  ownContent(principal: string, content_ids: readonly string[]): string[]
  /** The newest first. */
  audit(filter: AuditFilter): StoredAuditEntry[]
}
