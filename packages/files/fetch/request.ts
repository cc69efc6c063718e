import { type IncomingMessage, request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { forbiddenAddress } from "./addresses.ts"
import type { FetchTarget } from "./target.ts"

const MAX_HEADER_BYTES = 64 * 1024

const HEADERS = {
  accept: "text/html, text/plain, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
  "accept-encoding": "gzip, br, zstd, deflate",
  "user-agent": "compositor",
}

/** One request to a target that was checked, over a socket of its own that can reach nothing else. No
 *  cookie, no key and no name of ours goes along. */
export function requestFrom(target: FetchTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, addresses } = target
  const request = url.protocol === "https:" ? secureRequest : plainRequest
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(url, {
    headers: HEADERS,
    agent: false,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    lookup: pinnedTo(addresses),
  })
  sent.on("socket", (socket: Socket) =>
    socket.once("connect", () => {
      const reached = socket.remoteAddress ?? ""
      if (!isOneOf(addresses, reached) && forbiddenAddress(reached) !== undefined)
        sent.destroy(new Error(`the socket reached ${reached}, which was not asked for`))
    }),
  )
  sent.on("response", resolve)
  sent.on("error", reject)
  sent.end()
  return promise
}

/** The name is not looked up again: between two answers it could have moved. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  return (_, options, callback) => {
    const answers = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = answers
    if (options.all || first === undefined) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}

function isOneOf(addresses: readonly string[], reached: string): boolean {
  return addresses.includes(reached) || addresses.includes(reached.replace(/^::ffff:/, ""))
}
