import type { Outcome } from "compositor-core/model/receipt"
import { strings } from "../state/strings.ts"

const TONES: Readonly<Record<Outcome, string>> = {
  native: "bg-good-soft text-good",
  inlined: "bg-info-soft text-info",
  range: "bg-info-soft text-info",
  extracted: "bg-violet-soft text-violet",
  descriptor: "bg-warn-soft text-warn",
  tool: "bg-violet-soft text-violet",
  "resolved-out": "bg-hover text-muted",
  denied: "bg-danger-soft text-danger",
  failed: "bg-danger-soft text-danger",
}

/** What became of a part, in a word and a colour. */
export function Badge({ outcome, reason }: { outcome: Outcome; reason?: string }) {
  return (
    <span
      title={reason}
      className={`shrink-0 rounded-md px-1.5 py-0.5 text-xs font-semibold ${TONES[outcome]}`}
    >
      {strings.outcome[outcome]}
    </span>
  )
}
