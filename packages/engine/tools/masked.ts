import type { PathSearch } from "compositor-files/sandbox/masked-paths"
import type { Hiding } from "./glob.ts"
import type { ToolRuntime } from "./tool.ts"

/** How to find what of a workspace no command may see (BEY-04). What is only ignored is shown. */
export function searchFor(root: string, runtime: ToolRuntime, hiding: Hiding): PathSearch {
  const isDenied = async (path: string) => {
    const verdict = await runtime.ingress({ origin: "ref", path })
    return verdict.verdict === "deny" && verdict.rule === "deny"
  }
  return { root, view: hiding(root), isDenied, signal: runtime.signal }
}
