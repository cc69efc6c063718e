import { memo, useState } from "react"
import type { AnyPart } from "compositor-client/client"
import type { CompactionPart } from "compositor-core/message/compaction-part"
import type { StoredMessage, StoredPart, Usage } from "compositor-core/message/row"
import { useApp } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { Divider } from "./divider.tsx"
import { showCount, showModel, showMoment, showTime } from "../state/format.ts"
import { AlertIcon, RetryIcon, XrayIcon } from "../controls/icons.tsx"
import { CopyButton } from "./code-block.tsx"
import { Markdown } from "./markdown-view.tsx"
import { MessageMenu } from "./message-menu.tsx"
import { partOf, textIn, typedSource } from "./message-parts.ts"
import { LONG_TEXT_CHARACTERS } from "./outgoing-message.tsx"
import { NoteNet } from "../controls/error-boundary.tsx"
import { usePanel } from "../panels/panels.ts"
import { AttachmentView, cardOf, InlinePart, partLabel } from "./part-view.tsx"
import { strings } from "../state/strings.ts"
import { isToolCall, ToolCall } from "./tool-call.tsx"

interface UserMessageProps {
  readonly message: StoredMessage
  /** It is shown beside the conversation: what is done to messages is done there. */
  readonly isBeside?: boolean
}

export const UserMessageView = memo(function UserMessage({ message, isBeside }: UserMessageProps) {
  const show = usePanel()
  const parts = message.parts.filter(isShown).map((part) => ({ id: part.id, part: partOf(part) }))
  const said = parts.filter(({ part }) => cardOf(part) === undefined)
  const files = parts.flatMap(({ id, part }) => {
    const file = cardOf(part)
    return file ? [{ id, file }] : []
  })
  // Nobody said anything: an entity was woken.
  if (parts.length === 0) return null
  return (
    <article aria-label={strings.you} className="group flex flex-col items-end gap-1.5">
      <h2 className="sr-only">{strings.you}</h2>
      {said.length > 0 && <Said parts={said} />}
      {files.length > 0 && (
        <div className="flex max-w-full flex-wrap justify-end gap-2">
          {files.map(({ id, file }) => (
            <AttachmentView key={id} part={file} />
          ))}
        </div>
      )}
      <footer className="flex items-center gap-1 text-xs text-muted">
        <time
          dateTime={new Date(message.created_at).toISOString()}
          title={showMoment(message.created_at)}
          className="px-1"
        >
          {showTime(message.created_at)}
        </time>
        <CopyButton
          text={typedSource(message) ?? said.map(({ part }) => partLabel(part)).join(" ")}
          label={strings.message.copy}
        />
        {!isBeside && <MessageMenu message={message} />}
        <button
          type="button"
          hidden={isBeside}
          onClick={() => show({ type: "xray", message })}
          aria-label={strings.message.xrayLabel}
          className="inline-flex h-6 items-center gap-1 rounded-md px-1.5 hover:bg-hover hover:text-ink"
        >
          <XrayIcon className="size-3.5" />
          {strings.message.xray}
        </button>
      </footer>
    </article>
  )
})

function Said({ parts }: { parts: readonly { id: string; part: ReturnType<typeof partOf> }[] }) {
  const length = parts.reduce((sum, { part }) => sum + partLabel(part).length, 0)
  const [open, setOpen] = useState(false)
  const folded = length > LONG_TEXT_CHARACTERS && !open
  return (
    <div className="max-w-[88%] rounded-2xl rounded-br-md bg-hover px-4 py-2.5 [overflow-wrap:anywhere]">
      <div
        className={
          folded
            ? "relative max-h-60 overflow-hidden [mask-image:linear-gradient(black_70%,transparent)]"
            : ""
        }
      >
        {(folded ? beginningOf(parts) : parts).map(({ id, part }) => (
          <InlinePart key={id} part={part} />
        ))}
      </div>
      {length > LONG_TEXT_CHARACTERS && (
        <Button className="-ml-2.5" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? strings.message.less : strings.message.more}
        </Button>
      )}
    </div>
  )
}

/** As many parts as a folded message can show: a thousand chips are drawn only when they are seen. */
function beginningOf<T extends { readonly part: AnyPart }>(parts: readonly T[]): readonly T[] {
  let length = 0
  const end = parts.findIndex(({ part }) => {
    length += partLabel(part).length
    return length > LONG_TEXT_CHARACTERS
  })
  return end < 0 ? parts : parts.slice(0, end + 1)
}

interface AnswerProps {
  readonly message: StoredMessage
  readonly live: boolean
  /** The message it answers, to send it again. */
  readonly question: StoredMessage | undefined
  readonly isBeside?: boolean
}

