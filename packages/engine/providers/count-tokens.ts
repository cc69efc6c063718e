import type { Connection, TokenCount } from "compositor-core/wires/define-wire"
import { parse } from "compositor-core/wires/read"
import { postSigned } from "./post-signed.ts"
import type { Call } from "./provider.ts"

const MAX_ANSWER_BYTES = 64 * 1024

/** What an API counts for a request. Undefined when it does not say: a count is worth a question,
 *  but not a failure. */
export async function askForCount(
  call: Call,
  count: TokenCount,
  connection: Connection,
): Promise<number | undefined> {
  const { envelope, messages } = call
  try {
    const { readUpTo } = await import("./transport.ts")
    const { url, headers } = count.request(envelope, connection)
    const body = count.body(envelope, messages)
    const asked = { url, headers: { ...headers, accept: "application/json" }, body }
    const answer = await postSigned(call, asked, connection)
    const { bytes, whole } = await readUpTo(answer.chunks, MAX_ANSWER_BYTES)
    const told = answer.status === 200 && whole ? parse(bytes.toString("utf8")) : undefined
    const figure = told && count.read(told)
    return typeof figure === "number" && Number.isInteger(figure) && figure >= 0
      ? figure
      : undefined
  } catch {
    return undefined
  }
}
