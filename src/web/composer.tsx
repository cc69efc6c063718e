import { type RefObject, useEffect, useImperativeHandle, useRef } from "react"
import { isBusy } from "../client/view.ts"
import { draftKeyOf } from "./actions.ts"
import type { Attachment } from "./attachments.ts"
import { useApp, useDesk, useStore } from "./context.ts"
import { Button, IconButton } from "./controls.tsx"
import { Editor, isTouch } from "./editor.ts"
import { showBytes } from "./format.ts"
import {
  CheckIcon,
  ClipIcon,
  CloseIcon,
  FileIcon,
  QueueIcon,
  RetryIcon,
  SendIcon,
  StopIcon,
} from "./icons.tsx"
import { ModelPicker } from "./model-picker.tsx"
import { strings } from "./strings.ts"

const words = strings.composer

export interface ComposerHandle {
  focus(): void
}

/** Where a message is made: attachments, text, model, and the button. */
export function Composer({ ref }: { ref: RefObject<ComposerHandle | null> }) {
  const { actions } = useApp()
  const key = useStore(draftKeyOf)
  const editing = useStore((state) => state.editing)
  const busy = useStore((state) => state.view !== undefined && isBusy(state.view.status))
  const empty = useDesk((desk) => desk.isEmpty(key))
  const files = useRef<HTMLInputElement>(null)
  const host = useEditor(key, busy, ref)

  return (
    <form
      aria-label={words.form}
      onSubmit={(event) => {
        event.preventDefault()
        actions.submit()
      }}
      className="composer @container rounded-2xl border border-line-strong bg-surface shadow-sm transition-shadow focus-within:border-accent focus-within:shadow-md"
    >
      {editing && <EditBanner message={editing} />}
      <Attachments draft={key} />
      <div ref={host} className="text-base sm:text-[15px]" />
      <div className="flex items-center gap-1 px-2 pb-2">
        <IconButton label={words.attach} onClick={() => files.current?.click()}>
          <ClipIcon />
        </IconButton>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            actions.attachFiles([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ""
          }}
        />
        <ModelPicker />
        <span className="flex-1" />
        <span className="hidden px-1 text-xs whitespace-nowrap text-muted @xl:block pointer-coarse:hidden">
          {editing ? words.hintEditing : words.hint}
        </span>
        {busy && (
          <Button look="outline" className="h-9" onClick={() => void actions.stop()}>
            <StopIcon className="size-4" />
            {words.stop}
          </Button>
        )}
        <SubmitButton busy={busy} editing={editing !== undefined} disabled={empty} />
      </div>
    </form>
  )
}

function SubmitButton({
  busy,
  editing,
  disabled,
}: {
  busy: boolean
  editing: boolean
  disabled: boolean
}) {
  const [label, Icon] = editing
    ? [words.save, CheckIcon]
    : busy
      ? [words.queue, QueueIcon]
      : [words.send, SendIcon]
  return (
    <Button type="submit" look="solid" disabled={disabled}>
      <Icon className="size-4" />
      {label}
    </Button>
  )
}

function EditBanner({ message }: { message: string }) {
  const { actions } = useApp()
  return (
    <div className="flex items-center gap-2 rounded-t-2xl bg-warn-soft py-1 pr-2 pl-4 text-sm text-warn">
      <span className="flex-1">{words.editing}</span>
      <Button className="text-warn!" onClick={() => void actions.putBack(message)}>
        {words.cancelEdit}
      </Button>
    </div>
  )
}

/** The editor lives outside React: a key press draws nothing here. */
function useEditor(key: string, busy: boolean, handle: RefObject<ComposerHandle | null>) {
  const { actions, desk, store } = useApp()
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor>(undefined)
  const shown = useRef(key)
  const revision = useDesk((desk) => desk.revision(key))

  useEffect(() => {
    if (!host.current) return undefined
    const made = new Editor(host.current, {
      submit: () => actions.submit(),
      changed: () => desk.edited(shown.current, made.text, made.isEmpty),
      pasted: (transfer) => actions.attach(transfer),
      escape: () => {
        const { editing, view } = store.read()
        if (editing) void actions.putBack(editing)
        else if (view && isBusy(view.status)) void actions.stop()
        else return false
        return true
      },
      recall: () => {
        const last = store.read().view?.queue.at(-1)
        if (last && !store.read().editing) void actions.edit(last)
        return last !== undefined
      },
    })
    editor.current = made
    return () => made.destroy()
  }, [actions, desk, store])

  useEffect(() => {
    shown.current = key
    editor.current?.show(`${key} ${revision}`, desk.text(key))
    // On a touch screen focus would push the keyboard over what was just opened.
    if (!isTouch()) editor.current?.focus()
    return () => desk.release(key)
  }, [desk, key, revision])

  useEffect(() => {
    editor.current?.hint(busy ? words.placeholderBusy : words.placeholder)
  }, [busy])

  useImperativeHandle(handle, () => ({ focus: () => editor.current?.focus() }), [])
  return host
}

function Attachments({ draft }: { draft: string }) {
  const attachments = useDesk((desk) => desk.attachments(draft))
  if (attachments.length === 0) return null
  return (
    <ul
      aria-label={words.attachments}
      className="flex max-h-40 flex-wrap gap-2 overflow-y-auto px-3 pt-3"
    >
      {attachments.map((attachment) => (
        <li key={attachment.key}>
          <AttachmentChip draft={draft} attachment={attachment} />
        </li>
      ))}
    </ul>
  )
}

function AttachmentChip({ draft, attachment }: { draft: string; attachment: Attachment }) {
  const { actions, desk } = useApp()
  const { key, name, size, state, progress, error, thumbnail, file } = attachment
  const failed = state === "failed"
  return (
    <div
      className={`relative flex h-13 w-56 items-center gap-2.5 overflow-hidden rounded-xl border pr-1 pl-1.5 ${failed ? "border-danger bg-danger-soft" : "border-line bg-canvas"}`}
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
              : showBytes(size)}
        </div>
      </div>
      {failed && file && (
        <IconButton
          className="size-7"
          label={words.retry(name)}
          onClick={() => actions.retryUpload(attachment)}
        >
          <RetryIcon className="size-4" />
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
