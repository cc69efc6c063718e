import { useMemo, useState } from "react"
import type { StoredMessage } from "compositor-core/message/row"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { diffLines, type DiffLine, withoutSame } from "./diff.ts"
import { saveAs } from "../thread/download.ts"
import { firstWords, showCount, showModel, showMoment } from "../state/format.ts"
import { DownloadIcon } from "../controls/icons.tsx"
import { type Inspection, shortenValue, inspectionText, useInspection } from "./inspection.ts"
import { CodeBlock } from "../thread/code-block.tsx"
import { partOf, typedSource } from "../thread/message-parts.ts"
import { Panel, Quiet, Section } from "../panels/panel.tsx"
import { partLabel } from "../thread/part-view.tsx"
import { ListPicker } from "../controls/picker.tsx"
import { Receipts } from "./receipts.tsx"
import { inspectorStrings as words } from "../state/strings/inspector.ts"
import { Tabs } from "../controls/tabs.tsx"
const NONE: readonly StoredMessage[] = []

/** One message through every stage: as typed, stored, queued, lowered, sent and answered. */
export default function Inspector({ message, onClose }: InspectorProps) {
  const { actions, store } = useApp()
  const current = useStore((state) => state.current)
  const inspection = useInspection(current, message)
  const exportSession = () =>
    actions.try(async () => {
      if (!current) return
      const lines = await store.client.export({ session: current })
      await saveAs(`${current}.jsonl`, new Response(lines))
    })
  return (
    <Panel
      wide
      title={words.title}
      close={words.close}
      onClose={onClose}
      about={words.about}
      head={
        <Button onClick={() => void exportSession()}>
          <DownloadIcon className="size-4" />
          {words.export}
        </Button>
      }
    >
      {!current && <Quiet>{words.none}</Quiet>}
      {current && !inspection && <Quiet>{words.waiting}</Quiet>}
      {inspection && <Stages inspection={inspection} />}
    </Panel>
  )
}

interface InspectorProps {
  readonly message: string | undefined
  readonly onClose: () => void
}

function Stages({ inspection }: { inspection: Inspection }) {
  const last = inspection.turns.at(-1)
  return (
    <Tabs
      label={words.stages}
      tabs={[
        { name: words.timeline, children: () => <Timeline inspection={inspection} /> },
        {
          name: words.receipts,
          children: () =>
            last ? (
              <Receipts
                receipts={last.receipts}
                partFor={(receipt) => partIn(inspection, receipt.part)}
              />
            ) : (
              <Quiet>{words.noTurn}</Quiet>
            ),
        },
        {
          name: words.system,
          children: () =>
            last?.system_prompt ? (
              <CodeBlock language="text" text={last.system_prompt} />
            ) : (
              <Quiet>{words.noSystem}</Quiet>
            ),
        },
        { name: words.tools, children: () => <Tools inspection={inspection} /> },
        {
          name: words.wire,
          children: () => (
            <CodeBlock language={inspection.lowered.api} text={inspectionText(inspection)} />
          ),
        },
        {
          name: words.rows,
          children: () => (
            <CodeBlock
              language="json"
              text={JSON.stringify(
                { session: inspection.session, messages: inspection.messages },
                shortenValue,
                2,
              )}
            />
          ),
        },
        { name: words.compare, children: () => <Comparison inspection={inspection} /> },
      ]}
    />
  )
}

function partIn({ parts }: Inspection, id: string) {
  const found = parts.find((part) => part.id === id)
  return found?.part as ReturnType<typeof partOf> | undefined
}

