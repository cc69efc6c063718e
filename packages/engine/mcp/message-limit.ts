/** One message of a server. A longer one is not read to its end. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

export const TOO_LONG = `it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** `fetch`, with every answer cut off where a message in it is too long: the body, or one event of a
 *  stream of events. */
export function limitedFetch(tooLong: () => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const isEvents = /^text\/event-stream/i.test(response.headers.get("content-type") ?? "")
    const { status, statusText, headers } = response
    const body = response.body.pipeThrough(limit(isEvents, tooLong))
    const limited = new Response(body, { status, statusText, headers })
    // Where an answer came from is not among what one can be made of.
    Object.defineProperty(limited, "url", { value: response.url })
    Object.defineProperty(limited, "redirected", { value: response.redirected })
    return limited
  }
}

function limit(isEvents: boolean, tooLong: () => void) {
  let size = 0
  let isLineEmpty = true
  const isEventOver = (byte: number) => {
    if (byte === CARRIAGE_RETURN) return false
    const isOver = byte === LINE_FEED && isLineEmpty
    isLineEmpty = byte === LINE_FEED
    return isOver
  }
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      size += chunk.length
      if (isEvents)
        for (const [at, byte] of chunk.entries()) if (isEventOver(byte)) size = chunk.length - at
      if (size <= MAX_MESSAGE_BYTES) return controller.enqueue(chunk)
      tooLong()
      controller.error(new Error(TOO_LONG))
    },
  })
}
