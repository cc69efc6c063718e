import { definitionOf, isWords, openPart, type Part, writePart } from "compositor-core/parts/table"
import type { PartData } from "compositor-core/parts/define-part"
import { createHash, randomUUID } from "node:crypto"
import { fromAcpBlocks } from "compositor-core/interop/from-acp-blocks"
import { newId } from "compositor-core/message/id"
import { SCHEMA_VERSION } from "compositor-core/message/message"
import { cleanTitle, type StoredMessage } from "compositor-core/message/row"
import { LOWERING_VERSION, type Receipt } from "compositor-core/model/receipt"
import { estimateTokens } from "compositor-core/model/tokens"
import { ForeignAnswer } from "./answer.ts"

type Host = Awaited<ReturnType<typeof import("compositor-engine/host/host")["openHost"]>>
type Claim = NonNullable<Awaited<ReturnType<Host["store"]["claim"]>>>
type Ledger = import("compositor-acp/proxy/ledger").Ledger
type LedgerPrompt = import("compositor-acp/proxy/ledger").LedgerPrompt
type LedgerEnd = import("compositor-acp/proxy/ledger").LedgerEnd

const BEAT_MS = 3000
const FLUSH_MS = 50
const TITLE_CHARACTERS = 80
const KNOWN_SESSIONS = 500

interface LedgerOptions {
  readonly host: Host
  /** What the other agent is called. */
  readonly agent: string
  readonly log: (message: string) => void
}

/** Writes down what another agent is told and says, as sessions of ours: each prompt is a message, each
 *  answer a turn with receipts. The turns are run by that agent, so nothing here asks a model. */
export class HostLedger implements Ledger {
  readonly #options: LedgerOptions
  /** Another machine's name to whoever asks whether we live: then our heartbeat decides. */
  readonly #owner = `acp-proxy-${randomUUID()}`
  readonly #sessions = new Map<string, ForeignSession>()
  readonly #beating: NodeJS.Timeout

  constructor(options: LedgerOptions) {
    this.#options = options
    this.#beating = setInterval(() => void this.#beat(), BEAT_MS).unref()
  }

  async session(id: string, { cwd }: { readonly cwd: string }) {
    if (this.#sessions.has(id)) return
    const { host, agent } = this.#options
    const known = await this.#find(id)
    const session_id = known ?? newId("ses")
    if (known === undefined)
      await host.store.createSession({
        id: session_id,
        agent: `acp:${agent}`,
        title: null,
        workspace_root: cwd,
        model: { provider_id: "acp", model_id: agent },
        metadata: { acp: { agent, session_id: id } },
      })
    this.#sessions.set(id, new ForeignSession(host, { session_id, cwd, owner: this.#owner }))
  }

  async prompt(prompt: LedgerPrompt): Promise<string> {
    const session = this.#sessions.get(prompt.session)
    // The agent will say itself that it does not know the session.
    return session ? session.prompt(prompt) : newId("msg")
  }

  async update(session: string, update: { readonly [name: string]: unknown }) {
    await this.#sessions.get(session)?.hear(update)
  }

  async end(session: string, message: string, end: LedgerEnd) {
    await this.#sessions.get(session)?.end(message, end)
  }

  async close() {
    clearInterval(this.#beating)
    for (const session of this.#sessions.values()) await session.close()
    await this.#options.host.close()
  }

  async #find(id: string): Promise<string | undefined> {
    const { host, agent } = this.#options
    const filter = { limit: KNOWN_SESSIONS, before: undefined, archived: true, ephemeral: true }
    const sessions = await host.store.sessions(filter)
    return sessions.find(({ metadata }) => {
      const acp = (metadata.acp ?? {}) as { agent?: unknown; session_id?: unknown }
      return acp.agent === agent && acp.session_id === id
    })?.id
  }

  async #beat() {
    const turn_ids = [...this.#sessions.values()].flatMap(({ turn_id }) => turn_id ?? [])
    if (turn_ids.length === 0) return
    await this.#options.host.store
      .beat({ owner: this.#owner, turn_ids })
      .catch((error: unknown) => this.#options.log(`the ledger fails: ${String(error)}`))
  }
}

interface Running {
  readonly claim: Claim
  readonly answer: ForeignAnswer
}

interface Place {
  readonly session_id: string
  readonly cwd: string
  readonly owner: string
}

class ForeignSession {
  readonly #host: Host
  readonly #place: Place
  readonly #receipts = new Map<string, readonly Receipt[]>()
  #running: Running | undefined
  #flushing: NodeJS.Timeout | undefined

  constructor(host: Host, place: Place) {
    this.#host = host
    this.#place = place
  }

  get turn_id(): string | undefined {
    return this.#running?.claim.turn.id
  }

  async prompt({ blocks, attachments }: LedgerPrompt): Promise<string> {
    const { session_id, cwd, owner } = this.#place
    const said = fromAcpBlocks(blocks, { root: cwd }).value
    const files = attachments.map(({ path, mime, filename }) => fileRef({ path, mime, filename }))
    const { parts } = await this.#host.preview(cwd, { parts: [...said, ...files].map(openPart) })
    refuseDenied(parts.map(({ part }) => writePart(part)).slice(said.length))
    const stored = await Promise.all(parts.map(({ part }) => this.#stored(part)))
    const message_id = newId("msg")
    const appended = await this.#host.store.append({
      session_id,
      message_id,
      metadata: { schema_version: SCHEMA_VERSION, via: "acp" },
      digest: createHash("sha256").update(message_id).digest("base64url"),
      parts: stored,
      captures: [],
      mode: "immediate",
      position: null,
      expected_turn_id: null,
      title: titleOf(said),
      owner,
    })
    this.#receipts.set(message_id, receiptsOf(appended.message, attachments))
    if (appended.claim) await this.#begin(appended.claim)
    return message_id
  }

  async hear(update: { readonly [name: string]: unknown }) {
    if (!this.#running) return
    this.#running.answer.hear(update)
    this.#flushing ??= setTimeout(() => {
      this.#flushing = undefined
      void this.#flush().catch(() => undefined)
    }, FLUSH_MS)
  }

  async end(message_id: string, end: LedgerEnd) {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    const running = this.#running
    if (!running || running.claim.turn.message_id !== message_id) {
      // It never was its turn: the agent refused it while it was busy.
      const { session_id } = this.#place
      await this.#host.store.cancelQueued({ session_id, message_id }).catch(() => undefined)
      return
    }
    await this.#flush()
    this.#running = undefined
    const { next } = await this.#host.store.endTurn({
      ...keyOf(running.claim),
      ...endingOf(end),
      usage: null,
      answer: {
        message_id: running.answer.message_id,
        metadata: { finish: end.type === "stopped" ? end.reason : "error" },
        parts: running.answer.rows(),
      },
      owner: this.#place.owner,
    })
    if (next) await this.#begin(next)
  }

  async close() {
    const running = this.#running
    if (!running) return
    const { message_id } = running.claim.turn
    await this.end(message_id, { type: "failed", message: "the connection ended" })
  }

  async #begin(claim: Claim) {
    const answer = new ForeignAnswer(claim.turn.id)
    const { message_id } = claim.turn
    await this.#host.store.recordRequest({
      ...keyOf(claim),
      api: "acp",
      capabilities_revision: "acp/1",
      system_prompt: NOTHING,
      tool_catalog: NOTHING,
      receipts: (this.#receipts.get(message_id) ?? []).map((receipt) => ({ message_id, receipt })),
      captures: [],
      answer: { message_id: answer.message_id, metadata: { turn_id: claim.turn.id, via: "acp" } },
    })
    this.#receipts.delete(message_id)
    this.#running = { claim, answer }
  }

