import { errorCode, errorMessage } from "compositor-core/message/untyped"
import { CommanderError } from "commander"
import { ApiError } from "compositor-client/client"
import { tellLine } from "./print.ts"

/** A mistake in how a command was called or in what it was given. */
export class UsageError extends Error {}

const USAGE = 2
const FAILED = 1
const UNREACHABLE = 4

/** Say what went wrong, for a person or for a program, and give the exit code. */
export function complain(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  const told = tell(error)
  if (json) tellLine(JSON.stringify({ error: told }))
  else tellLine(`compositor: ${told.message}${list(told.details)}`)
  if (error instanceof UsageError) return USAGE
  return error instanceof ApiError && error.status === 0 ? UNREACHABLE : FAILED
}

interface Told {
  readonly code: string
  readonly message: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

function tell(error: unknown): Told {
  if (error instanceof ApiError) {
    const { code, message, details } = error
    return { code, message, ...(details.length > 0 ? { details } : {}) }
  }
  if (error instanceof UsageError) return { code: "usage", message: error.message }
  const [code, message] = [errorCode(error), errorMessage(error)]
  return { code: code ?? "failed", message: message ?? String(error) }
}

function list(details: Told["details"] = []): string {
  return details.map(({ path, message }) => `\n  ${path}: ${message}`).join("")
}
