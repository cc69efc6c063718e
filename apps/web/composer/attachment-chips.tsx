import { isWords } from "compositor-core/parts/table"
import type { Receipt } from "compositor-core/model/receipt"
import type { ComposerAttachment } from "./attachments.ts"
import { useApp, useDraftKeeper } from "../state/context.ts"
import { IconButton } from "../controls/controls.tsx"
import { formatBytes } from "../state/format.ts"
import type { DraftPreview } from "../inspector/dry-run.ts"
import { useAttachedReceipts } from "./fates.ts"
import { CloseIcon, FileIcon, PencilIcon, RetryIcon } from "../controls/icons.tsx"
import { Badge } from "../inspector/outcome-badge.tsx"
import { strings } from "../state/strings.ts"

const words = strings.composer

/** What goes with the draft, each with how far it is. */
export function AttachmentChips({ draft, look }: { draft: string; look: DraftPreview }) {
  const attachments = useDraftKeeper((desk) => desk.attachments(draft))
  const receipts = useAttachedReceipts(draft, look)
  if (attachments.length === 0) return null
  return (
    <ul
      aria-label={words.attachments}
      className="flex max-h-40 flex-wrap gap-2 overflow-y-auto px-3 pt-3"
    >
      {attachments.map((attachment) => (
        <li key={attachment.key}>
          <AttachmentChip
            draft={draft}
            attachment={attachment}
            receipt={receipts.get(attachment.key)}
          />
        </li>
      ))}
    </ul>
  )
}

interface AttachmentChipProps {
  readonly draft: string
  readonly attachment: ComposerAttachment
  /** What would become of it. */
  readonly receipt: Receipt | undefined
}

function AttachmentChip({ draft, attachment, receipt }: AttachmentChipProps) {
  const { actions, desk } = useApp()
  const { key, name, size, state, progress, error, thumbnail, file } = attachment
  const failed = state === "failed"
  return (
    <div
      className={`relative flex h-13 w-64 max-w-full items-center gap-2.5 overflow-hidden rounded-xl border pr-1 pl-1.5 ${failed ? "border-danger bg-danger-soft" : "border-line bg-canvas"}`}
    >
      {thumbnail ? (
        <img src={thumbnail} alt="" className="size-10 rounded-lg object-cover" />
      ) : (
        <span className="flex size-10 items-center justify-center rounded-lg bg-hover text-muted">
          <FileIcon />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <div className="truncate text-sm" title={name}>
          {name}
        </div>
        <div className={`truncate text-xs ${failed ? "text-danger" : "text-muted"}`} title={error}>
          {failed
            ? error
            : size === undefined
              ? words.kept(attachment.part?.type ?? "")
              : formatBytes(size)}
        </div>
      </div>
      {receipt && <Badge outcome={receipt.outcome} reason={receipt.reason} />}
      {failed && file && (
        <IconButton
          className="size-7"
          label={words.retry(name)}
          onClick={() => actions.attach.retry(attachment)}
        >
          <RetryIcon className="size-4" />
        </IconButton>
      )}
      {attachment.part && isWords(attachment.part) && (
        <IconButton
          className="size-7"
          label={words.typeOut(name)}
          onClick={() => desk.typeOut(draft, key)}
        >
          <PencilIcon className="size-4" />
        </IconButton>
      )}
      <IconButton
        className="size-7"
        label={words.remove(name)}
        onClick={() => desk.detach(draft, key)}
      >
        <CloseIcon className="size-4" />
      </IconButton>
      {state === "uploading" && (
        <div
          role="progressbar"
          aria-label={words.uploading(name, Math.round(progress * 100))}
          aria-valuenow={Math.round(progress * 100)}
          className="absolute inset-x-0 bottom-0 h-1 bg-hover"
        >
          <div
            className="h-full bg-accent transition-[width]"
            style={{ width: `${progress * 100}%` }}
          />
        </div>
      )}
    </div>
  )
}
