import type { Client, SendAnswer } from "../../client/client.ts"
import { type FollowEvent, follow } from "../../client/events.ts"
import { newId } from "../../message/id.ts"
import { Mode } from "../../message/message.ts"
import type { Part } from "../../message/part.ts"
import type { MessageRow, StoredMessage, StoredPart, Turn } from "../../message/row.ts"
import { UsageError } from "../complain.ts"
import { type CommonOptions, connected, workspaceFolder } from "../connect.ts"
import { isPiped, readStandardInput } from "../input.ts"
import { partOf, type SendPiece } from "../pieces.ts"
import { printLine } from "../show.ts"

interface SendOptions extends CommonOptions {
  readonly model?: string
  readonly session?: string
  readonly continue?: boolean
  readonly mode: string
  readonly id?: string
  readonly wait: boolean
  readonly approve?: string[]
}

const EXIT_ABORTED = 130

export async function sendCommand(
  words: readonly string[],
  pieces: readonly SendPiece[],
  options: SendOptions,
) {
  const { source, piped } = await textOf(words, pieces.length > 0)
  const mode = Mode.safeParse(options.mode)
  if (!mode.success) throw new UsageError(`--mode ${options.mode}: say ${Mode.options.join(", ")}`)
  await connected(options, async ({ client, idle }) => {
    let begun: Promise<string> | undefined
    const session = () => (begun ??= sessionFor(client, options))
    const sending = { client, session }
    const parts = [...piped, ...(await Promise.all(pieces.map((piece) => partOf(piece, sending))))]
    const session_id = await session()
    const { stream_next_offset: after } = await client.messages(session_id, { limit: 1 })
    const sent = await client.send(session_id, {
      id: options.id ?? newId("msg"),
      ...(source === "" ? {} : { source }),
      ...(parts.length === 0 ? {} : { parts }),
      ...(options.approve === undefined ? {} : { approved_shell: options.approve }),
      mode: mode.data,
      ...(options.model === undefined ? {} : { model: options.model }),
    })
    tellSent(sent, options)
    const { message } = sent
    if (!options.wait || !message || message.state === "cancelled") return
    const turn = await listen(client, { message, after, options })
    process.exitCode = exitCode(turn)
    await idle()
  })
}

interface Text {
  /** What was typed, in which commands and references count. */
  readonly source: string
  /** What came through a pipe, which is only text. */
  readonly piped: readonly Part[]
}

async function textOf(words: readonly string[], hasPieces: boolean): Promise<Text> {
  const source = words.filter((word) => word !== "-").join(" ")
  const asked = words.includes("-") || (source === "" && !hasPieces && !process.stdin.isTTY)
  const piped = asked || isPiped() ? await readStandardInput() : ""
  if (source.trim() === "" && piped.trim() === "" && !hasPieces)
    throw new UsageError('say something: compositor send "…", or pipe it in')
  return { source, piped: piped.trim() === "" ? [] : [{ type: "text", text: piped }] }
}

async function sessionFor(client: Client, options: SendOptions): Promise<string> {
  if (options.session !== undefined) return options.session
  const workspace_root = workspaceFolder(options)
  if (options.continue) {
    const { sessions } = await client.sessions.list({ limit: 100 })
    const last = sessions.find((session) => session.workspace_root === workspace_root)
    if (last) return last.id
  }
  const { session } = await client.sessions.create({
    workspace_root,
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  return session.id
}

function tellSent({ message, turn, replayed, warnings, shown }: SendAnswer, options: SendOptions) {
  if (options.json) {
    printLine(JSON.stringify({ type: "sent", message, turn, replayed, warnings, shown }))
    return
  }
  for (const { text } of shown) printLine(text)
  for (const warning of warnings) process.stderr.write(`${warning.path}: ${warning.message}\n`)
  if (!message) return
  const state = turn ? "" : ` (${message.state})`
  process.stderr.write(`session ${message.session_id}  message ${message.id}${state}\n`)
}

interface Listening {
  readonly message: StoredMessage
  readonly after: number
  readonly options: SendOptions
}

/** Stream the answer to this message, whenever its turn comes; Ctrl-C stops the turn. */
async function listen(
  client: Client,
  { message, after, options }: Listening,
): Promise<Turn | undefined> {
  const { session_id, id } = message
  const stop = new AbortController()
  const abort = () => void client.abort(session_id).catch(() => stop.abort())
  process.once("SIGINT", abort)
  const writer = new AnswerWriter(id, options.json ?? false)
  try {
    for await (const event of follow(client, session_id, { after, signal: stop.signal })) {
      writer.hear(event)
      if (writer.ended) break
    }
    writer.finish()
    return writer.ended
  } finally {
    process.off("SIGINT", abort)
    stop.abort()
  }
}

class AnswerWriter {
  readonly #message_id: string
  readonly #json: boolean
  readonly #written = new Map<string, number>()
  #turn_id: string | undefined
  #answer_id: string | undefined
  #atLineStart = true
  ended: Turn | undefined

  constructor(message_id: string, json: boolean) {
    this.#message_id = message_id
    this.#json = json
  }

  hear(event: FollowEvent) {
    if (event.type === "delta" && event.delta.turn_id === this.#turn_id) {
      const { part_id, part_type, offset, text } = event.delta
      this.#write(part_id, part_type, offset, text)
    }
    if (event.type === "row") this.#row(event.row.type, event.row.value)
  }

  finish() {
    if (!this.#json && !this.#atLineStart) printLine()
    const error = this.ended?.error
    if (error && !this.#json) process.stderr.write(`compositor: ${error.message} (${error.code})\n`)
  }

  #row(type: string, value: unknown) {
    if (type === "turn") this.#turn(value as Turn)
    if (this.#turn_id === undefined) return
    if (type === "message" && (value as MessageRow).metadata.turn_id === this.#turn_id)
      this.#answer_id = (value as MessageRow).id
    if (type === "part" && (value as StoredPart | null)?.message_id === this.#answer_id)
      this.#part(value as StoredPart)
  }

  #turn(turn: Turn) {
    if (turn.message_id !== this.#message_id) return
    if (turn.state === "running") this.#turn_id = turn.id
    if (this.#json) printLine(JSON.stringify({ type: "turn", turn }))
    if (turn.id === this.#turn_id && turn.ended_at !== null) this.ended = turn
  }

  // The row has all of the text; what was not streamed before is written from it.
  #part({ id, data }: StoredPart) {
    const { type, text } = data as { type: string; text?: string }
    if (text !== undefined) this.#write(id, type, 0, text)
  }

  #write(part_id: string, part_type: string, offset: number, text: string) {
    const written = this.#written.get(part_id) ?? 0
    const fresh = text.slice(Math.max(0, written - offset))
    if (fresh === "" || offset > written) return
    this.#written.set(part_id, written + fresh.length)
    if (this.#json) printLine(JSON.stringify({ type: "delta", part_id, part_type, text: fresh }))
    else if (part_type === "text") this.#print(fresh)
  }

  #print(text: string) {
    process.stdout.write(text)
    this.#atLineStart = text.endsWith("\n")
  }
}

function exitCode(turn: Turn | undefined): number {
  if (turn?.state === "finished") return 0
  return turn?.state === "aborted" ? EXIT_ABORTED : 1
}
