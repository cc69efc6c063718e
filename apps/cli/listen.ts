import { rowIn } from "compositor-core/message/told-row"
import type { Client } from "compositor-client/client"
import { type FollowEvent, follow } from "compositor-client/events"
import type { StoredPart, StreamEvent, Turn } from "compositor-core/message/row"
import { approveWith, showCall, waitingCalls } from "./waits.ts"
import { printText, printLine, tellLine } from "./print.ts"

export interface Listening {
  readonly message: { readonly session_id: string; readonly id: string }
  readonly after: number
  readonly json: boolean
}

const EXIT_FAILED = 1
export const EXIT_WAITING = 5
const EXIT_ABORTED = 130

/** Stream the answer to this message, whenever its turn comes, and give the exit code; Ctrl-C stops the
 *  turn. A turn that waits for a person is left waiting. */
export async function listenToAnswer(
  client: Client,
  { message, after, json }: Listening,
): Promise<number> {
  const { session_id, id } = message
  const stop = new AbortController()
  const abort = () => void client.abort(session_id).catch(() => stop.abort())
  process.once("SIGINT", abort)
  const writer = new AnswerWriter(id, json)
  try {
    for await (const event of follow(client, session_id, { after, signal: stop.signal })) {
      writer.hear(event)
      if (writer.ended) break
    }
    writer.finish()
    if (!json) await tellWaiting(client, writer.ended)
    return exitCode(writer.ended)
  } finally {
    process.off("SIGINT", abort)
    stop.abort()
  }
}

/** What it waits for, whole, and how that is settled. */
async function tellWaiting(client: Client, turn: Turn | undefined) {
  if (!turn || turn.waiting.length === 0) return
  for (const call of await waitingCalls(client, turn))
    tellLine(`${showCall(call)}\n${approveWith(call)}`)
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
    if (event.type === "row") this.#row(event.row)
  }

  finish() {
    if (!this.#json && !this.#atLineStart) printLine()
    if (this.#json) return
    const { error } = this.ended ?? {}
    if (error) tellLine(`compositor: ${error.message} (${error.code})`)
  }

  #row(event: StreamEvent) {
    const turn = rowIn(event, "turn")
    if (turn) this.#turn(turn)
    if (this.#turn_id === undefined) return
    const message = rowIn(event, "message")
    if (message?.metadata.turn_id === this.#turn_id) this.#answer_id = message.id
    const part = rowIn(event, "part")
    if (part && part.message_id === this.#answer_id) this.#part(part)
  }

  #turn(turn: Turn) {
    if (turn.message_id !== this.#message_id) return
    if (turn.ended_at === null) this.#turn_id = turn.id
    if (this.#json) printLine(JSON.stringify({ type: "turn", turn }))
    if (turn.id !== this.#turn_id) return
    if (turn.ended_at !== null || turn.waiting.length > 0) this.ended = turn
  }

  // The row has all of the text; what was not streamed before is written from it.
  #part({ id, data }: StoredPart) {
    if (typeof data.text === "string") this.#write(id, String(data.type), 0, data.text)
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
    printText(text)
    this.#atLineStart = text.endsWith("\n")
  }
}

function exitCode(turn: Turn | undefined): number {
  if (turn?.state === "finished") return 0
  if (turn?.state === "aborted") return EXIT_ABORTED
  return turn && turn.waiting.length > 0 ? EXIT_WAITING : EXIT_FAILED
}
