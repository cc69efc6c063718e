import { Readable, Writable } from "node:stream"
import { type AnyMessage, ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { type AgentOptions, compositorAgent } from "./agent.ts"
import { normalised } from "./json-rpc.ts"

/** An image in base64 and what is said about it. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

export interface Pipes {
  readonly input: Readable
  readonly output: Writable
}

/** Serve one editor over a pair of pipes until it hangs up. */
export async function serveAgent(options: AgentOptions, pipes: Pipes): Promise<void> {
  const connection = compositorAgent(options).connect(streamOf(pipes))
  await connection.closed
}

function streamOf({ input, output }: Pipes): Stream {
  const writable = Writable.toWeb(output) as WritableStream<Uint8Array>
  const readable = Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>
  const lines = ndJsonStream(writable, readable, { maxMessageBytes: MAX_MESSAGE_BYTES })
  const normalise = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => controller.enqueue(normalised(message)),
  })
  return { writable: lines.writable, readable: lines.readable.pipeThrough(normalise) }
}
