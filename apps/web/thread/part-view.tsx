import { useEffect, useState } from "react"
import type { AnyPart } from "compositor-client/client"
import type { ShownFile } from "compositor-core/parts/chip"
import { chipOf, openPart } from "compositor-core/parts/table"
import { isPicture } from "../composer/attachments.ts"
import { useApp } from "../state/context.ts"
import { IconButton } from "../controls/controls.tsx"
import { Dialog } from "../controls/dialog.tsx"
import { formatBytes } from "../state/format.ts"
import { CloseIcon, DownloadIcon, FileIcon } from "../controls/icons.tsx"
import { strings } from "../state/strings.ts"

const CHIP =
  "inline-flex max-w-full items-baseline gap-1 rounded-md px-1.5 align-baseline text-[0.93em] leading-snug "

const TONES = {
  accent: "bg-accent-soft text-accent",
  violet: "bg-violet-soft text-violet",
  info: "bg-info-soft text-info",
  warn: "bg-warn-soft text-warn",
  good: "bg-good-soft text-good",
  plain: "border border-dashed border-line-strong text-muted",
} as const

/** A part within the sentence it was written in. */
export function InlinePart({ part: data }: { part: AnyPart }) {
  const part = openPart(data)
  const chip = chipOf(part)
  const label = chip.label(part)
  switch (chip.look) {
    case "words":
      return <span className="whitespace-pre-wrap">{String(data.text)}</span>
    case "quote":
      return (
        <blockquote className="my-1 line-clamp-6 border-l-3 border-line-strong pl-3 text-sm whitespace-pre-wrap text-muted">
          {label}
        </blockquote>
      )
    case "chip":
    case "card":
      return (
        <span className={`${CHIP} ${TONES[chip.tone]}`} title={chip.title(part) || undefined}>
          {chip.icon === "file" && <FileIcon className="size-3.5 self-center" />}
          {chip.icon === "file" ? <span className="min-w-0 break-all">{label}</span> : label}
        </span>
      )
    case "unsupported":
      return (
        <span className={`${CHIP} ${TONES[chip.tone]}`}>
          {label === "" || label === data.type ? strings.message.unsupported(data.type) : label}
        </span>
      )
  }
}

/** A few words for a part, where there is no room for it. */
export function partLabel(data: AnyPart): string {
  const part = openPart(data)
  return chipOf(part).label(part)
}

/** The file that a part is shown as, beside the message. */
export function cardOf(data: AnyPart): ShownFile | undefined {
  const part = openPart(data)
  return chipOf(part).file(part)[0]
}

/** A file that went with the message. */
export function AttachmentView({ part }: { part: ShownFile }) {
  const picture = isPicture(part.mime) && (part.data !== undefined || part.content_id !== undefined)
  return picture ? <Picture part={part} /> : <FileCard part={part} />
}

function Picture({ part }: { part: ShownFile }) {
  const url = useBytes(part)
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        aria-label={strings.message.openImage(part.name)}
        title={part.name}
        onClick={() => setOpen(true)}
        className="h-32 w-44 overflow-hidden rounded-xl border border-line bg-sunken"
      >
        {url && <img src={url} alt="" className="size-full object-cover" />}
      </button>
      {open && (
        <Dialog
          label={part.name}
          onClose={() => setOpen(false)}
          className="m-auto max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-2rem)] bg-transparent"
        >
          <div className="flex flex-col items-center gap-3 p-1">
            <img
              src={url}
              alt={part.name}
              className="max-h-[80dvh] max-w-full rounded-lg bg-surface object-contain"
            />
            <div className="flex items-center gap-2 rounded-full border border-line bg-surface py-1 pr-1 pl-4 text-sm text-ink">
              <span className="max-w-[50vw] truncate">{part.name}</span>
              <IconButton label={strings.message.close} onClick={() => setOpen(false)}>
                <CloseIcon />
              </IconButton>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

function FileCard({ part }: { part: ShownFile }) {
  const { actions, store } = useApp()
  const stored = part.data !== undefined || part.content_id !== undefined
  const download = () =>
    actions.try(async () => {
      const url = await bytesOf(part, (contentId) =>
        store.client.blob(store.read().current ?? "", contentId),
      )
      const link = document.createElement("a")
      link.href = url
      link.download = part.name
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 10_000)
    })
  return (
    <div className="flex w-64 max-w-full items-center gap-2.5 rounded-xl border border-line bg-surface py-2 pr-2 pl-3 text-left">
      <FileIcon className="size-5 text-muted" />
      <div className="min-w-0 flex-1">
        <div className="truncate text-sm font-medium" title={part.name}>
          {part.name}
        </div>
        <div className="truncate text-xs text-muted">
          {[
            part.mime,
            part.size !== undefined && formatBytes(part.size),
            !stored && strings.message.noBytes,
          ]
            .filter(Boolean)
            .join(" · ")}
        </div>
      </div>
      {stored && (
        <IconButton label={strings.message.download(part.name)} onClick={() => void download()}>
          <DownloadIcon />
        </IconButton>
      )}
    </div>
  )
}

/** An address for the part's bytes, for as long as something shows them. */
function useBytes(part: ShownFile): string | undefined {
  const { store } = useApp()
  const [url, setUrl] = useState<string>()
  const { data, content_id: contentId, mime } = part
  useEffect(() => {
    const stop = new AbortController()
    let made: string | undefined
    const read = async () => {
      made = await bytesOf({ data, content_id: contentId, mime }, (id) =>
        store.client.blob(store.read().current ?? "", id, stop.signal),
      )
      if (stop.signal.aborted) URL.revokeObjectURL(made)
      else setUrl(made)
    }
    read().catch(() => {}) // An empty frame with its name is what is left to show.
    return () => {
      stop.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [data, contentId, mime, store])
  return url
}

async function bytesOf(
  part: { data?: string | undefined; content_id?: string | undefined; mime: string },
  fetchBlob: (contentId: string) => Promise<Response>,
): Promise<string> {
  if (part.data !== undefined) {
    const bytes = Uint8Array.from(atob(part.data), (char) => char.charCodeAt(0))
    return URL.createObjectURL(new Blob([bytes], { type: part.mime }))
  }
  const response = await fetchBlob(part.content_id ?? "")
  const type = isPicture(part.mime) ? part.mime : "application/octet-stream"
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }))
}
