import { rowIn } from "compositor-core/message/told-row"
import { RequestError, type StopReason, type ToolCallUpdate } from "@agentclientprotocol/sdk"
import type { Client, SendAnswer, SendBody } from "compositor-client/client"
import { type FollowEvent, follow } from "compositor-client/events"
import { newId } from "compositor-core/message/id"
import type { MessageRow, Session, StoredPart, Turn } from "compositor-core/message/row"
import { ChunkWriter, messageUpdates } from "./chunks.ts"
import { asRequestError } from "./faults.ts"
import { modeOf } from "./modes.ts"
import type { Peer } from "./peer.ts"
import { settleWait } from "./permissions.ts"
import { availableCommands } from "./settings.ts"
import { toolCallOf } from "./tool-calls.ts"
import { Turns } from "./turns.ts"

interface LiveOptions {
  readonly client: Client
  readonly peer: Peer
  readonly session: Session
  /** How many tokens the session's model takes. */
  readonly contextTokens: () => Promise<number>
  readonly log: (message: string) => void
}

/** A session that an editor has open: it follows the stream, tells the editor what it hears, and answers
 *  each prompt when its turn is over. What it knows is how far it told; the truth is the server's. */
export class LiveSession {
  readonly #options: LiveOptions
  readonly #id: string
  readonly #writer: ChunkWriter
  readonly #turns = new Turns()
  readonly #stop = new AbortController()
  readonly #asked = new Set<string>()
  readonly #calls = new Map<string, ToolCallUpdate>()
  readonly #answers = new Set<string>()
  /** Questions that the editor has open, by turn. */
  readonly #asking = new Map<string, AbortController>()
  #session: Session
  #sending: Promise<unknown> = Promise.resolve()
  #commands = ""
  #following: Promise<void> | undefined

  constructor(options: LiveOptions) {
    this.#options = options
    this.#session = options.session
    this.#id = options.session.id
    this.#writer = new ChunkWriter(options.session.workspace_root)
  }

  get root(): string | null {
    return this.#session.workspace_root
  }

