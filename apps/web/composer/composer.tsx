import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react"
import { isBusy } from "compositor-client/view"
import { draftKeyOf, type Lack } from "../state/actions.ts"
import { AttachmentChips } from "./attachment-chips.tsx"
import { useApp, useDraftKeeper, useStore } from "../state/context.ts"
import { Button, IconButton } from "../controls/controls.tsx"
import { canDictate, Dictation } from "./dictation.tsx"
import {
  CheckIcon,
  ClipIcon,
  MoreIcon,
  QueueIcon,
  SendIcon,
  SteerIcon,
  StopIcon,
} from "../controls/icons.tsx"
import { Menu } from "../controls/menu.tsx"
import { ModelPicker } from "./model-picker.tsx"
import { PaneNet } from "../controls/error-boundary.tsx"
import { Stash } from "./stash.tsx"
import { strings } from "../state/strings.ts"
import { type ComposerHandle, useEditor } from "./use-editor.ts"

const words = strings.composer
const ArgumentForm = lazy(() => import("./argument-form.tsx"))

/** Where a message is made: attachments, text, model, and the button. */
export function Composer({ ref }: { ref: RefObject<ComposerHandle | null> }) {
  const { actions } = useApp()
  const key = useStore(draftKeyOf)
  const editing = useStore((state) => state.editing)
  const busy = useStore((state) => state.view !== undefined && isBusy(state.view.status))
  const empty = useDraftKeeper((desk) => desk.isEmpty(key))
  const { host, hint, look } = useEditor(key, busy, ref)
  const [lack, setLack] = useState<Lack>()
  useEffect(() => actions.whenAsking(setLack), [actions])

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
      <AttachmentChips draft={key} look={look} />
      <div ref={host} className="text-base sm:text-[15px]" />
      <RemovedParts draft={key} composer={ref} />
      <div className="flex items-center gap-1 px-2 pb-2">
        <FileButton />
        {canDictate() && <Dictation onText={(text) => ref.current?.insert(text)} />}
        <Stash draft={key} />
        <ModelPicker />
        <span
          role="status"
          className="min-w-0 flex-1 truncate px-1 text-right text-xs text-muted max-sm:text-left"
        >
          {hint ? (
            words.argument(hint)
          ) : (
            <span className="hidden @xl:inline pointer-coarse:hidden">
              {editing ? words.hintEditing : busy ? words.hintBusy : words.hint}
            </span>
          )}
        </span>
        {busy && <StopButton />}
        <SubmitButton busy={busy} editing={editing !== undefined} disabled={empty} />
      </div>
      {lack && (
        <PaneNet title={words.lacks} onClose={() => setLack(undefined)}>
          <Suspense>
            <ArgumentForm lack={lack} composer={ref} onClose={() => setLack(undefined)} />
          </Suspense>
        </PaneNet>
      )}
    </form>
  )
}

/** Parts that stood in the text and were taken out of it: said, and put back by a press. */
function RemovedParts({
  draft,
  composer,
}: {
  readonly draft: string
  readonly composer: RefObject<ComposerHandle | null>
}) {
  const removed = useDraftKeeper((desk) => desk.removed(draft).join("\n"))
  if (removed === "") return null
  return (
    <ul aria-label={words.removed} className="flex flex-wrap gap-x-4 px-4 pb-1 text-sm text-warn">
      {removed.split("\n").map((mark) => (
        <li key={mark} className="flex min-w-0 items-center gap-1">
          <span className="truncate">{words.removedPart(mark.slice(1, -1))}</span>
          <Button className="text-warn!" onClick={() => composer.current?.insert(mark)}>
            {words.putBack}
          </Button>
        </li>
      ))}
    </ul>
  )
}

function FileButton() {
  const { actions } = useApp()
  const files = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label={words.attach} onClick={() => files.current?.click()}>
        <ClipIcon />
      </IconButton>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const chosen = [...(event.currentTarget.files ?? [])]
          actions.attach.files(chosen.map((file) => ({ file, name: file.name })))
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}

function StopButton() {
  const { actions } = useApp()
  const waiting = useStore((state) => state.view?.queue.length ?? 0)
  return (
    <span className="flex items-center">
      <Button look="outline" className="h-9" onClick={() => void actions.stop()}>
        <StopIcon className="size-4" />
        {words.stop}
      </Button>
      {waiting > 0 && (
        <Menu
          label={words.stopMore}
          className="h-9 w-6"
          items={[
            { label: words.stopOnly, run: () => void actions.stop() },
            {
              label: words.stopAndClear(waiting),
              run: () => void actions.stop(true),
              danger: true,
            },
          ]}
        >
          <MoreIcon className="size-4 rotate-90" />
        </Menu>
      )}
    </span>
  )
}

interface SubmitProps {
  readonly busy: boolean
  readonly editing: boolean
  readonly disabled: boolean
}

function SubmitButton({ busy, editing, disabled }: SubmitProps) {
  const { actions } = useApp()
  const [label, Icon] = editing
    ? [words.save, CheckIcon]
    : busy
      ? [words.queue, QueueIcon]
      : [words.send, SendIcon]
  return (
    <>
      {busy && !editing && (
        <IconButton label={words.steer} disabled={disabled} onClick={() => actions.submit("steer")}>
          <SteerIcon />
        </IconButton>
      )}
      <Button type="submit" look="solid" disabled={disabled}>
        <Icon className="size-4" />
        {label}
      </Button>
    </>
  )
}

function EditBanner({ message }: { message: string }) {
  const { actions } = useApp()
  return (
    <div className="flex items-center gap-2 rounded-t-2xl bg-warn-soft py-1 pr-2 pl-4 text-sm text-warn">
      <span className="flex-1">{words.editing}</span>
      <Button className="text-warn!" onClick={() => void actions.queue.putBack(message)}>
        {words.cancelEdit}
      </Button>
    </div>
  )
}
