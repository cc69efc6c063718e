import type { Client } from "compositor-client/client"
import type { Turn, Wait } from "compositor-core/message/row"
import { escapeForTerminal } from "compositor-core/message/terminal-text"
import { readToolPart } from "compositor-core/message/tool-part"

/** A call that waits for a person, with all that it would be given. */
export interface WaitingCall {
  /** The part that holds it: ours, and no other call's. A model may use its own id for several calls. */
  readonly id: string
  readonly turn: Turn
  readonly wait: Wait
  readonly input: unknown
  /** Whether another call has been given the model's own id of this one. */
  readonly reused: boolean
}

/** So many messages at the end are looked at: the answer that waits is the newest. */
const NEWEST = 50

/** Every call that a turn waits for, with what it would be given. */
export async function waitingCalls(client: Client, turn: Turn): Promise<WaitingCall[]> {
  const { messages } = await client.messages(turn.session_id, { limit: NEWEST })
  const parts = messages.flatMap((message) => message.parts)
  return turn.waiting.flatMap((wait) => {
    const calls = parts.filter(({ tool_call_id }) => tool_call_id === wait.call_id)
    const part = calls.at(-1)
    if (!part) return []
    const input = readToolPart(part.data)?.input
    return [{ id: part.id, turn, wait, input, reused: calls.length > 1 }]
  })
}

/** A call as whoever decides reads it: its name, why it asks, and every argument, nothing left out and
 *  nothing that a terminal would obey. */
export function showCall({ wait, input }: WaitingCall): string {
  const reason = wait.reason === undefined ? "" : ` (${wait.reason})`
  const head = `${wait.tool} ${WAITS[wait.for]}${reason}:`
  return [head, ...argumentLines(input)].map(oneLine).join("\n")
}

function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll("\n", "\\n")
}

/** Where it is settled. */
export function approveWith({ turn, id }: WaitingCall): string {
  return `compositor approve ${turn.session_id} ${id}`
}

const WAITS: Readonly<Record<Wait["for"], string>> = {
  approval: "waits for your yes",
  answer: "asks",
  interrupted: "may have run before a crash",
}

function argumentLines(input: unknown): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return input === undefined ? [] : [`  ${JSON.stringify(input)}`]
  return Object.entries(input).map(
    ([name, value]) => `  ${exactName(name)}: ${JSON.stringify(value)}`,
  )
}

// A name is a model's too: one with a colon or a newline in it would look like several arguments.
function exactName(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
}
