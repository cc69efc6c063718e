import type { AnyPart } from "compositor-client/client"
import type { Receipt } from "compositor-core/model/receipt"
import { formatBytes, showCount } from "../state/format.ts"
import { Badge } from "./outcome-badge.tsx"
import { partLabel } from "../thread/part-view.tsx"
import { xrayStrings } from "../state/strings/xray.ts"

/** What became of each part: a colour, a word and a reason. */
export function Receipts({
  receipts,
  partFor,
}: {
  receipts: readonly Receipt[]
  partFor: (receipt: Receipt) => AnyPart | undefined
}) {
  return (
    <ul className="space-y-2">
      {receipts.map((receipt, at) => (
        <li
          key={`${receipt.part} ${at}`}
          className="rounded-xl border border-line bg-surface px-3 py-2"
        >
          <div className="flex items-center gap-2">
            <Badge outcome={receipt.outcome} />
            <span className="min-w-0 flex-1 truncate text-sm font-medium">
              {nameOf(partFor(receipt)) || receipt.type}
            </span>
          </div>
          <p className="mt-1 text-sm" title={xrayStrings.rule(receipt.rule)}>
            {receipt.reason}
          </p>
          <p className="mt-0.5 text-xs text-muted">
            {`${receipt.type} · ${xrayStrings.tokens(showCount(receipt.tokens))} · ${formatBytes(receipt.bytes)}`}
          </p>
        </li>
      ))}
    </ul>
  )
}

function nameOf(part: AnyPart | undefined): string {
  return part ? partLabel(part) : ""
}
