import { createContext, useContext } from "react"
import type { StoredMessage } from "../message/row.ts"

/** What stands beside the conversation. */
export type Shown =
  | { readonly type: "xray"; readonly message?: StoredMessage }
  | { readonly type: "sidecars"; readonly session?: string }
  | { readonly type: "inspector"; readonly message?: string }
  | { readonly type: "shelf" }

export const PanelContext = createContext<(shown: Shown | undefined) => void>(() => undefined)

/** Puts something beside the conversation, or takes it away. */
export function usePanel(): (shown: Shown | undefined) => void {
  return useContext(PanelContext)
}
