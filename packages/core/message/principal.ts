import { z } from "zod"

/** Whose sessions, files, memory and streams: a person or a project on a server that several share.
 *  The folder's own token is the operator's, who sees everything and is no principal. */
export const PrincipalId = z
  .string()
  .regex(
    /^(?:user|project):[a-z0-9][a-z0-9._-]{0,62}$/,
    "must be user: or project: and a name of small letters, digits and . _ -",
  )

/** What one of them may ask for; what is absent is the server's own limit. */
export const PrincipalLimits = z.strictObject({
  requests_per_second: z.number().positive().optional(),
  messages_per_minute: z.number().positive().optional(),
  upload_bytes_per_day: z.int().positive().optional(),
})
export type PrincipalLimits = z.infer<typeof PrincipalLimits>

export const Principal = z.object({
  id: PrincipalId,
  name: z.string(),
  /** The folders that its sessions may work in, as the disk names them. */
  workspaces: z.array(z.string()),
  limits: PrincipalLimits,
  created_at: z.int(),
  revoked_at: z.int().nullable(),
})
export type Principal = z.infer<typeof Principal>

/** A token without what it says: only its digest is kept. */
export const PrincipalToken = z.object({
  id: z.string(),
  principal: PrincipalId,
  name: z.string(),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
})
export type PrincipalToken = z.infer<typeof PrincipalToken>

/** One request: who asked for what, what it named, and how it was answered. */
export const AuditEntry = z.object({
  at: z.int(),
  /** `operator`, a principal, or `nobody` for whom the door was shut. */
  principal: z.string(),
  /** The method and the route's pattern. */
  action: z.string(),
  named: z.array(z.string()),
  status: z.int(),
  request_id: z.string(),
  address: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const OPERATOR = "operator"
