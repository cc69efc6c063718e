import { isUtf8 } from "node:buffer"
import type { Readable, Writable } from "node:stream"
import { type NamedAttachment, readAttachments } from "../attachments.ts"
import {
  answerOf,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  type RpcObject,
  normaliseMessage,
  PARSE_ERROR,
  type RpcFault,
} from "../json-rpc.ts"
import { Child, type ChildOptions } from "./child.ts"
import { lookUp } from "./files.ts"
import type { Ledger, LedgerEnd } from "./ledger.ts"
import { readLines, LineTooLong, parseLine, writeLine } from "./lines.ts"
import { Restorer } from "./restore.ts"
import { type AgentName, NO_TRAITS, traitsOf, transformPrompt, wantsBytes } from "./transform.ts"

export interface ProxyOptions extends ChildOptions {
  readonly agent: AgentName
  readonly input: Readable
  readonly output: Writable
  readonly ledger: Ledger
  /** Folders beside a session's own that attachments may lie in. */
  readonly roots: readonly string[]
}

/** A request of the editor's that is not answered yet. */
interface Pending {
  readonly id: unknown
  readonly method: string
  readonly session: string | undefined
  readonly cwd: string | undefined
  /** The ledger's name of a prompt. */
  readonly message: string | undefined
}

/** Stand between an editor and an agent: every line passes as it is, except that a prompt's attachments
 *  are put into the form that this agent understands. Resolves when the editor hangs up, and rejects when
 *  the agent cannot be kept alive. */
export async function runProxy(options: ProxyOptions): Promise<void> {
  await new Relay(options).run()
}

