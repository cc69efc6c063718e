import { useEffect, useMemo, useState } from "react"
import type { KnownNode } from "compositor-core/compose/node"
import type { Outcome, Receipt } from "compositor-core/model/receipt"
import type { SpanOutcome } from "compositor-client/react/fates"
import { useApp, useDraftKeeper, useStore } from "../state/context.ts"
import { type DraftPreview, useDryRun } from "../inspector/dry-run.ts"
import { chosenModel } from "./model-picker.tsx"
import { strings } from "../state/strings.ts"

/** What is shown at the chips of a text; past this, the X-ray tells. */
const MAX_FATES = 200

/** What a chip shows only where the model gets less than the words say. */
const LOOKS: Partial<Record<Outcome, string>> = {
  descriptor: "cm-fate-less",
  tool: "cm-fate-less",
  extracted: "cm-fate-less",
  denied: "cm-fate-refused",
  failed: "cm-fate-refused",
}

/** What the X-ray sees, for whoever draws the draft meanwhile; undefined while it is closed. */
export class Looks {
  readonly #listeners = new Set<() => void>()
  #seen: DraftPreview | undefined

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly read = (): DraftPreview | undefined => this.#seen

  show(look: DraftPreview | undefined) {
    this.#seen = look
    for (const listener of this.#listeners) listener()
  }
}

/** What would become of the draft: as the X-ray sees it with its dial, or, while that is closed, as
 *  the chosen model would get it. A draft of words alone is asked about only there. */
export function useLook(draft: string, nodes: () => readonly KnownNode[]): DraftPreview {
  const { desk, looks } = useApp()
  const model = useStore(chosenModel)
  const [byXray, setByXray] = useState(looks.read)
  useEffect(() => looks.subscribe(() => setByXray(looks.read())), [looks])
  const isWorth = useMemo(
    () => () => desk.attachments(draft).length > 0 || nodes().some(isReference),
    [desk, draft, nodes],
  )
  const isClosed = byXray === undefined
  const own = useDryRun({
    model: isClosed ? model : undefined,
    withBody: false,
    budget: undefined,
    isWorth,
  })
  return byXray ?? own
}

/** The receipts of what goes along, by the key of each. */
export function useAttachedReceipts(
  draft: string,
  look: DraftPreview,
): ReadonlyMap<string, Receipt> {
  const attachments = useDraftKeeper((desk) => desk.attachments(draft))
  return useMemo(() => {
    const own = ownReceipts(look)
    const carried = own.slice(own.length - look.attached)
    const ready = attachments.filter(({ part }) => part)
    if (ready.length !== look.attached || carried.length !== ready.length) return new Map()
    return new Map(ready.map(({ key }, at) => [key, carried[at] as Receipt]))
  }, [attachments, look])
}

/** The fates of the references in a text, each at its place. */
export function fatesOf(
  look: DraftPreview,
  source: string,
  nodes: readonly KnownNode[],
): SpanOutcome[] {
  if (look.source !== source) return []
  const references = nodes.filter(isReference)
  const own = ownReceipts(look)
  const told = own
    .slice(0, own.length - look.attached)
    .filter(({ type }) => type !== "text" && type !== "command")
  if (told.length !== references.length) return []
  const fates = references.flatMap(({ start, end }, at) => {
    const receipt = told[at]
    const shown = receipt && LOOKS[receipt.outcome]
    if (!shown) return []
    const word = strings.outcome[receipt.outcome]
    return [{ from: start, to: end, look: shown, word, reason: receipt.reason }]
  })
  return fates.slice(0, MAX_FATES)
}

/** One receipt for each part that was composed, in order; what was derived from one is left out. */
function ownReceipts({ answer }: DraftPreview): Receipt[] {
  if (!answer) return []
  return answer.receipts.filter(
    ({ part }) => answer.parts[Number(part)]?.derived_from === undefined && Number(part) >= 0,
  )
}

function isReference(node: KnownNode): boolean {
  if (node.kind === "file") return node.fault === undefined
  return node.kind !== "text" && node.kind !== "slash_command"
}
