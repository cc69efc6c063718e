import { useEffect, useMemo, useState } from "react"
import type { LowerAnswer } from "compositor-client/client"
import type { MediaBlock, PromptBlock } from "compositor-core/model/prompt"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { useDryRun } from "./dry-run.ts"
import { formatBytes, showCount, showModel } from "../state/format.ts"
import { AlertIcon, FileIcon } from "../controls/icons.tsx"
import { CodeBlock } from "../thread/code-block.tsx"
import { choiceOf, chosenModel, useModelChoices } from "../composer/model-picker.tsx"
import { Quiet, Section, Totals } from "../panels/panel.tsx"
import { ListPicker } from "../controls/picker.tsx"
import { Receipts } from "./receipts.tsx"
import { xrayStrings as words } from "../state/strings/xray.ts"
import { SwitchReportView } from "./switch-report.tsx"

/** The draft as a model would receive it: the chosen one, or another to compare. */
export function DraftXray() {
  const { actions, looks } = useApp()
  const chosen = useStore(chosenModel)
  const choices = useModelChoices()
  const [other, setOther] = useState<string>()
  const [budget, setBudget] = useState<number>()
  const [wire, setWire] = useState(false)
  const asked = other ?? (chosen && showModel(chosen))
  const model = useMemo(() => (asked === undefined ? undefined : choiceOf(asked)), [asked])
  const look = useDryRun({ model, withBody: wire, budget })
  useEffect(() => looks.show(look), [looks, look])
  useEffect(() => () => looks.show(undefined), [looks])
  const compared = other !== undefined && chosen !== undefined && other !== showModel(chosen)

  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        <span>{words.seenBy}</span>
        {asked !== undefined && (
          <ListPicker
            label={words.seenBy}
            choices={choices}
            value={asked}
            onChoose={(value) => setOther(value)}
          />
        )}
        {compared && (
          <Button
            look="outline"
            onClick={() => {
              void actions.chooseModel(choiceOf(other))
              setOther(undefined)
            }}
          >
            {words.takeModel}
          </Button>
        )}
      </div>
      {compared && <SwitchReportView model={other} />}
      {look.state === "empty" && <Quiet>{words.empty}</Quiet>}
      {look.state === "waiting" && <Quiet>{words.waiting}</Quiet>}
      {look.error && (
        <p className="flex items-center gap-2 rounded-xl bg-danger-soft px-3 py-2 text-sm text-danger">
          <AlertIcon className="size-4" />
          {look.error}
        </p>
      )}
      {look.answer && (
        <>
          <Sums answer={look.answer} />
          <Budget answer={look.answer} budget={budget} onChange={setBudget} />
          <Section title={words.parts}>
            <Receipts
              receipts={look.answer.receipts}
              partFor={(receipt) => look.parts[Number(receipt.part)]}
            />
          </Section>
          <Section title={words.blocks}>
            <ol className="space-y-2">
              {look.answer.prompt.messages
                .flatMap(({ blocks }) => blocks)
                .map((block, at) => (
                  <li key={at}>
                    <BlockCard block={block} />
                  </li>
                ))}
            </ol>
          </Section>
          <details open={wire} onToggle={(event) => setWire(event.currentTarget.open)}>
            <summary className="cursor-pointer rounded text-sm font-semibold">{words.wire}</summary>
            {look.answer.body !== null && (
              <div className="mt-2">
                <CodeBlock
                  language={look.answer.api}
                  text={JSON.stringify(look.answer.body, shortened, 2)}
                />
              </div>
            )}
          </details>
        </>
      )}
    </div>
  )
}

/** What it comes to, and how full the model's context would be. */
function Sums({ answer }: { answer: LowerAnswer }) {
  const { limit_tokens: limit, used_tokens: used, exact } = answer.context
  const share = limit > 0 ? Math.min(1, used / limit) : 0
  const tone = share > 0.9 ? "bg-danger" : share > 0.7 ? "bg-warn" : "bg-accent"
  return (
    <div className="space-y-2">
      <Totals>
        <span className="font-medium text-ink">{answer.model}</span>
        <span>{words.tokens(showCount(answer.tokens))}</span>
        <span>{words.bytes(formatBytes(answer.bytes))}</span>
      </Totals>
      <div
        role="meter"
        aria-label={words.context}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words.contextUse(showCount(used), showCount(limit))}
        className="h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div className={`h-full ${tone}`} style={{ width: `${Math.max(1, share * 100)}%` }} />
      </div>
      <p className="text-xs text-muted">
        {words.contextUse(showCount(used), showCount(limit))}
        {!exact && ` ${words.estimated}`}
      </p>
    </div>
  )
}