  /** Hear what happens from `after` on. */
  follow(after: number) {
    this.#following = this.#follow(after).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#turns.fail(asRequestError(error, this.#id))
    })
  }

  /** Send one message and wait until its turn is over. Prompts go out in the order in which they came,
   *  also while another is being answered: then they queue. */
  async prompt(compose: () => Promise<Body>, signal: AbortSignal): Promise<StopReason> {
    const id = newId("msg")
    const over = this.#turns.expect(id)
    over.catch(() => undefined) // Who waits for it hears of it; nobody may yet.
    const sending = this.#sending.then(async () => {
      const { client } = this.#options
      return client.send(this.#id, { ...(await compose()), id })
    })
    this.#sending = sending.catch(() => undefined)
    try {
      const sent = await sending
      this.#withdrawn(signal, id)
      await this.#tellSent(sent)
      return await this.#over(sent, over)
    } catch (error) {
      throw asRequestError(error, this.#id)
    } finally {
      this.#turns.forget(id)
    }
  }

  /** Stop what is being answered; what waits goes on (UXH-002). */
  async cancel() {
    await this.#options.client.abort(this.#id)
  }

  async tellCommands() {
    const commands = await availableCommands(this.#options.client, this.#id)
    const told = JSON.stringify(commands)
    if (told === this.#commands) return
    this.#commands = told
    await this.#tell({
      sessionUpdate: "available_commands_update",
      availableCommands: commands,
    })
  }

  async close() {
    this.#stop.abort()
    for (const question of this.#asking.values()) question.abort()
    this.#turns.fail(RequestError.requestCancelled(undefined, "the session was closed"))
    await this.#following
  }

  async #follow(from: number) {
    const { client } = this.#options
    const { signal } = this.#stop
    let after = from
    while (!signal.aborted) {
      for await (const event of follow(client, this.#id, { after, signal })) await this.#hear(event)
      if (signal.aborted) return
      // The stream began anew: what was told before stays told.
      after = (await client.messages(this.#id, { limit: 1 })).stream_next_offset
    }
  }

  async #hear(event: FollowEvent) {
    if (event.type === "delta")
      for (const update of this.#writer.delta(event.delta)) await this.#tell(update)
    if (event.type !== "row" || event.row.value === null) return
    const turn = rowIn(event.row, "turn")
    if (turn) return this.#turn(turn)
    const message = rowIn(event.row, "message")
    if (message) return this.#message(message)
    const part = rowIn(event.row, "part")
    if (part) return this.#part(part)
    const session = rowIn(event.row, "session")
    if (session) return this.#changed(session)
    if (event.row.type === "slash_command") return this.tellCommands()
  }

  async #turn(turn: Turn) {
    if (this.#turns.isNew(turn)) this.#writer.begin()
    if (turn.waiting.length === 0) this.#asking.get(turn.id)?.abort()
    else this.#ask(turn)
    if (turn.ended_at === null) return
    this.#asked.clear()
    this.#answers.clear()
    this.#calls.clear()
    if (turn.usage) await this.#tellUsage(turn.usage)
    this.#turns.ended(turn)
  }

  async #message(row: MessageRow) {
    if (row.role === "assistant") {
      this.#answers.add(row.id)
      this.#turns.finished(row)
    }
    if (row.role !== "user") return
    if (row.state === "cancelled") this.#turns.cancelled(row.id)
    // Said on another surface: the editor shows it too.
    if (row.state === "fired" && !this.#turns.isKnown(row.id)) await this.#tellSpoken(row.id)
  }

  async #part(row: StoredPart) {
    if (!this.#answers.has(row.message_id)) return
    const call = toolCallOf(row.data, this.root)
    if (call) this.#calls.set(call.toolCallId, call)
    for (const update of this.#writer.row(row)) await this.#tell(update)
  }

  async #changed(session: Session) {
    const before = this.#session
    this.#session = session
    if (session.title !== before.title)
      await this.#tell({ sessionUpdate: "session_info_update", title: session.title })
    if (modeOf(session) !== modeOf(before))
      await this.#tell({ sessionUpdate: "current_mode_update", currentModeId: modeOf(session) })
  }

  // Not waited for: while a person thinks, the stream goes on.
  #ask(turn: Turn) {
    const { client, peer, log } = this.#options
    const question = this.#asking.get(turn.id) ?? new AbortController()
    this.#asking.set(turn.id, question)
    for (const wait of turn.waiting) {
      const key = `${turn.id} ${wait.call_id} ${wait.for}`
      if (this.#asked.has(key)) continue
      this.#asked.add(key)
      const call = this.#calls.get(wait.call_id)
      const mode = modeOf(this.#session)
      void settleWait({ client, peer, turn, wait, call, mode, signal: question.signal }).catch(
        (error: unknown) => {
          if (!this.#stop.signal.aborted) log(`asking about ${wait.tool} failed: ${String(error)}`)
        },
      )
    }
  }

  /** `$/cancel_request` of one prompt: it is withdrawn while it waits, and stopped while it runs. */
  #withdrawn(signal: AbortSignal, id: string) {
    const { client } = this.#options
    const withdraw = () => {
      const cancelled = client.queue.cancel(this.#id, id)
      void cancelled.catch(() => client.abort(this.#id)).catch(() => undefined)
    }
    if (signal.aborted) withdraw()
    else signal.addEventListener("abort", withdraw, { once: true })
  }

  async #tellSent({ warnings, shown }: SendAnswer) {
    for (const { text } of shown) await this.#say(text)
    for (const { message } of warnings)
      await this.#tell({ sessionUpdate: "notice", severity: "info", title: message })
    await this.tellCommands()
  }

  async #over(sent: SendAnswer, over: Promise<StopReason>): Promise<StopReason> {
    if (sent.message) return sent.message.state === "cancelled" ? "cancelled" : over
    const last = sent.actions.at(-1)
    return last === undefined ? "end_turn" : this.#turns.expect(last)
  }

  async #say(text: string) {
    const content = { type: "text", text } as const
    await this.#tell({ sessionUpdate: "agent_message_chunk", content })
  }

  async #tellSpoken(message_id: string) {
    const { messages } = await this.#options.client.messages(this.#id, { limit: 20 })
    const message = messages.find(({ id }) => id === message_id)
    for (const update of message ? messageUpdates(message, this.root) : []) await this.#tell(update)
  }

  async #tellUsage(usage: NonNullable<Turn["usage"]>) {
    const size = await this.#options.contextTokens()
    const used = usage.input + usage.cache_read + usage.cache_write + usage.output
    const { cost_usd } = this.#session
    const cost = cost_usd > 0 ? { cost: { amount: cost_usd, currency: "USD" } } : {}
    await this.#tell({ sessionUpdate: "usage_update", used, size, ...cost })
  }

  #tell(update: Parameters<Peer["update"]>[1]): Promise<void> {
    return this.#options.peer.update(this.#id, update)
  }
}

type Body = Pick<SendBody, "source" | "parts" | "attachments">
