import type { AuditEntry, Principal, PrincipalToken } from "compositor-core/message/principal"
import { Refusal } from "compositor-core/message/refusal"
import type { NewPrincipal, NewPrincipalToken } from "../../store.ts"
import { type PrincipalRecord, principalOf, type TokenRecord, tokenOf } from "../principal-rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"

export function* addPrincipal(
  tx: Transaction,
  input: NewPrincipal,
): Program<{ principal: Principal }> {
  const { id, name, workspaces, limits } = input
  const added = yield* tx.run(
    `INSERT INTO principals (id, name, workspaces_json, limits_json, created_at)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    id,
    name,
    JSON.stringify(workspaces),
    JSON.stringify(limits),
    tx.now,
  )
  // A name that was let go is not given to another: what it made is still there.
  if (added === 0) throw new Refusal("conflict", `there is a principal ${id} already`)
  const row = yield* principalRow(tx, id)
  if (!row) throw new Error(`the principal ${id} that was just added is not there`)
  return { principal: principalOf(row) }
}

export function* revokePrincipal(
  tx: Transaction,
  { id }: { readonly id: string },
): Program<{ principal: Principal | null }> {
  tx.write("UPDATE principals SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", tx.now, id)
  const row = yield* principalRow(tx, id)
  return { principal: row ? principalOf(row) : null }
}

export function* addPrincipalToken(
  tx: Transaction,
  input: NewPrincipalToken,
): Program<{ token: PrincipalToken }> {
  const { id, digest, principal, name, expires_at } = input
  const owner = yield* principalRow(tx, principal)
  if (!owner) throw new Refusal("not_found", `there is no principal ${principal}`)
  if (owner.revoked_at !== null) throw new Refusal("conflict", `${principal} was revoked`)
  tx.write(
    `INSERT INTO principal_tokens (id, digest, principal, name, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    digest,
    principal,
    name,
    tx.now,
    expires_at,
  )
  const row = yield* tokenRow(tx, id)
  if (!row) throw new Error(`the token ${id} that was just added is not there`)
  return { token: tokenOf(row) }
}

export function* revokePrincipalToken(
  tx: Transaction,
  { id }: { readonly id: string },
): Program<{ token: PrincipalToken | null }> {
  tx.write(
    "UPDATE principal_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
    tx.now,
    id,
  )
  const row = yield* tokenRow(tx, id)
  return { token: row ? tokenOf(row) : null }
}

export function* usePrincipalToken(
  tx: Transaction,
  { id }: { readonly id: string },
): Program<null> {
  yield* tx.run("UPDATE principal_tokens SET last_used_at = ? WHERE id = ?", tx.now, id)
  return null
}

// oxlint-disable-next-line require-yield
export function* recordAudit(
  tx: Transaction,
  { entries }: { readonly entries: readonly AuditEntry[] },
): Program<null> {
  for (const entry of entries)
    tx.write(
      `INSERT INTO audit (at, principal, action, named_json, status, request_id, address)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      entry.at,
      entry.principal,
      entry.action,
      JSON.stringify(entry.named),
      entry.status,
      entry.request_id,
      entry.address,
    )
  return null
}

export function* sweepAudit(
  tx: Transaction,
  { before, max_entries }: { readonly before: number; readonly max_entries: number },
): Program<null> {
  yield* tx.run("DELETE FROM audit WHERE at < ?", before)
  yield* tx.run(
    "DELETE FROM audit WHERE id <= (SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET ?)",
    max_entries,
  )
  return null
}

function principalRow(tx: Transaction, id: string): Program<PrincipalRecord | undefined> {
  return tx.get<PrincipalRecord>("SELECT * FROM principals WHERE id = ?", id)
}

function tokenRow(tx: Transaction, id: string): Program<TokenRecord | undefined> {
  return tx.get<TokenRecord>("SELECT * FROM principal_tokens WHERE id = ?", id)
}