const STEPS = 100
const LEAST_TOKENS = 16

interface BudgetProps {
  readonly answer: LowerAnswer
  readonly budget: number | undefined
  readonly onChange: (budget: number | undefined) => void
}

/** Turn it down, and parts step down from their text to an outline to a reference. The dial is
 *  logarithmic: the last hundred tokens matter as much as the first ten thousand. */
function Budget({ answer, budget, onChange }: BudgetProps) {
  const [most, setMost] = useState(answer.tokens)
  if (budget === undefined && answer.tokens !== most) setMost(answer.tokens)
  const top = Math.max(most, LEAST_TOKENS * 2)
  const toTokens = (step: number) =>
    Math.round(LEAST_TOKENS * (top / LEAST_TOKENS) ** (step / STEPS))
  const toStep = (tokens: number) =>
    (Math.log(tokens / LEAST_TOKENS) / Math.log(top / LEAST_TOKENS)) * STEPS
  return (
    <label className="block text-sm">
      <span className="flex justify-between">
        <span className="font-semibold">{words.budget}</span>
        <span className="text-muted">
          {budget === undefined ? words.noBudget : words.tokens(showCount(budget))}
        </span>
      </span>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={budget === undefined ? STEPS : toStep(budget)}
        aria-valuetext={budget === undefined ? words.noBudget : words.tokens(showCount(budget))}
        onChange={({ currentTarget: { value } }) =>
          onChange(Number(value) >= STEPS ? undefined : toTokens(Number(value)))
        }
        className="mt-1 w-full accent-(--accent)"
      />
    </label>
  )
}

// A picture is half a megabyte of letters that nobody reads.
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= 600) return value
  return `${value.slice(0, 500)}… (${showCount(value.length)} characters)`
}

const SHOWN_CHARACTERS = 20_000

/** One block of what the model receives; a call and its result are how a skill arrives. */
function BlockCard({ block }: { block: PromptBlock }) {
  switch (block.type) {
    case "text":
      return <TextCard text={block.text} />
    case "reasoning":
      return <TextCard title={words.reasoning} text={block.text} />
    case "tool-call":
      return <TextCard title={words.call(block.name)} text={jsonOf(block.input)} />
    case "tool-result":
      return (
        <div className="space-y-2">
          <p className="text-xs text-muted">{words.result(block.name)}</p>
          {block.blocks.map((inner, at) => (
            <BlockCard key={at} block={inner} />
          ))}
        </div>
      )
    case "image":
    case "audio":
    case "video":
    case "document":
      return <MediaCard block={block} />
  }
}

function TextCard({ title, text }: { title?: string; text: string }) {
  return (
    <>
      {title && <p className="mb-1 text-xs text-muted">{title}</p>}
      <pre
        className="max-h-72 overflow-auto rounded-xl border border-line bg-sunken px-3 py-2 font-mono text-xs leading-normal whitespace-pre-wrap [overflow-wrap:anywhere]"
        tabIndex={0}
      >
        {text.slice(0, SHOWN_CHARACTERS)}
        {text.length > SHOWN_CHARACTERS && words.more(showCount(text.length - SHOWN_CHARACTERS))}
      </pre>
    </>
  )
}

function MediaCard({ block }: { block: MediaBlock }) {
  const size = block.type === "image" ? `${block.width} × ${block.height}, ` : ""
  return (
    <div className="flex items-center gap-2 rounded-xl border border-line bg-sunken px-3 py-2 text-sm">
      <FileIcon className="text-muted" />
      <span className="min-w-0 flex-1 truncate">{block.media.name}</span>
      <span className="text-xs text-muted">{`${block.media.mime}, ${size}${formatBytes(block.media.size)}`}</span>
    </div>
  )
}

function jsonOf(input: unknown): string {
  return JSON.stringify(input, null, 2) ?? ""
}
