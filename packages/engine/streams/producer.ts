/** Who appends, as it says of itself: the same append twice is one (exactly-once). */
export interface Producer {
  readonly id: string
  readonly epoch: number
  readonly seq: number
}

export interface ProducerState {
  readonly epoch: number
  readonly seq: number
}

type ProducerVerdict =
  | { readonly type: "next" }
  | { readonly type: "again" }
  | { readonly type: "stale"; readonly epoch: number }
  | { readonly type: "gap"; readonly expected: number }
  | { readonly type: "invalid"; readonly message: string }

export function judgeProducer(
  producer: Producer,
  known: ProducerState | undefined,
): ProducerVerdict {
  const { epoch, seq } = producer
  if (!known || epoch > known.epoch) {
    if (seq === 0) return { type: "next" }
    if (!known) return { type: "gap", expected: 0 }
    return { type: "invalid", message: "a new epoch begins with sequence number 0" }
  }
  if (epoch < known.epoch) return { type: "stale", epoch: known.epoch }
  if (seq <= known.seq) return { type: "again" }
  return seq === known.seq + 1 ? { type: "next" } : { type: "gap", expected: known.seq + 1 }
}
