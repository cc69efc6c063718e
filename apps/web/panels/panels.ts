import { createContext, useContext } from "react"
import type { StoredMessage } from "compositor-core/message/row"
import type { OutgoingSend } from "../composer/draft.ts"

/** What stands beside the conversation. */
export type Shown =
  | { readonly type: "xray"; readonly message?: StoredMessage; readonly isRestored?: true }
  | { readonly type: "sidecars"; readonly opened?: OpenedSidecar }
  | { readonly type: "inspector"; readonly message?: string }
  | { readonly type: "shelf" }

/** A sidecar that is there, or is being made: it can be written in at once. */
export interface OpenedSidecar {
  readonly key: string
  /** Undefined in the end where it could not be made, which was said. */
  readonly id: string | Promise<string | undefined>
  /** What is asked in it already. */
  readonly question?: OutgoingSend
}

export const PanelContext = createContext<(shown: Shown | undefined) => void>(() => undefined)

/** Puts something beside the conversation, or takes it away. */
export function usePanel(): (shown: Shown | undefined) => void {
  return useContext(PanelContext)
}
