// Parses large bodies beside the loop that answers everybody.

import { parentPort } from "node:worker_threads"
import { errorMessage } from "compositor-core/message/untyped"
import type { JsonParseResult, ParseRequest } from "./body.ts"

parentPort?.on("message", ({ id, bytes }: ParseRequest) =>
  parentPort?.postMessage(parse(id, bytes)),
)

function parse(id: number, bytes: Uint8Array): JsonParseResult {
  try {
    return { id, value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  } catch (error) {
    return { id, fault: errorMessage(error) }
  }
}
