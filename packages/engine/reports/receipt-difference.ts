import type { PartOutcome, ReceiptChange } from "compositor-core/contract/models"
import type { Receipt } from "compositor-core/model/receipt"
import type { MessageReceipt } from "../turns/lower-message.ts"

/** The parts whose receipts differ, in the order of what comes after; then what is gone. */
export function receiptDifferences(
  before: readonly MessageReceipt[],
  after: readonly MessageReceipt[],
): ReceiptChange[] {
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
): ReceiptChange[] {
  const told = after ?? before
  if (!told) return []
  const [was, is] = [before && fateOf(before.receipt), after && fateOf(after.receipt)]
  if (was && is && FIELDS.every((field) => was[field] === is[field])) return []
  const { message_id, receipt } = told
  const { part, type } = receipt
  return [{ message_id, part, type, before: was ?? null, after: is ?? null }]
}

const FIELDS = ["outcome", "rule", "reason", "bytes", "tokens", "content_id"] as const

function fateOf({ outcome, rule, reason, bytes, tokens, content_id }: Receipt): PartOutcome {
  return { outcome, rule, reason, bytes, tokens, content_id }
}
