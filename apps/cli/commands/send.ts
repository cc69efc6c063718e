import type { AnyPart, Client, SendAnswer } from "compositor-client/client"
import { newId } from "compositor-core/message/id"
import { Mode } from "compositor-core/message/message"
import { UsageError } from "../complain.ts"
import {
  type CommonOptions,
  withConnection,
  type EngineConnection,
  workspaceFolder,
} from "../connect.ts"
import { listenToAnswer } from "../listen.ts"
import { readPartArgument, requireFiles, type SendPiece } from "../pieces.ts"
import { pipedParts } from "../piped.ts"
import { printLine, tellLine } from "../print.ts"

interface SendOptions extends CommonOptions {
  readonly model?: string
  readonly session?: string
  readonly continue?: boolean
  readonly mode: string
  readonly id?: string
  readonly wait: boolean
  readonly approve?: string[]
  readonly command?: string
  readonly ide?: boolean
  readonly trust?: boolean
}

export async function sendCommand(
  words: readonly string[],
  pieces: readonly SendPiece[],
  options: SendOptions,
) {
  const { source, apart } = sourceOf(words, options)
  const mode = Mode.safeParse(options.mode)
  if (!mode.success) throw new UsageError(`--mode ${options.mode}: say ${Mode.options.join(", ")}`)
  await requireFiles(pieces, options)
  const beside = options.ide ? await besideOf(options) : NOTHING_BESIDE
  const isWordless = source === "" && pieces.length === 0 && beside.parts.length === 0
  const asked = words.includes("-") || isWordless
  const send = async ({ client, idle }: EngineConnection) => {
    const piped = await pipedParts(client, asked)
    if (isWordless && piped.length === 0)
      throw new UsageError('say something: compositor send "…", or pipe it in')
    if (options.trust) await client.commands.trust({ workspace: workspaceFolder(options) })
    if (options.command !== undefined) await requireCommand(client, options.command, options)
    let begun: Promise<string> | undefined
    const session = () => (begun ??= sessionFor(client, options))
    const sending = { client, session }
    const given = await Promise.all(pieces.map((piece) => readPartArgument(piece, sending)))
    const session_id = await session()
    const said = apart === "" ? [] : await partsSaid(client, session_id, apart)
    const parts = [...said, ...piped, ...given, ...beside.parts]
    const { stream_next_offset: after } = await client.messages(session_id, { limit: 1 })
    const sent = await client.send(session_id, {
      id: options.id ?? newId("msg"),
      ...(source === "" ? {} : { source }),
      ...(parts.length === 0 ? {} : { parts }),
      ...(beside.contexts.length === 0 ? {} : { contexts: beside.contexts }),
      ...(options.approve === undefined ? {} : { approved_shell: options.approve }),
      mode: mode.data,
      ...(options.model === undefined ? {} : { model: options.model }),
    })
    tellSent(sent, options)
    const { message } = sent
    if (!options.wait || !message || message.state === "cancelled") return
    process.exitCode = await listenToAnswer(client, { message, after, json: options.json ?? false })
    await idle()
  }
  await withConnection(options, send, { sends: true })
}

const NOTHING_BESIDE = { parts: [], contexts: [] }

/** What an editor has selected now. That it was asked for and there is no editor is a failure, before
 *  anything is sent; that nothing is selected is worth a word. */
async function besideOf(options: SendOptions) {
  const { lookBeside } = await import("compositor-tui/ide/beside")
  const beside = await lookBeside(workspaceFolder(options))
  if (beside.parts.length === 0)
    tellLine(`${beside.editor} has nothing selected: nothing of it goes along`)
  return beside
}

interface Typed {
  readonly source: string
  /** What is said beside a command that has its arguments. */
  readonly apart: string
}

/** What was typed, in which commands and references count; a command leads it. The words are its
 *  arguments, unless it brings its own: then they are a message behind it. */
function sourceOf(words: readonly string[], { command }: SendOptions): Typed {
  if (command !== undefined && !command.startsWith("/"))
    throw new UsageError(`--command ${command}: a command begins with a slash, e.g. /review`)
  const said = words.filter((word) => word !== "-").join(" ")
  if (command === undefined) return { source: said.trim(), apart: "" }
  const source = command.trim()
  if (/\s/.test(source)) return { source, apart: said.trim() }
  return { source: `${source} ${said}`.trim(), apart: "" }
}

async function partsSaid(client: Client, session: string, source: string): Promise<AnyPart[]> {
  return [...(await client.commands.parse({ session, source })).parts]
}

/** What is typed may be meant as text; what is named as a command may not. */
async function requireCommand(client: Client, command: string, options: SendOptions) {
  const { session } = options
  const where = session === undefined ? { workspace: workspaceFolder(options) } : { session }
  const { commands } = await client.commands.list(where)
  const [word = ""] = command.slice(1).split(/\s/, 1)
  if (commands.some(({ name }) => name === word)) return
  throw new UsageError(`--command /${word}: there is no such command here (compositor commands)`)
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
  for (const warning of warnings) tellLine(`${warning.path}: ${warning.message}`)
  if (!message) return
  const state = turn ? "" : ` (${message.state})`
  tellLine(`session ${message.session_id}  message ${message.id}${state}`)
}
