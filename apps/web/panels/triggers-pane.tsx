import { useCallback, useEffect, useState } from "react"
import type { ListedTrigger, NewTrigger } from "compositor-client/client"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { firstWords, showMoment } from "../state/format.ts"
import { Quiet } from "./panel.tsx"
import { triggersStrings as words } from "../state/strings/triggers.ts"
const MINUTE = 60_000
const FIELD =
  "mt-1 w-full rounded-lg border border-line-strong bg-canvas px-2.5 py-1.5 text-sm text-ink"

/** What wakes this session when nobody types: schedules, webhooks, other programs. */
export function TriggersPane() {
  const { actions, store } = useApp()
  const session = useStore((state) => state.current)
  const [triggers, setTriggers] = useState<readonly ListedTrigger[]>()
  const read = useCallback(
    () =>
      actions.try(async () => {
        const query = session ? { session } : {}
        setTriggers((await store.client.triggers.list(query)).triggers)
      }),
    [actions, store, session],
  )
  useEffect(() => void read(), [read])
  const fire = (id: string) =>
    actions.try(async () => {
      await store.client.triggers.fire(id)
      actions.say(words.fired)
      await read()
    })
  const remove = (id: string) =>
    actions.try(async () => {
      await store.client.triggers.remove(id)
      await read()
    })
  return (
    <div className="space-y-4">
      {session ? (
        <NewOne session={session} onAdded={() => void read()} />
      ) : (
        <Quiet>{words.needsSession}</Quiet>
      )}
      {triggers?.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul className="space-y-2">
        {triggers?.map((trigger) => (
          <li
            key={trigger.id}
            className="rounded-xl border border-line bg-surface px-3 py-2 text-sm"
          >
            <div className="flex items-center gap-1">
              <span className="min-w-0 flex-1 truncate font-semibold">
                {firstWords(trigger.prompt)}
              </span>
              <Button onClick={() => void fire(trigger.id)}>{words.fire}</Button>
              <Button className="text-danger!" onClick={() => void remove(trigger.id)}>
                {words.remove}
              </Button>
            </div>
            <p className="mt-0.5 text-xs text-muted">
              {[
                trigger.source.source,
                trigger.next_fire_at !== null && words.next(showMoment(trigger.next_fire_at)),
                trigger.fired_at !== null && words.last(showMoment(trigger.fired_at)),
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What a person may set up, and how it is said to the server. */
const SOURCES: Readonly<Record<string, (when: string) => NewTrigger["source"]>> = {
  interval: (when) => ({
    source: "schedule",
    schedule: { kind: "interval", every_ms: Math.max(1, Number(when) || 60) * MINUTE },
  }),
  cron: (when) => ({ source: "schedule", schedule: { kind: "cron", expression: when } }),
  webhook: () => ({ source: "webhook" }),
  api: () => ({ source: "api" }),
}

function NewOne({ session, onAdded }: { session: string; onAdded: () => void }) {
  const { actions, store } = useApp()
  const [kind, setKind] = useState("interval")
  const [when, setWhen] = useState("60")
  const [prompt, setPrompt] = useState("")
  const isTimed = kind === "interval" || kind === "cron"
  const add = () =>
    actions.try(async () => {
      const source = SOURCES[kind]?.(when) ?? { source: "api" }
      const { key } = await store.client.triggers.add({ session_id: session, source, prompt })
      if (key) actions.say(words.key(JSON.stringify(key)))
      setPrompt("")
      onAdded()
    })
  return (
    <div role="group" aria-label={words.add} className="grid grid-cols-2 gap-2 text-sm">
      <label className="font-medium">
        {words.kind}
        <select
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
          className={FIELD}
        >
          {Object.keys(SOURCES).map((source) => (
            <option key={source} value={source}>
              {words.kinds[source as keyof typeof words.kinds]}
            </option>
          ))}
        </select>
      </label>
      {isTimed && (
        <label className="font-medium">
          {words.when[kind]}
          <input
            value={when}
            onChange={(event) => setWhen(event.currentTarget.value)}
            className={FIELD}
          />
        </label>
      )}
      <label className="col-span-2 font-medium">
        {words.prompt}
        <textarea
          value={prompt}
          rows={2}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          className={FIELD}
        />
      </label>
      <Button look="outline" disabled={prompt.trim() === ""} onClick={() => void add()}>
        {words.add}
      </Button>
    </div>
  )
}
