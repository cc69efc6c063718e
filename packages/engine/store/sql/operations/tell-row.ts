import type { Transaction } from "../transaction.ts"

interface CommittedRow {
  readonly stream: string
  readonly type: string
  readonly key: string
}

/** Tell of a row as it is now, whole. Some readers lay an update over what they have, others put it in
 *  its place: where a field went away, the row goes and comes again, and both read the same. */
export function tellRow(
  tx: Transaction,
  { stream, type, key }: CommittedRow,
  row: { readonly before: object | undefined; readonly after: object | undefined },
) {
  const { before, after } = row
  if (!after) return tx.tell(stream, type, key, "delete", "null")
  const value = JSON.stringify(after)
  if (!before) return tx.tell(stream, type, key, "insert", value)
  const fields = new Set(Object.keys(JSON.parse(value)))
  if (Object.keys(before).every((name) => fields.has(name)))
    return tx.tell(stream, type, key, "update", value)
  tx.tell(stream, type, key, "delete", "null")
  tx.tell(stream, type, key, "insert", value)
}
