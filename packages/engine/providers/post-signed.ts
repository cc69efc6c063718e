import type { Connection } from "compositor-core/wires/define-wire"
import type { Call } from "./provider.ts"
import type { Answer, Post } from "./transport.ts"

/** A request with the headers that tell who asks. */
export async function postSigned(
  { open, signal }: Pick<Call, "open" | "signal">,
  request: Omit<Post, "open" | "signal">,
  { signing }: Connection,
): Promise<Answer> {
  // Loaded on the first request: commands that send nothing start faster without it.
  const { post } = await import("./transport.ts")
  const asked: Post = { ...request, open, signal }
  if (!signing) return post(asked)
  const { signed } = await import("./sigv4.ts")
  return post({ ...asked, headers: { ...asked.headers, ...(await signed(asked, signing)) } })
}
