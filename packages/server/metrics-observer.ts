import type { BlobStore, ByteRange, StoredBlob } from "compositor-files/blobs/blobs"
import { BlobsBehind } from "compositor-files/blobs/blobs-behind"
import type { Usage } from "compositor-core/message/row"
import type { Observer } from "compositor-engine/host/options"
import type { Store, TurnEnd, TurnEnded, Writes } from "compositor-engine/store/store"
import type { Log } from "compositor-engine/telemetry/log"
import { currentSpan, runInSpan } from "compositor-engine/telemetry/span"
import { withInstead } from "./health-leaving.ts"
import type { ServerMetrics } from "./metrics.ts"

/** Looks at what goes through the store and the blobs, and counts it. */
export function observerOf(metrics: ServerMetrics, log: Log): Observer {
  return {
    store: (store) => observedStore(store, metrics, log),
    blobs: (blobs) => new ObservedBlobs(blobs, metrics),
  }
}

/** Writes whose time is told. Any other is as rare as it is slow. */
const TIMED: readonly (keyof Writes)[] = [
  "append",
  "appendStream",
  "beat",
  "changeQueued",
  "claim",
  "createSession",
  "endAnswer",
  "endTurn",
  "interrupt",
  "performAction",
  "recordCalls",
  "recordCompaction",
  "recordRequest",
  "recordStream",
  "recordUpload",
  "saveDraft",
  "sweep",
  "takeSteers",
  "waitFor",
]

type Call = (input: unknown) => Promise<unknown>

function observedStore(store: Store, metrics: ServerMetrics, log: Log): Store {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is called with what it was called with
  const calls = store as unknown as Record<string, Call>
  const timed = TIMED.flatMap((name) => {
    const call = calls[name]?.bind(store)
    return call ? [[name, (input: unknown) => time(metrics, name, () => call(input))]] : []
  })
  const { endTurn, endAnswer }: Pick<Store, "endTurn" | "endAnswer"> = Object.fromEntries(timed)
  return withInstead(store, {
    ...Object.fromEntries(timed),
    endTurn: async (input: TurnEnd) => noteEnd({ metrics, log }, input, await endTurn(input)),
    endAnswer: async (input: Parameters<Store["endAnswer"]>[0]) => {
      countTokens(metrics, input.usage)
      return endAnswer(input)
    },
  })
}

async function time(metrics: ServerMetrics, name: string, call: () => Promise<unknown>) {
  const began = performance.now()
  try {
    return await persist(name, call)
  } catch (error) {
    metrics.failures.add(1, name)
    throw error
  } finally {
    metrics.writes.observe((performance.now() - began) / 1000, name)
  }
}

// Within a trace a write is a span of it; heartbeats and deltas are too many to be told of.
function persist(name: string, call: () => Promise<unknown>) {
  if (!currentSpan() || UNTOLD.has(name)) return call()
  return runInSpan("persist", { operation: name }, call)
}

const UNTOLD: ReadonlySet<string> = new Set(["beat", "recordStream", "claim"])

function noteEnd(
  { metrics, log }: { metrics: ServerMetrics; log: Log },
  { usage }: TurnEnd,
  ended: TurnEnded,
): TurnEnded {
  countTokens(metrics, usage)
  const { id, session_id, state, started_at, ended_at, error } = ended.turn
  if (ended_at === null) return ended
  metrics.turns.add(1, state)
  const about = { session_id, turn_id: id, state, code: error?.code, ms: ended_at - started_at }
  log(state === "error" ? "warn" : "info", "turn ended", about)
  return ended
}

function countTokens(metrics: ServerMetrics, usage: Usage | null) {
  if (!usage) return
  for (const kind of ["input", "output", "reasoning", "cache_read", "cache_write"] as const)
    if (usage[kind] > 0) metrics.tokens.add(usage[kind], kind)
}

class ObservedBlobs extends BlobsBehind {
  readonly #metrics: ServerMetrics

  constructor(blobs: BlobStore, metrics: ServerMetrics) {
    super(blobs)
    this.#metrics = metrics
  }

  override async put(chunks: AsyncIterable<Uint8Array>, limits: { readonly maxBytes: number }) {
    return this.#counted(await super.put(chunks, limits))
  }

  override async putBytes(bytes: Uint8Array) {
    return this.#counted(await super.putBytes(bytes))
  }

  override async *open(content_id: string, range?: ByteRange) {
    for await (const chunk of super.open(content_id, range)) {
      this.#metrics.blobs.add(chunk.length, "out")
      yield chunk
    }
  }

  #counted(stored: StoredBlob): StoredBlob {
    this.#metrics.blobs.add(stored.size, "in")
    return stored
  }
}
