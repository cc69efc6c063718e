import type { Store } from "compositor-engine/store/store"
import type { StreamHead, StreamPage } from "compositor-engine/streams/stream"
import { streamRefusal } from "./answers.ts"
import type { Watched } from "./change-notifier.ts"

export type StreamStore = Pick<
  Store,
  "createStream" | "appendStream" | "deleteStream" | "useStream" | "stream" | "streamPage" | "watch"
>

/** As much of it as a reader needs. */
export type StreamReading = Pick<StreamStore, "useStream" | "stream" | "streamPage"> & Watched

export interface StreamPosition {
  readonly head: StreamHead
  readonly from: number
  readonly cursor: string | undefined
}

const PAGE_BYTES = 1024 * 1024

export async function pageOf(
  store: StreamReading,
  head: StreamHead,
  from: number,
): Promise<StreamPage> {
  const page = await store.streamPage(head.id, { from, max_bytes: PAGE_BYTES })
  if (!page) throw streamRefusal({ type: "missing", message: `there is no stream ${head.path}` })
  return page
}

/** Nothing will ever come after this place. */
export function isEnd(head: StreamHead, position: number): boolean {
  return head.closed && position >= head.tail
}
