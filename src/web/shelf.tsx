import { useEffect, useState } from "react"
import type { CommandFinding, ListedCommand } from "../client/client.ts"
import { useApp, useStore } from "./context.ts"
import { Button } from "./controls.tsx"
import { showCount, showMoment, showModel } from "./format.ts"
import { Panel, Quiet, Section } from "./panel.tsx"
import { Memories } from "./shelf-memory.tsx"
import { Triggers } from "./shelf-triggers.tsx"
import { strings } from "./strings.ts"
import { Tabs } from "./tabs.tsx"

const words = strings.shelf

/** What is at hand: commands, skills, memory, triggers and models, where they come from and what is
 *  wrong with them. What the server does not have is not shown. */
export default function Shelf({ onClose }: { onClose: () => void }) {
  const remembers = useStore((state) => state.routes.has("get /v1/memory"))
  const wakes = useStore((state) => state.routes.has("get /v1/triggers"))
  return (
    <Panel wide title={words.title} close={words.close} onClose={onClose} about={words.about}>
      <Tabs
        label={words.title}
        tabs={[
          {
            name: words.commands,
            children: () => <Commands kinds={isNoSkill} none={words.noCommands} />,
          },
          {
            name: words.skills,
            children: () => <Commands kinds={isSkill} none={words.noSkills} />,
          },
          ...(remembers ? [{ name: words.memory, children: () => <Memories /> }] : []),
          ...(wakes ? [{ name: words.triggers, children: () => <Triggers /> }] : []),
          { name: words.models, children: () => <Models /> },
          { name: words.doctor, children: () => <Doctor /> },
        ]}
      />
    </Panel>
  )
}

function isSkill({ command }: ListedCommand): boolean {
  return command.kind === "skill"
}

function isNoSkill(listed: ListedCommand): boolean {
  return !isSkill(listed)
}

interface CommandsProps {
  readonly kinds: (listed: ListedCommand) => boolean
  readonly none: string
}

function Commands({ kinds, none }: CommandsProps) {
  const { store } = useApp()
  const commands = useStore((state) => state.commands)
  const [sought, setSought] = useState("")
  useEffect(() => void store.readCommands(), [store])
  const all = commands.filter(kinds)
  const wanted = sought.toLowerCase()
  const shown = all.filter(({ name, command }) =>
    `${name} ${command.description ?? ""}`.toLowerCase().includes(wanted),
  )
  return (
    <div className="space-y-3">
      <input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
        className="w-full rounded-lg border border-line-strong bg-surface px-3 py-1.5 text-sm"
      />
      {all.length === 0 && <Quiet>{none}</Quiet>}
      <ul className="space-y-2">
        {shown.map((listed) => (
          <li key={listed.name}>
            <CommandCard listed={listed} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function CommandCard({ listed: { name, because, command } }: { listed: ListedCommand }) {
  const { actions, store } = useApp()
  const current = useStore((state) => state.current)
  const { source, trust, description, argument_hint: hint, body } = command
  const setTrust = (trusted: boolean) =>
    actions.try(async () => {
      if (source.path === undefined) return
      const { digest } = command
      await store.client.commands.trust({
        path: source.path,
        trusted,
        ...(digest === undefined ? {} : { digest }),
        ...(current ? { session: current } : {}),
      })
      await store.readCommands()
    })
  return (
    <div className="rounded-xl border border-line bg-surface px-3 py-2 text-sm">
      <div className="flex items-center gap-2">
        <code className="font-semibold">{`/${name}`}</code>
        {hint && <span className="truncate text-muted">{hint}</span>}
        <span className="flex-1" />
        {trust === "untrusted" ? (
          <Button look="outline" onClick={() => void setTrust(true)}>
            {words.trust}
          </Button>
        ) : (
          source.scope === "project" &&
          source.path !== undefined && (
            <Button onClick={() => void setTrust(false)}>{words.untrust}</Button>
          )
        )}
      </div>
      {description && <p className="mt-0.5">{description}</p>}
      <p className="mt-0.5 text-xs break-all text-muted">
        {[command.kind, source.tool, source.scope, source.path, because]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {body && (
        <details className="mt-1">
          <summary className="cursor-pointer text-xs text-muted">{words.body}</summary>
          <pre
            tabIndex={0}
            className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken px-2.5 py-2 font-mono text-xs whitespace-pre-wrap"
          >
            {body}
          </pre>
        </details>
      )}
    </div>
  )
}

function Models() {
  const { actions, store } = useApp()
  const models = useStore((state) => state.models)
  const [asking, setAsking] = useState(false)
  const refresh = async () => {
    setAsking(true)
    await actions.try(async () => {
      const { catalog } = await store.client.refreshModels()
      actions.say(catalog.reason ?? words.refreshedAs(catalog.type))
      await store.readModels()
    })
    setAsking(false)
  }
  return (
    <div className="space-y-3">
      <div className="flex items-center gap-3 text-sm text-muted">
        <Button look="outline" disabled={asking} onClick={() => void refresh()}>
          {words.refresh}
        </Button>
        {models?.refreshed
          ? words.refreshed(showMoment(models.refreshed.checked_at))
          : words.embedded}
      </div>
      <ul className="space-y-2 text-sm">
        {models?.models.map((model) => (
          <li key={showModel(model)} className="rounded-xl border border-line bg-surface px-3 py-2">
            <div className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate font-medium">{model.name}</span>
              {!model.available && <span className="text-xs text-muted">{words.noKey}</span>}
            </div>
            <p className="text-xs text-muted">
              {[
                showModel(model),
                model.api,
                words.context(showCount(model.context_tokens)),
                model.input.join(", "),
                model.tools ? words.tools : words.noTools,
              ].join(" · ")}
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Doctor() {
  const { actions, store } = useApp()
  const current = useStore((state) => state.current)
  const [findings, setFindings] = useState<readonly CommandFinding[]>()
  useEffect(() => {
    let wanted = true
    void actions
      .try(() => store.client.commands.doctor(current ? { session: current } : {}))
      .then((answer) => {
        if (wanted) setFindings(answer?.findings ?? [])
      })
    return () => {
      wanted = false
    }
  }, [actions, store, current])
  if (!findings) return <Quiet>{words.waiting}</Quiet>
  if (findings.length === 0) return <Quiet>{words.healthy}</Quiet>
  return (
    <Section title={words.findings(findings.length)}>
      <ul className="space-y-2 text-sm">
        {findings.map(({ level, rule, path, line, message }) => (
          <li
            key={`${path} ${line} ${rule}`}
            className="rounded-xl border border-line bg-surface px-3 py-2"
          >
            <p>
              <span
                className={`mr-2 text-xs font-semibold ${level === "error" ? "text-danger" : "text-warn"}`}
              >
                {rule}
              </span>
              {message}
            </p>
            <p className="text-xs break-all text-muted">{`${path}:${line}`}</p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
