import { useState } from "react"
import { useStore } from "./context.ts"

/** Whose folder is meant: that of the open session. The same object as long as it is the same. */
export function useWhere(): { readonly session?: string } {
  const current = useStore((state) => state.current)
  const [where, setWhere] = useState<{ session?: string }>(current ? { session: current } : {})
  if (where.session !== current) setWhere(current ? { session: current } : {})
  return where
}
