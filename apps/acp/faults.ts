import { RequestError } from "@agentclientprotocol/sdk"
import { ApiError } from "compositor-client/client"

/** The one place where what goes wrong becomes a JSON-RPC error. */
export function asRequestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error
  if (!(error instanceof ApiError)) {
    const message = error instanceof Error ? error.message : String(error)
    return RequestError.internalError({ reason: message }, message)
  }
  const { status, code, details, message } = error
  if (status === 404 && sessionId !== undefined) return RequestError.sessionNotFound(sessionId)
  const data = { code, ...(details.length > 0 ? { details } : {}), ...itemOf(details) }
  if (status >= 400 && status < 500) return RequestError.invalidParams(data, message)
  return RequestError.internalError(data, message)
}

/** Which attachment the server named. */
function itemOf(details: ApiError["details"]): { item?: number } {
  const item = details.map(({ path }) => /^\/attachments\/(\d+)/.exec(path)?.[1]).find(Boolean)
  return item === undefined ? {} : { item: Number(item) }
}