  async #flush() {
    const running = this.#running
    if (!running) return
    const { deltas, parts } = running.answer.news()
    if (deltas.length + parts.length === 0) return
    const { message_id } = running.answer
    await this.#host.store.recordStream({ ...keyOf(running.claim), message_id, deltas, parts })
  }

  /** Bytes go into the blob store; the part names them. */
  async #stored(part: Part) {
    const definition = definitionOf(part)
    const data = writePart(part)
    const row = { id: newId("prt"), type: data.type }
    const [request] = definition.load(part)
    if (request?.from !== "part") return { ...row, data_json: JSON.stringify(data), blob: null }
    const bytes = Buffer.from(request.data, "base64")
    const { content_id, size, mime } = await this.#host.upload(once(bytes), request.name)
    const kept = definition.keep(part, { now: Date.now(), bytes: { content_id, size, mime } })
    const blob = { content_id, size, mime, stored: false }
    return { ...row, data_json: JSON.stringify(writePart(kept)), blob }
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

const NOTHING = { digest: `sha256:${createHash("sha256").digest("hex")}`, body: "" }

function keyOf({ turn }: Claim) {
  return { turn_id: turn.id, fence: turn.fence }
}

function endingOf(end: LedgerEnd) {
  if (end.type === "failed")
    return { state: "error", error: { code: "agent", message: end.message } } as const
  const state = end.reason === "cancelled" ? "aborted" : "finished"
  return { state, error: null } as const
}

function fileRef(file: Pick<LedgerPrompt["attachments"][number], "path" | "mime" | "filename">) {
  const { path, mime, filename } = file
  const more = { ...(mime ? { mime } : {}), ...(filename ? { filename } : {}) }
  return { type: "file-ref", ref: { kind: "path", path: path.replace(/^file:\/\//, "") }, ...more }
}

// What the policy keeps out, another agent is not told of either (BEY-04).
function refuseDenied(parts: readonly PartData[]) {
  for (const [at, part] of parts.entries()) {
    const { ingress, ref } = part as {
      ingress?: { verdict?: string; reason?: string }
      ref?: object
    }
    if (ingress?.verdict !== "denied") continue
    const { path } = (ref ?? {}) as { path?: string }
    throw new Error(`attachments/${at}: ${path ?? "it"}: ${ingress.reason ?? "is not let in"}`)
  }
}

function receiptsOf(
  { parts }: StoredMessage,
  attachments: LedgerPrompt["attachments"],
): readonly Receipt[] {
  const said = parts.length - attachments.length
  return parts.map(({ id, type, data }, at) => {
    const fate = attachments[at - said]?.fate
    const text = typeof data.text === "string" ? data.text : ""
    return {
      part: id,
      type,
      outcome: fate?.outcome ?? (type === "text" ? "inlined" : "native"),
      rule: "ATT-003",
      reason: fate?.reason ?? "passed on as the editor said it",
      bytes: fate?.bytes ?? Buffer.byteLength(text),
      tokens: estimateTokens(text),
      content_id: typeof data.content_id === "string" ? data.content_id : null,
      version: LOWERING_VERSION,
    }
  })
}

function titleOf(parts: readonly PartData[]): string | null {
  const text = parts.find(isWords)?.text
  const [line = ""] = typeof text === "string" ? text.trimStart().split("\n", 1) : []
  return cleanTitle(line).slice(0, TITLE_CHARACTERS).toWellFormed() || null
}
