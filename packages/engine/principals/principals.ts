import { createHash, randomBytes } from "node:crypto"
import { realpath, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { isWithin } from "compositor-files/disk/within"
import type { Principal, PrincipalLimits, PrincipalToken } from "compositor-core/message/principal"
import { Refusal } from "compositor-core/message/refusal"
import type { PrincipalReads, PrincipalWrites } from "../store/principal-records.ts"
import { type SharedFolders, touches } from "./shared-places.ts"

type Promised<T> = {
  [Name in keyof T]: T[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Output>
    : never
}
type PrincipalStore = Promised<Omit<PrincipalWrites, "recordAudit" | "sweepAudit">> &
  Promised<
    Pick<PrincipalReads, "principal" | "principals" | "principalTokens" | "principalByToken">
  >

interface AddedPrincipal {
  readonly id: string
  readonly name?: string | undefined
  readonly workspaces: readonly string[]
  readonly limits?: PrincipalLimits | undefined
}

interface AddedToken {
  readonly name: string
  readonly expires_at: number | null
}

/** Who came in, and by which token. */
export interface AdmittedPrincipal {
  readonly principal: Principal
  readonly token: PrincipalToken
  readonly digest: string
}

const TOKEN = /^cmp_[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32
/** So long a token is taken for what it was: another node's revocation is heard of by then. */
const KNOWN_MS = 2000
const MAX_KNOWN = 10_000
/** More often it is not written down that a token was used. */
const USED_MS = 60_000

interface Known {
  readonly admitted: AdmittedPrincipal
  readonly until: number
}

/** The people and projects of a folder, and the tokens by which they are known. */
export class Principals {
  readonly #store: PrincipalStore
  readonly #data: string
  readonly #shared: SharedFolders
  readonly #known = new Map<string, Known>()
  readonly #used = new Map<string, number>()

  constructor(store: PrincipalStore, data: string, shared: SharedFolders) {
    this.#store = store
    this.#data = data
    this.#shared = shared
  }

  async add({ id, name = id, workspaces, limits = {} }: AddedPrincipal): Promise<Principal> {
    const roots = await Promise.all(workspaces.map((root, at) => this.#workspace(root, at)))
    const added = { id, name, workspaces: [...new Set(roots)], limits }
    return (await this.#store.addPrincipal(added)).principal
  }

  list(): Promise<Principal[]> {
    return this.#store.principals()
  }

  async get(id: string): Promise<Principal> {
    return found(await this.#store.principal(id), id)
  }

  async revoke(id: string): Promise<Principal> {
    const { principal } = await this.#store.revokePrincipal({ id })
    this.#known.clear()
    return found(principal, id)
  }

  /** The token itself is told here and nowhere else. */
  async addToken(principal: string, { name, expires_at }: AddedToken) {
    if (expires_at !== null && expires_at <= Date.now())
      throw new Refusal("invalid", `a token that expires at ${expires_at} is over already`)
    const secret = `cmp_${randomBytes(TOKEN_BYTES).toString("base64url")}`
    const digest = digestOf(secret)
    const about = { id: `tok_${digest.slice(0, 20)}`, digest, principal, name, expires_at }
    const { token } = await this.#store.addPrincipalToken(about)
    return { token, secret }
  }

  async tokens(principal: string): Promise<PrincipalToken[]> {
    await this.get(principal)
    return this.#store.principalTokens(principal)
  }

  async revokeToken(principal: string, id: string): Promise<PrincipalToken> {
    const own = (await this.tokens(principal)).some((token) => token.id === id)
    const { token } = own ? await this.#store.revokePrincipalToken({ id }) : { token: null }
    this.#known.clear()
    if (token) return token
    throw new Refusal("not_found", `${principal} has no token ${id}`)
  }

  /** Whose token this is; undefined for one that nobody may come in by. */
  async admit(secret: string): Promise<AdmittedPrincipal | undefined> {
    return TOKEN.test(secret) ? this.#admit(digestOf(secret)) : undefined
  }

  /** Whether whoever came in may still be here. */
  async holds({ digest }: AdmittedPrincipal): Promise<boolean> {
    return (await this.#admit(digest)) !== undefined
  }

  async #admit(digest: string): Promise<AdmittedPrincipal | undefined> {
    const admitted = this.#remembered(digest) ?? (await this.#look(digest))
    if (!admitted || !isGood(admitted)) return undefined
    this.#use(admitted.token)
    return admitted
  }

  #remembered(digest: string): AdmittedPrincipal | undefined {
    const known = this.#known.get(digest)
    return known && known.until > Date.now() ? known.admitted : undefined
  }

  async #look(digest: string): Promise<AdmittedPrincipal | undefined> {
    const found = await this.#store.principalByToken(digest)
    this.#known.delete(digest)
    if (!found) return undefined
    const admitted = { ...found, digest }
    this.#known.set(digest, { admitted, until: Date.now() + KNOWN_MS })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break
      this.#known.delete(oldest)
    }
    return admitted
  }

  // It is nobody's answer that waits for this.
  #use({ id, last_used_at }: PrincipalToken) {
    const now = Date.now()
    if (now - Math.max(last_used_at ?? 0, this.#used.get(id) ?? 0) < USED_MS) return
    if (this.#used.size >= MAX_KNOWN) this.#used.clear()
    this.#used.set(id, now)
    this.#store.usePrincipalToken({ id }).catch(() => this.#used.delete(id))
  }

  // As the disk names it, so that no link in it can be turned elsewhere later. A folder that holds our
  // own data, or lies in it, would give every secret of the house away.
  async #workspace(root: string, at: number): Promise<string> {
    const path = isAbsolute(root) ? await realpath(root).catch(() => undefined) : undefined
    if (path === undefined || !(await stat(path)).isDirectory())
      throw unfit(at, `${root} is no folder that can be named by an absolute path`)
    const data = await realpath(this.#data)
    if (isWithin(path, data) || isWithin(data, path))
      throw unfit(at, `${root} and the data folder lie in each other`)
    if (await touches(this.#shared, path))
      throw unfit(at, `${root} holds what the prompts of everybody here read, or lies in it`)
    return path
  }
}

function found(principal: Principal | null, id: string): Principal {
  if (principal) return principal
  throw new Refusal("not_found", `there is no principal ${id}`)
}

function unfit(at: number, message: string): Refusal {
  return new Refusal("invalid", message, [{ path: `/workspaces/${at}`, message }])
}

function isGood({ principal, token }: AdmittedPrincipal): boolean {
  if (principal.revoked_at !== null || token.revoked_at !== null) return false
  return token.expires_at === null || token.expires_at > Date.now()
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