class Relay {
  readonly #options: ProxyOptions
  readonly #child: Child
  readonly #pending = new Map<string, Pending>()
  readonly #folders = new Map<string, string>()
  readonly #restorer = new Restorer()
  #traits = NO_TRAITS
  #done = false
  /** Nothing is sent to an agent that is being started again. */
  #ready: Promise<void> = Promise.resolve()

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#child = new Child(options)
  }

  async run() {
    const agent = this.#keepListening()
    // Who waits for it hears of it below.
    agent.catch(() => undefined)
    try {
      await Promise.race([this.#listenToEditor(), agent])
    } finally {
      this.#done = true
      // An editor that says nothing more must not keep us alive.
      this.#options.input.destroy()
      await this.#child.stop()
      await agent.catch(() => undefined)
      await this.#options.ledger.close()
    }
    await agent
  }

  async #listenToEditor() {
    const { input, output } = this.#options
    try {
      for await (const line of readLines(input)) await this.#fromEditor(line)
    } catch (error) {
      // The pipe was closed under us: that is a hanging up too.
      if (input.destroyed && !(error instanceof LineTooLong)) return
      if (!(error instanceof LineTooLong)) throw error
      await writeLine(output, answerOf(null, { code: PARSE_ERROR, message: error.message }))
      throw new Error(`the editor cannot be heard any more: ${error.message}`, { cause: error })
    }
  }

  async #fromEditor(line: Buffer) {
    const message = parseLine(line)
    if (!isObject(message) || typeof message.method !== "string") return this.#toAgent(line)
    this.#restorer.heard(message)
    if (message.method === "session/prompt") return this.#prompt(normaliseMessage(message))
    this.#expect(message)
    return this.#toAgent(line)
  }

  async #toAgent(line: Buffer | object) {
    await this.#ready
    await writeLine(this.#child.input, line)
  }

  async #prompt(message: RpcObject) {
    const refused = await this.#passPrompt(message)
    if (refused) await writeLine(this.#options.output, answerOf(message.id, refused))
  }

  /** Pass a prompt on, whole; or say why it is not passed on at all. */
  async #passPrompt(message: RpcObject): Promise<RpcFault | undefined> {
    const params = isObject(message.params) ? message.params : {}
    const session = String(params.sessionId)
    const read = readAttachments(params._meta)
    if (read.type === "invalid") return refusal(read.item, read.message)
    const { agent, ledger } = this.#options
    const found = await lookUp(read.attachments, {
      ...this.#placeOf(session),
      wantsBytes: wantsBytes(agent, this.#traits),
    })
    if (found.type === "refused") return refusal(found.item, found.message)
    const blocks = Array.isArray(params.prompt) ? params.prompt : []
    const form = { agent, traits: this.#traits }
    const { prompt, fates } = transformPrompt(blocks, found.files, form)
    const attachments = found.files.flatMap(({ attachment }, at) => {
      const fate = fates[at]
      return fate ? [{ ...attachment, fate }] : []
    })
    const written = await ledger.prompt({ session, blocks, attachments }).catch(asSentence)
    if (typeof written !== "string") return refusal(itemIn(written, read.attachments), written.text)
    this.#expect(message, written)
    await this.#toAgent(changed(message, params, prompt))
    return undefined
  }

  #placeOf(session: string) {
    const cwd = this.#folders.get(session)
    const { roots } = this.#options
    return { cwd: cwd ?? process.cwd(), roots: cwd === undefined ? roots : [cwd, ...roots] }
  }

  #expect({ id, method, params }: RpcObject, message?: string) {
    if (id === undefined) return
    const about = isObject(params) ? params : {}
    this.#pending.set(keyOf(id), {
      id,
      method: String(method),
      session: typeof about.sessionId === "string" ? about.sessionId : undefined,
      cwd: typeof about.cwd === "string" ? about.cwd : undefined,
      message,
    })
  }

  async #keepListening() {
    for (;;) {
      await this.#listenToAgent()
      const how = await this.#child.ended()
      if (this.#done) return
      const { command, log } = this.#options
      log(`${command} ${how}; it is started again`)
      this.#ready = this.#restart(`the agent ${how}`)
      await this.#failPending(`the agent ${how} before it answered; it was started again`)
      await this.#ready.catch(() => undefined)
      await this.#ready
      // The editor hung up meanwhile: what was started again is not needed any more.
      if (this.#done) return this.#child.stop()
    }
  }

  async #restart(how: string) {
    if (!(await this.#child.restart()))
      throw new Error(`${how}, and it did so too often: it is not started again`)
    for (const line of this.#restorer.lines(this.#traits)) await writeLine(this.#child.input, line)
  }

  async #listenToAgent() {
    try {
      for await (const line of readLines(this.#child.output)) await this.#fromAgent(line)
    } catch (error) {
      if (error instanceof LineTooLong) this.#options.log(`the agent is stopped: ${error.message}`)
      else if (!this.#done) this.#options.log(`the agent cannot be heard: ${String(error)}`)
      await this.#child.stop()
    }
  }

  async #fromAgent(line: Buffer) {
    const { output, log } = this.#options
    const message = parseLine(line)
    // Half a line of an agent that died, or its debugging: an editor would take it for a broken pipe.
    if (message === undefined)
      return log(`the agent wrote ${line.length} bytes that are no message`)
    if (!isObject(message)) return writeLine(output, wellFormed(line))
    if (this.#restorer.isOurs(message)) return
    if (this.#isUnasked(message)) return log("the agent answered what nobody had asked")
    // Written down first: an editor is not shown what would be lost with us.
    await this.#notice(message)
    await writeLine(output, wellFormed(line))
  }

  /** An answer to no request of the editor's: a second one, or one to a request of the agent's own. */
  #isUnasked({ id, method }: RpcObject): boolean {
    return method === undefined && id !== null && !this.#pending.has(keyOf(id))
  }

  async #notice(message: RpcObject) {
    const { ledger } = this.#options
    const params = isObject(message.params) ? message.params : {}
    if (message.method === "session/update" && isObject(params.update))
      return ledger.update(String(params.sessionId), params.update)
    if (message.method !== undefined || message.id === undefined) return
    const pending = this.#pending.get(keyOf(message.id))
    if (!pending) return
    this.#pending.delete(keyOf(message.id))
    await this.#answered(pending, message)
  }

  async #answered({ method, session, cwd, message }: Pending, answer: RpcObject) {
    const { ledger } = this.#options
    const result = isObject(answer.result) ? answer.result : undefined
    if (method === "initialize" && result) this.#traits = traitsOf(result)
    const opened = session ?? (typeof result?.sessionId === "string" ? result.sessionId : undefined)
    if (OPENS.includes(method) && result && opened !== undefined && cwd !== undefined) {
      this.#folders.set(opened, cwd)
      this.#restorer.opened(opened, cwd)
      await ledger.session(opened, { cwd })
    }
    if (message !== undefined && session !== undefined)
      await ledger.end(session, message, endOf(answer))
  }

  async #failPending(message: string) {
    const { ledger, output } = this.#options
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { id, session, message: prompt } of pending) {
      if (prompt !== undefined && session !== undefined)
        await ledger.end(session, prompt, { type: "failed", message })
      await writeLine(output, answerOf(id, { code: INTERNAL_ERROR, message }))
    }
  }
}

/** Editors read UTF-8 strictly; what an agent says that is none is said with marks in its place. */
function wellFormed(line: Buffer): Buffer {
  return isUtf8(line) ? line : Buffer.from(line.toString("utf8"))
}

const OPENS = ["session/new", "session/load", "session/resume"]

function keyOf(id: unknown): string {
  return JSON.stringify(id)
}

function refusal(item: number | null, message: string): RpcFault {
  return { code: INVALID_PARAMS, message, data: { item, reason: message } }
}

function changed(message: RpcObject, params: RpcObject, prompt: readonly unknown[]): RpcObject {
  return { ...message, params: { ...params, prompt } }
}

interface Sentence {
  readonly text: string
}

function asSentence(error: unknown): Sentence {
  return { text: error instanceof Error ? error.message : String(error) }
}

/** Which attachment a sentence of the ledger speaks of. */
function itemIn({ text }: Sentence, attachments: readonly NamedAttachment[]): number | null {
  const item = /^attachments\/(\d+)/.exec(text)?.[1]
  return item !== undefined && Number(item) < attachments.length ? Number(item) : null
}

function endOf({ result, error }: RpcObject): LedgerEnd {
  if (isObject(error)) return { type: "failed", message: String(error.message) }
  return { type: "stopped", reason: isObject(result) ? String(result.stopReason) : "end_turn" }
}