export const AnswerView = memo(function Answer({ message, live, question, isBeside }: AnswerProps) {
  const reasoning = message.parts.filter((part) => part.type === "reasoning")
  const others = message.parts.filter((part) => part.type !== "reasoning")
  const text = others.map((part) => textIn(part)).join("\n\n")
  const thinking = live && others.length === 0
  return (
    <article aria-label={strings.assistant} className="flex flex-col gap-2">
      <h2 className="sr-only">{strings.assistant}</h2>
      {reasoning.map((part) => (
        <Reasoning key={part.id} text={textIn(part)} live={thinking} />
      ))}
      {others.map((part, at) =>
        part.type === "text" ? (
          <Markdown key={part.id} text={textIn(part)} live={live && at === others.length - 1} />
        ) : (
          <NoteNet key={part.id} of={part}>
            <AnswerPart part={partOf(part)} />
          </NoteNet>
        ),
      )}
      {thinking && <ThinkingNote />}
      <Ending message={message} question={question} />
      {!live && <Figures message={message} text={text} isBeside={isBeside} />}
    </article>
  )
})

function AnswerPart({ part }: { part: AnyPart }) {
  if (isToolCall(part)) return <ToolCall part={part} />
  if (part.type === "data-compaction")
    return <Compaction part={part as unknown as CompactionPart} />
  const file = cardOf(part)
  if (file) return <AttachmentView part={file} />
  return (
    <div>
      <InlinePart part={part} />
    </div>
  )
}

/** Where the conversation was summarised: what the model is told in the stead of what is above. */
function Compaction({ part: { summary, auto, summary_tokens } }: { part: CompactionPart }) {
  const words = strings.message
  return (
    <Divider label={(auto ? words.compactedItself : words.compacted)(showCount(summary_tokens))}>
      <Markdown text={summary} />
    </Divider>
  )
}

/** What was made of a command is for the inspector: the person sees what was typed. */
function isShown(part: StoredPart): boolean {
  return part.data.derived_from === undefined && part.data.argument_of === undefined
}

export function ThinkingNote() {
  return <p className="pulse text-sm text-muted">{strings.log.thinking}</p>
}

function Reasoning({ text, live }: { text: string; live: boolean }) {
  return (
    <details className="rounded-lg border border-line bg-surface text-sm text-muted">
      <summary
        className={`cursor-pointer rounded-lg px-3 py-1.5 font-medium ${live ? "pulse" : ""}`}
      >
        {strings.message.reasoning}
      </summary>
      <div className="border-t border-line px-3 py-2">
        <Markdown text={text} />
      </div>
    </details>
  )
}

/** How it ended, when it did not end well. */
function Ending({ message, question }: Omit<AnswerProps, "live">) {
  switch (message.metadata.finish) {
    case "abort":
      return <Note text={strings.message.aborted} />
    case "length":
      return <Note text={strings.message.length} />
    case "refusal":
      return <Note text={strings.message.refusal} />
    case "interrupted":
      if (!question) return <Note text={strings.message.takenUp} />
      return (
        <Failure
          text={strings.message.interrupted}
          action={strings.message.again}
          question={question}
        />
      )
    case "error":
      return (
        <Failure
          title={strings.message.error}
          text={errorText(message.metadata.error)}
          action={strings.message.retry}
          question={question}
        />
      )
    default:
      return null
  }
}

function Note({ text }: { text: string }) {
  return (
    <p className="self-start rounded-full border border-line px-2.5 py-0.5 text-xs text-muted">
      {text}
    </p>
  )
}

/** What the host says to the model beside the conversation. */
export function SystemNote({ message }: { message: StoredMessage }) {
  const text = message.parts.map(textIn).join(" ")
  if (message.metadata.boundary === true)
    return (
      <Divider label={strings.message.boundary}>
        <p className="text-muted">{strings.message.boundaryTold}</p>
        <p className="mt-1">{text}</p>
      </Divider>
    )
  return <p className="border-l-2 border-line pl-3 text-xs text-muted">{text}</p>
}

interface FailureProps {
  readonly title?: string
  readonly text: string
  readonly action: string
  readonly question: StoredMessage | undefined
}

export function Failure({ title, text, action, question }: FailureProps) {
  const { actions } = useApp()
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl bg-danger-soft px-4 py-2.5 text-sm text-danger">
      <AlertIcon />
      <div className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {title && <p className="font-semibold">{title}</p>}
        <p>{text}</p>
      </div>
      {question && (
        <Button look="outline" onClick={() => void actions.sendAgain(question)}>
          <RetryIcon className="size-4" />
          {action}
        </Button>
      )}
    </div>
  )
}

export function errorText(error: unknown): string {
  if (typeof error === "string") return error
  const message = (error as { message?: unknown } | undefined)?.message
  return typeof message === "string" ? message : strings.unknownError
}

interface FiguresProps {
  readonly message: StoredMessage
  readonly text: string
  readonly isBeside: boolean | undefined
}

function Figures({ message, text, isBeside }: FiguresProps) {
  const { usage, model } = message.metadata as {
    usage?: Usage
    model?: Parameters<typeof showModel>[0]
  }
  return (
    <footer className="-ml-1.5 flex flex-wrap items-center gap-x-2 text-xs text-muted">
      {text && <CopyButton text={text} label={strings.message.copy} />}
      {!isBeside && <MessageMenu message={message} />}
      {model && <span>{showModel(model)}</span>}
      {usage && (
        <span>
          {strings.message.usage(
            showCount(usage.input + usage.cache_read + usage.cache_write),
            showCount(usage.output + usage.reasoning),
          )}
        </span>
      )}
    </footer>
  )
}
