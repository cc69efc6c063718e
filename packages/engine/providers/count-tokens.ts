import type { Call } from "./provider.ts"
import { type Json, parse } from "./read.ts"
import type { Post } from "./transport.ts"

export interface CountQuestion {
  readonly request: Omit<Post, "open" | "signal">
  readonly sign?: (post: Post) => Promise<Readonly<Record<string, string>>>
  /** Where the figure stands in the answer. */
  readonly read: (answer: Json) => unknown
}

const MAX_ANSWER_BYTES = 64 * 1024

/** What an API counts for a request. Undefined when it does not say: a count is worth a question,
 *  but not a failure. */
export async function askForCount(
  { open, signal }: Call,
  { request, sign, read }: CountQuestion,
): Promise<number | undefined> {
  try {
    const { post, readUpTo } = await import("./transport.ts")
    const headers = { ...request.headers, accept: "application/json" }
    const asked: Post = { ...request, headers, open, signal }
    const answer = await post({ ...asked, headers: { ...headers, ...(await sign?.(asked)) } })
    const { bytes, whole } = await readUpTo(answer.chunks, MAX_ANSWER_BYTES)
    const told = answer.status === 200 && whole ? parse(bytes.toString("utf8")) : undefined
    const figure = told && read(told)
    return typeof figure === "number" && Number.isInteger(figure) && figure >= 0
      ? figure
      : undefined
  } catch {
    return undefined
  }
}
