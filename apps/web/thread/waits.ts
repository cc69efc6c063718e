import { createContext, useContext, useEffect, useState } from "react"
import type { CallPath } from "compositor-client/client"
import type { SessionView } from "compositor-client/view"
import type { Turn, Wait } from "compositor-core/message/row"
import { useApp } from "../state/context.ts"

export interface OpenWait {
  readonly wait: Wait
  readonly place: CallPath
}

/** What a person must settle, by the call it is about. */
export const WaitsContext = createContext<ReadonlyMap<string, OpenWait>>(new Map())

export function useWait(callId: string | undefined): OpenWait | undefined {
  const waits = useContext(WaitsContext)
  return callId === undefined ? undefined : waits.get(callId)
}

const NONE: ReadonlyMap<string, OpenWait> = new Map()

/** The open waits of a session. A turn that waited before the page was opened is asked for. */
export function useWaits({ status, turns, session }: SessionView): ReadonlyMap<string, OpenWait> {
  const { store, actions } = useApp()
  const { state, turn_id: id } = status
  const isWaiting = state === "waiting_on_approval" || state === "waiting_on_user_input"
  const told = id === undefined ? undefined : turns[id]
  const [read, setRead] = useState<Turn>()
  useEffect(() => {
    if (!isWaiting || told || id === undefined) return
    void actions
      .try(() => store.client.turn(session.id, id))
      .then((answer) => setRead(answer?.turn))
  }, [isWaiting, told, id, session.id, store, actions])
  const turn = told ?? (read?.id === id ? read : undefined)
  if (!isWaiting || !turn) return NONE
  return new Map(
    turn.waiting.map((wait) => [
      wait.call_id,
      {
        wait,
        place: { session_id: session.id, turn_id: turn.id, call_id: wait.call_id },
      },
    ]),
  )
}
