import { Readable, Writable } from "node:stream"
import { errorMessage, recordOf } from "compositor-core/message/untyped"
import { type AnyMessage, ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { type EditorAgentOptions, compositorAgent } from "./agent.ts"
import { normaliseMessage } from "./json-rpc.ts"

/** An image in base64 and what is said about it. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

interface Pipes {
  readonly input: Readable
  readonly output: Writable
}

/** Serve one editor over a pair of pipes until it hangs up. Rejects when what it says cannot be read on. */
export async function serveAgent(options: EditorAgentOptions, pipes: Pipes): Promise<void> {
  let fault: unknown
  const stream = streamOf(pipes, (error) => (fault = error))
  await compositorAgent(options).connect(stream).closed
  if (fault !== undefined)
    throw new Error(`the editor cannot be heard any more: ${sentenceOf(fault)}`, { cause: fault })
}

function streamOf({ input, output }: Pipes, failed: (error: unknown) => void): Stream {
  const writable = Writable.toWeb(output) as WritableStream<Uint8Array>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two kinds of web streams are one at run time
  const readable = Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>
  const lines = ndJsonStream(writable, readable, { maxMessageBytes: MAX_MESSAGE_BYTES })
  const messages = normalisedMessages(lines.readable, failed)
  return { writable: lines.writable, readable: ReadableStream.from(messages) }
}

async function* normalisedMessages(
  messages: ReadableStream<AnyMessage>,
  failed: (error: unknown) => void,
): AsyncGenerator<AnyMessage, void, void> {
  try {
    for await (const message of messages) yield normaliseMessage(message)
  } catch (error) {
    failed(error)
    throw error
  }
}

function sentenceOf(fault: unknown): string {
  if (recordOf(fault).name === "MessageTooLargeError")
    return `a line is longer than ${MAX_MESSAGE_BYTES} bytes`
  return errorMessage(fault)
}