function Timeline({ inspection: { timeline, turns, queue, composed, usage } }: StageProps) {
  const turn = turns.at(-1)?.turn
  return (
    <div className="space-y-4">
      <ol className="space-y-1.5 border-l-2 border-line pl-4 text-sm">
        {timeline.map(({ at, what, id }, index) => (
          <li key={`${id} ${index}`} className="flex flex-wrap gap-x-3">
            <span className="font-medium">{what}</span>
            <time
              className="text-muted"
              dateTime={new Date(at).toISOString()}
              title={showMoment(at)}
            >
              {index === 0 ? showMoment(at) : words.later(showCount(at - (timeline[0]?.at ?? at)))}
            </time>
            <code className="text-xs text-muted">{id}</code>
          </li>
        ))}
      </ol>
      {turn && (
        <Section title={words.turn}>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
            {[
              [words.model, showModel(turn.model)],
              [words.api, turn.api ?? "–"],
              [words.state, turn.state],
              [words.digest, turn.system_prompt_digest ?? "–"],
            ].map(([name, value]) => (
              <div key={name} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-muted">{name}</dt>
                <dd className="min-w-0 truncate" title={value}>
                  {value}
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
      <Section title={words.stored}>
        <CodeBlock
          language="json"
          text={JSON.stringify({ composed, queue, usage }, shortenValue, 2)}
        />
      </Section>
    </div>
  )
}

interface StageProps {
  readonly inspection: Inspection
}

function Tools({ inspection: { turns, permissions } }: StageProps) {
  const catalog = turns.at(-1)?.tool_catalog ?? []
  return (
    <div className="space-y-4">
      {catalog.length === 0 && <Quiet>{words.noTools}</Quiet>}
      <ul className="space-y-2 text-sm">
        {catalog.map(({ name, description }) => (
          <li key={name} className="rounded-xl border border-line bg-surface px-3 py-2">
            <code className="font-semibold">{name}</code>
            <p className="text-muted">{description}</p>
          </li>
        ))}
      </ul>
      <Section title={words.permissions}>
        <CodeBlock language="json" text={JSON.stringify(permissions, null, 2)} />
      </Section>
    </div>
  )
}

function Comparison({ inspection }: StageProps) {
  const current = useStore((state) => state.current)
  const messages = useStore((state) => state.view?.messages ?? NONE)
  const said = messages.filter(({ role, id }) => role === "user" && id !== inspection.message_id)
  const [other, setOther] = useState<string>()
  const against = useInspection(other === undefined ? undefined : current, other)
  const lines = useMemo(
    () =>
      against
        ? withoutSame(diffLines(inspectionText(against), inspectionText(inspection)))
        : undefined,
    [against, inspection],
  )
  if (said.length === 0) return <Quiet>{words.nothingElse}</Quiet>
  return (
    <div className="space-y-3">
      <ListPicker
        label={words.against}
        shown={other === undefined ? words.against : undefined}
        choices={said.map((message) => ({ value: message.id, label: labelOf(message) }))}
        value={other ?? ""}
        onChoose={setOther}
      />
      {other !== undefined && !lines && <Quiet>{words.waiting}</Quiet>}
      {lines?.length === 0 && <Quiet>{words.same}</Quiet>}
      {lines && lines.length > 0 && <Diff lines={lines} />}
    </div>
  )
}

function labelOf(message: StoredMessage): string {
  return firstWords(typedSource(message) ?? message.parts.map(partOf).map(partLabel).join(" "), 60)
}

const TONES: Readonly<Record<DiffLine["type"], string>> = {
  same: "",
  gone: "bg-danger-soft text-danger",
  new: "bg-good-soft text-good",
}
const SIGNS: Readonly<Record<DiffLine["type"], string>> = { same: " ", gone: "-", new: "+" }

function Diff({ lines }: { lines: readonly (DiffLine | null)[] }) {
  return (
    <pre
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-sunken py-2 font-mono text-xs leading-normal"
    >
      {lines.map((line, at) => (
        <div key={at} className={`px-3 ${line ? TONES[line.type] : "text-muted"}`}>
          {line ? `${SIGNS[line.type]} ${line.text}` : "⋯"}
        </div>
      ))}
    </pre>
  )
}
