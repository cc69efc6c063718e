import { createContext, useContext, useState, useSyncExternalStore } from "react"
import type { Actions } from "./actions.ts"
import type { DraftKeeper } from "../composer/draft-desk.ts"
import type { Drafts } from "../composer/drafts.ts"
import type { Looks } from "../composer/fates.ts"
import type { AppState, PageStore } from "./store.ts"

export interface App {
  readonly store: PageStore
  readonly desk: DraftKeeper
  readonly drafts: Drafts
  readonly actions: Actions
  readonly looks: Looks
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error("There is no app around this component.")
  return app
}

/** One thing out of the state. What is selected must be the same object while it did not change. */
export function useStore<T>(select: (state: AppState) => T): T {
  const { store } = useApp()
  return useSyncExternalStore(store.subscribe, () => select(store.read()))
}

export function useDraftKeeper<T>(select: (desk: DraftKeeper) => T): T {
  const { desk } = useApp()
  return useSyncExternalStore(desk.subscribe, () => select(desk))
}

/** Whose folder is meant: that of the open session. The same object as long as it is the same. */
export function useWhere(): { readonly session?: string } {
  const current = useStore((state) => state.current)
  const [where, setWhere] = useState<{ session?: string }>(current ? { session: current } : {})
  if (where.session !== current) setWhere(current ? { session: current } : {})
  return where
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query)
      media.addEventListener("change", listener)
      return () => media.removeEventListener("change", listener)
    },
    () => matchMedia(query).matches,
  )
}
