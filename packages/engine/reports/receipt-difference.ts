import type { Receipt } from "compositor-core/model/receipt"
import type { MessageReceipt } from "../turns/lower-message.ts"

/** What a receipt says of a part, without who wrote it. */
export type Fate = Pick<Receipt, "outcome" | "rule" | "reason" | "bytes" | "tokens" | "content_id">

/** One part that fares differently; null where it has no receipt on that side. */
export interface ReceiptDifference {
  readonly message_id: string
  readonly part: string
  readonly type: string
  readonly before: Fate | null
  readonly after: Fate | null
}

/** The parts whose receipts differ, in the order of what comes after; then what is gone. */
export function receiptDifferences(
  before: readonly MessageReceipt[],
  after: readonly MessageReceipt[],
): ReceiptDifference[] {
  const old = new Map(before.map((told) => [told.receipt.part, told]))
  const changed = after.flatMap((told) => {
    const earlier = old.get(told.receipt.part)
    old.delete(told.receipt.part)
    return difference(earlier, told)
  })
  return [...changed, ...[...old.values()].flatMap((told) => difference(told, undefined))]
}

function difference(
  before: MessageReceipt | undefined,
  after: MessageReceipt | undefined,
): ReceiptDifference[] {
  const told = after ?? before
  if (!told) return []
  const [was, is] = [before && fateOf(before.receipt), after && fateOf(after.receipt)]
  if (was && is && FIELDS.every((field) => was[field] === is[field])) return []
  const { message_id, receipt } = told
  const { part, type } = receipt
  return [{ message_id, part, type, before: was ?? null, after: is ?? null }]
}

const FIELDS = ["outcome", "rule", "reason", "bytes", "tokens", "content_id"] as const

function fateOf({ outcome, rule, reason, bytes, tokens, content_id }: Receipt): Fate {
  return { outcome, rule, reason, bytes, tokens, content_id }
}
