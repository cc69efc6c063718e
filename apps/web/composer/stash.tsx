import { useState } from "react"
import type { DraftBody } from "compositor-client/client"
import { writeMarks } from "compositor-core/compose/marks"
import { useApp, useDraftKeeper } from "../state/context.ts"
import { Button, IconButton } from "../controls/controls.tsx"
import type { Stashed } from "./draft.ts"
import { Dialog, DialogHead } from "../controls/dialog.tsx"
import { firstWords, showMoment } from "../state/format.ts"
import { StashIcon } from "../controls/icons.tsx"
import { strings } from "../state/strings.ts"

const words = strings.stash

/** Drafts that were put aside here, and those that lost against another surface's. */
export function Stash({ draft }: { draft: string }) {
  const { actions, store } = useApp()
  const own = useDraftKeeper((desk) => desk.stash(draft))
  const empty = useDraftKeeper((desk) => desk.isEmpty(draft))
  const [shown, setShown] = useState<readonly Stashed[]>()
  const open = async () => {
    const lost = draft.startsWith("ses_")
      ? ((await actions.try(() => store.client.draft.stash(draft)))?.stash ?? [])
      : []
    setShown([...own, ...lost.map(stashedOf)].sort((a, b) => b.at - a.at))
  }
  return (
    <>
      <IconButton
        label={empty ? words.open : words.put}
        onClick={() => (empty ? void open() : actions.stash())}
        className={`size-8 ${own.length > 0 ? "text-accent!" : ""}`}
      >
        <StashIcon />
      </IconButton>
      {shown && <StashDialog draft={draft} stash={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

interface StashDialogProps {
  readonly draft: string
  readonly stash: readonly Stashed[]
  readonly onClose: () => void
}

function StashDialog({ draft, stash, onClose }: StashDialogProps) {
  const { desk } = useApp()
  return (
    <Dialog label={words.title} onClose={onClose}>
      <DialogHead title={words.title} onClose={onClose} />
      {stash.length === 0 && <p className="text-sm text-muted">{words.none}</p>}
      <ul className="max-h-[60dvh] space-y-2 overflow-y-auto">
        {stash.map((one) => (
          <li
            key={one.at}
            className="flex items-center gap-2 rounded-xl border border-line px-3 py-2 text-sm"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate">{firstWords(one.text, 120) || words.noText}</span>
              <span className="text-xs text-muted">{showMoment(one.at)}</span>
            </span>
            <Button
              look="outline"
              onClick={() => {
                desk.takeUp(draft, one)
                onClose()
              }}
            >
              {words.restore}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function stashedOf(row: Readonly<Record<string, unknown>>): Stashed {
  const { source, attachments = [], inserts = [], literals = [] } = row.draft as DraftBody
  return {
    ...writeMarks(source, inserts),
    literals,
    attachments,
    at: Number(row.stashed_at),
  }
}
