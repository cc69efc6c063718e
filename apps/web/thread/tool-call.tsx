import type { AnyPart } from "compositor-client/client"
import type { ToolPart } from "compositor-core/message/tool-part"
import { firstWords } from "../state/format.ts"
import { ToolIcon } from "../controls/icons.tsx"
import { AttachmentView } from "./part-view.tsx"
import { strings } from "../state/strings.ts"
import { resultBeside, textOfData } from "./tool-output.ts"
import { useWait } from "./waits.ts"
import { WaitCard } from "./wait-card.tsx"

const words = strings.tool

const TONES: Readonly<Record<ToolPart["state"], string>> = {
  "input-streaming": "text-muted",
  "input-available": "text-accent",
  "output-available": "text-good",
  "output-error": "text-danger",
}

export function isToolCall(part: AnyPart): boolean {
  return part.type.startsWith("tool-")
}

/** A call of a tool: what it was given, what came of it, and what a person has to say to it. */
export function ToolCall({ part: given }: { part: AnyPart }) {
  const part = given as unknown as ToolPart
  const open = useWait(part.tool_call_id)
  const name = part.type.slice("tool-".length)
  const input = inputOf(part)
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface text-sm">
      <details>
        <summary className="flex cursor-pointer items-center gap-2 px-3 py-2">
          <ToolIcon className="size-4 text-muted" />
          <span className="font-mono font-medium">{name}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">
            {firstWords(input, 120)}
          </span>
          <span className={`text-xs font-medium ${TONES[part.state]}`}>
            {open ? words.waiting : words.states[part.state]}
          </span>
        </summary>
        <div className="space-y-2 border-t border-line px-3 py-2">
          <Shown title={words.input} text={input} />
          {part.error_text && <Shown title={words.error} text={part.error_text} isError />}
          {part.output && <Output output={part.output} />}
        </div>
      </details>
      {open && <WaitCard open={open} input={part.input} />}
    </div>
  )
}

function inputOf({ input, input_text, invalid }: ToolPart): string {
  if (invalid) return invalid
  if (input === undefined || input === null) return input_text ?? ""
  return JSON.stringify(input, null, 2)
}

const MAX_SHOWN = 20_000

interface ShownProps {
  readonly title: string
  readonly text: string
  readonly isError?: boolean
}

function Shown({ title, text, isError }: ShownProps) {
  if (text === "") return null
  return (
    <section>
      <h4 className="mb-1 text-xs font-medium text-muted">{title}</h4>
      <pre
        tabIndex={0}
        className={`max-h-80 overflow-auto rounded-lg bg-sunken px-2.5 py-2 font-mono text-xs leading-normal whitespace-pre-wrap [overflow-wrap:anywhere] ${isError ? "text-danger" : ""}`}
      >
        {text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n${words.cut}` : text}
      </pre>
    </section>
  )
}

function Output({ output: { data, blocks = [] } }: { output: NonNullable<ToolPart["output"]> }) {
  const texts = blocks.flatMap((block) => (typeof block.text === "string" ? [block.text] : []))
  const media = blocks.flatMap((block) => (block.media ? [block.media as MediaShown] : []))
  const told = texts.join("\n")
  return (
    <>
      <Shown title={words.output} text={told} />
      <Shown
        title={told === "" ? words.output : words.data}
        text={textOfData(resultBeside(data, told))}
      />
      {media.map((one) => (
        <AttachmentView key={one.content_id} part={one} />
      ))}
    </>
  )
}

interface MediaShown {
  readonly name: string
  readonly mime: string
  readonly content_id: string
}
