import { useCallback, useEffect, useState } from "react"
import type { ListedCommand } from "compositor-client/client"
import { useAsking } from "../state/use-request.ts"
import { useApp, useStore, useWhere } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { Quiet, Section } from "./panel.tsx"
import { panelStrings as words } from "../state/strings/shelf.ts"
import { TrustButton } from "./trust-button.tsx"

export function isSkill({ command }: ListedCommand): boolean {
  return command.kind === "skill"
}

export function isNoSkill(listed: ListedCommand): boolean {
  return !isSkill(listed)
}

interface CommandsProps {
  readonly kinds: (listed: ListedCommand) => boolean
  readonly none: string
}

/** What can be typed after a slash here, where it is from, and what it says. */
export function CommandsPane({ kinds, none }: CommandsProps) {
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
      <div className="flex gap-2">
        <input
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          className="min-w-0 flex-1 rounded-lg border border-line-strong bg-surface px-3 py-1.5 text-sm"
        />
        <Button look="outline" onClick={() => void store.readCommands()}>
          {words.refresh}
        </Button>
      </div>
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
  const { store } = useApp()
  const { source, trust, description, argument_hint: hint, digest } = command
  const body = "body" in command ? command.body : undefined
  return (
    <div className="rounded-xl border border-line bg-surface px-3 py-2 text-sm">
      <div className="flex items-center gap-2">
        <code className="font-semibold">{`/${name}`}</code>
        {hint && <span className="truncate text-muted">{hint}</span>}
        <span className="flex-1" />
        {source.path !== undefined && (trust === "untrusted" || source.scope === "project") && (
          <TrustButton
            file={{ path: source.path, ...(digest === undefined ? {} : { digest }) }}
            isTrusted={trust !== "untrusted"}
            onChanged={() => void store.readCommands()}
          />
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

/** What is wrong with the files of commands and skills. */
export function Doctor() {
  const { store } = useApp()
  const where = useWhere()
  const { answer, again: askAgain } = useAsking(
    useCallback(() => store.client.commands.doctor(where), [store, where]),
  )
  if (!answer) return <Quiet>{words.waiting}</Quiet>
  const { findings } = answer
  const again = (
    <Button look="outline" onClick={askAgain}>
      {words.refresh}
    </Button>
  )
  if (findings.length === 0)
    return (
      <div className="space-y-3">
        {again}
        <Quiet>{words.healthy}</Quiet>
      </div>
    )
  return (
    <Section title={words.findings(findings.length)}>
      <div className="mb-3">{again}</div>
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
