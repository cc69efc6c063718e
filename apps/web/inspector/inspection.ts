import { useEffect, useState } from "react"
import type { StoredReceipt } from "compositor-client/client"
import type { Turn } from "compositor-core/message/row"
import { useApp } from "../state/context.ts"

/** The little of the inspector's answer that is shown; the rest is in the raw rows. */
export interface Inspection {
  readonly message_id: string
  readonly timeline: readonly { readonly at: number; readonly what: string; readonly id: string }[]
  readonly composed: unknown
  readonly session: unknown
  readonly messages: readonly unknown[]
  readonly parts: readonly { readonly id: string; readonly index: number; readonly part: unknown }[]
  readonly queue: unknown
  readonly turns: readonly {
    readonly turn: Turn
    readonly system_prompt: string | null
    readonly tool_catalog: readonly ToolEntry[]
    readonly receipts: readonly StoredReceipt[]
  }[]
  readonly lowered: { readonly api: string; readonly body: unknown; readonly reason?: string }
  readonly usage: unknown
  readonly permissions: unknown
}

interface ToolEntry {
  readonly name: string
  readonly description?: string
}

/** Every stage of a message; undefined while it is read. */
export function useInspection(
  session: string | undefined,
  message: string | undefined,
): Inspection | undefined {
  const { store, actions } = useApp()
  const [read, setRead] = useState<{ of: string; inspection: Inspection }>()
  const wantedNow = `${session} ${message}`
  useEffect(() => {
    let wanted = true
    if (!session) return undefined
    const ask = () => store.client.inspect(session, message ? { message } : {})
    void actions.try(ask).then((answer) => {
      if (wanted && answer) setRead({ of: wantedNow, inspection: answer as unknown as Inspection })
    })
    return () => {
      wanted = false
    }
  }, [store, actions, session, message, wantedNow])
  return read?.of === wantedNow ? read.inspection : undefined
}

/** What is compared of two messages: the request as it would go out, line by line. */
export function inspectionText(inspection: Inspection): string {
  const { reason } = inspection.lowered
  if (reason !== undefined) return reason
  return JSON.stringify(inspection.lowered.body, shortenValue, 2) ?? ""
}

export function shortenValue(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= 2_000) return value
  return `${value.slice(0, 2_000)}… (${value.length} characters)`
}
