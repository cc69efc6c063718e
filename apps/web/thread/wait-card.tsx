import { useState } from "react"
import { useApp } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { WAITS } from "../controls/focus.ts"
import { strings } from "../state/strings.ts"
import type { OpenWait } from "./waits.ts"

const words = strings.wait

/** Where a person says what a turn waits to hear. */
export function WaitCard({ open, input }: { open: OpenWait; input: unknown }) {
  switch (open.wait.for) {
    case "approval":
      return <Approval open={open} />
    case "answer":
      return <Questions open={open} input={input} />
    case "interrupted":
      return <Interrupted open={open} />
  }
}

const FRAME = "border-t border-line bg-warn-soft px-3 py-2.5 text-warn"

function Approval({ open: { wait, place } }: { open: OpenWait }) {
  const { actions, store } = useApp()
  const { calls } = store.client
  const subjects = wait.asks.map(({ permission, subject }) => `${permission}: ${subject}`)
  return (
    <div {...WAITS} role="group" aria-label={words.approval(wait.tool)} className={FRAME}>
      <p className="font-semibold">{words.approval(wait.tool)}</p>
      {wait.reason && <p>{wait.reason}</p>}
      {subjects.map((subject) => (
        <p key={subject} className="font-mono text-xs [overflow-wrap:anywhere]">
          {subject}
        </p>
      ))}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="solid" onClick={() => void actions.try(() => calls.approve(place))}>
          {words.once}
        </Button>
        <Button
          look="outline"
          className="h-9"
          onClick={() => void actions.try(() => calls.approve(place, { always: true }))}
        >
          {words.always}
        </Button>
        <Button
          look="outline"
          className="h-9"
          onClick={() => void actions.try(() => calls.deny(place))}
        >
          {words.deny}
        </Button>
      </div>
    </div>
  )
}

interface Question {
  readonly question: string
  readonly header?: string
  readonly options?: readonly (string | { readonly label: string; readonly description?: string })[]
  readonly multi_select?: boolean
}

function Questions({ open: { place }, input }: { open: OpenWait; input: unknown }) {
  const { actions, store } = useApp()
  const questions = (input as { questions?: Question[] } | null)?.questions ?? []
  const [answers, setAnswers] = useState<readonly (readonly string[])[]>([])
  const answered = questions.every((_, at) => (answers[at] ?? []).some((one) => one.trim() !== ""))
  const set = (at: number, next: readonly string[]) =>
    setAnswers(questions.map((_, index) => (index === at ? next : (answers[index] ?? []))))
  return (
    <div {...WAITS} role="group" aria-label={words.questions} className={`${FRAME} space-y-3`}>
      {questions.map((question, at) => (
        <QuestionField
          key={question.question}
          question={question}
          given={answers[at] ?? []}
          onChange={(next) => set(at, next)}
        />
      ))}
      <Button
        look="solid"
        disabled={!answered}
        onClick={() => void actions.try(() => store.client.calls.answer(place, { answers }))}
      >
        {words.answer}
      </Button>
    </div>
  )
}

interface QuestionProps {
  readonly question: Question
  readonly given: readonly string[]
  readonly onChange: (given: readonly string[]) => void
}

function QuestionField({ question: asked, given, onChange }: QuestionProps) {
  const { question, header, options = [], multi_select: several = false } = asked
  const labels = options.map((option) => (typeof option === "string" ? option : option.label))
  const own = given.find((one) => !labels.includes(one)) ?? ""
  const toggle = (label: string) => {
    if (!several) return onChange([label])
    onChange(given.includes(label) ? given.filter((one) => one !== label) : [...given, label])
  }
  return (
    <fieldset>
      <legend className="font-semibold">{header ? `${header}: ${question}` : question}</legend>
      {labels.map((label) => (
        <label key={label} className="mt-1 flex items-center gap-2 text-ink">
          <input
            type={several ? "checkbox" : "radio"}
            name={question}
            checked={given.includes(label)}
            onChange={() => toggle(label)}
          />
          {label}
        </label>
      ))}
      <input
        aria-label={labels.length > 0 ? words.other(question) : question}
        placeholder={labels.length > 0 ? words.otherHint : words.answerHint}
        value={own}
        onChange={({ currentTarget: { value } }) => {
          const chosen = several ? given.filter((one) => labels.includes(one)) : []
          onChange(value === "" ? chosen : [...chosen, value])
        }}
        className="mt-1.5 w-full rounded-lg border border-line-strong bg-surface px-2.5 py-1 text-ink"
      />
    </fieldset>
  )
}

function Interrupted({ open: { wait, place } }: { open: OpenWait }) {
  const { actions, store } = useApp()
  const { calls } = store.client
  return (
    <div {...WAITS} role="group" aria-label={words.interrupted(wait.tool)} className={FRAME}>
      <p>{words.interrupted(wait.tool)}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="solid" onClick={() => void actions.try(() => calls.retry(place))}>
          {words.retry}
        </Button>
        <Button
          look="outline"
          className="h-9"
          onClick={() => void actions.try(() => calls.skip(place))}
        >
          {words.skip}
        </Button>
      </div>
    </div>
  )
}
