import { useCallback, useState } from "react"
import type { ListedServer, ServerOffers } from "compositor-client/client"
import { useAsking } from "../state/use-request.ts"
import { useApp, useWhere } from "../state/context.ts"
import { Button, IconButton } from "../controls/controls.tsx"
import { ClipIcon } from "../controls/icons.tsx"
import { Quiet } from "./panel.tsx"
import { serversStrings as words } from "../state/strings/servers.ts"
import { TrustButton } from "./trust-button.tsx"

/** The MCP servers of this workspace: how they are, what they offer, and whether they may. */
export function Servers() {
  const { store } = useApp()
  const where = useWhere()
  const { answer, again } = useAsking(useCallback(() => store.client.mcp(where), [store, where]))
  return (
    <div className="space-y-3">
      <Button look="outline" onClick={again}>
        {words.refresh}
      </Button>
      {answer?.servers.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul className="space-y-2">
        {answer?.servers.map((server) => (
          <li key={`${server.path} ${server.server}`}>
            <ServerCard server={server} onChanged={again} />
          </li>
        ))}
      </ul>
    </div>
  )
}

type State = keyof typeof words.states

const TONES: Readonly<Record<State, string>> = {
  ready: "bg-good-soft text-good",
  failed: "bg-danger-soft text-danger",
  disabled: "bg-hover text-muted",
  untrusted: "bg-warn-soft text-warn",
}

function stateOf({ trusted, disabled, error }: ListedServer): State {
  if (!trusted) return "untrusted"
  if (disabled) return "disabled"
  return error === undefined ? "ready" : "failed"
}

function ServerCard({ server, onChanged }: { server: ListedServer; onChanged: () => void }) {
  const { actions, store } = useApp()
  const where = useWhere()
  const { server: name, path, digest, trusted, scope, error } = server
  const { tools = 0, prompts = 0, resources = 0 } = server
  const state = stateOf(server)
  const reconnect = () =>
    actions.try(async () => {
      await store.client.mcpReconnect(name, where)
      actions.say(words.reconnected(name))
      onChanged()
    })
  return (
    <div className="rounded-xl border border-line bg-surface px-3 py-2 text-sm">
      <div className="flex min-h-8 items-center gap-2">
        <span className="min-w-0 truncate font-semibold">{name}</span>
        <span className={`rounded-full px-2 py-0.5 text-xs font-medium ${TONES[state]}`}>
          {words.states[state]}
        </span>
        <span className="flex-1" />
        {(state === "ready" || state === "failed") && (
          <Button onClick={() => void reconnect()}>{words.reconnect(name)}</Button>
        )}
        {scope === "project" && (
          <TrustButton file={{ path, digest }} isTrusted={trusted} onChanged={onChanged} />
        )}
      </div>
      {error && <p className="text-danger [overflow-wrap:anywhere]">{error}</p>}
      <p className="mt-0.5 text-xs break-all text-muted">
        {[state === "ready" && words.counts(tools, prompts, resources), scope, path]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {state === "ready" && <Offers server={name} />}
    </div>
  )
}

/** Asked for when it is opened: a server with a thousand tools is told of by its numbers first. */
function Offers({ server }: { server: string }) {
  const { actions, store } = useApp()
  const where = useWhere()
  const [offers, setOffers] = useState<ServerOffers>()
  const ask = (isOpen: boolean) => {
    if (isOpen) void actions.try(async () => setOffers(await store.client.mcpOffers(server, where)))
  }
  return (
    <details className="mt-1" onToggle={(event) => ask(event.currentTarget.open)}>
      <summary className="cursor-pointer text-xs text-muted">{words.offers}</summary>
      {offers && (
        <div className="mt-2 space-y-3">
          <Listed title={words.tools} items={offers.tools} />
          <Listed title={words.prompts} items={offers.prompts} />
          <Listed
            title={words.resources}
            items={offers.resources}
            refer={({ uri = "" }) => actions.attach.part(resourceRef(server, uri))}
          />
        </div>
      )}
    </details>
  )
}

function resourceRef(server: string, uri: string) {
  return { type: "file-ref" as const, ref: { kind: "mcp" as const, server, uri } }
}

interface Item {
  readonly name: string
  readonly description?: string | undefined
  readonly uri?: string
}

interface ListedProps {
  readonly title: string
  readonly items: readonly Item[]
  readonly refer?: (item: Item) => void
}

function Listed({ title, items, refer }: ListedProps) {
  const { actions } = useApp()
  if (items.length === 0) return null
  return (
    <section>
      <h3 className="text-xs font-semibold">{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item.uri ?? item.name} className="flex items-center gap-2 py-0.5">
            <span className="min-w-0 flex-1">
              <code className="break-all">{item.uri ?? item.name}</code>
              {item.description && (
                <span className="block truncate text-xs text-muted" title={item.description}>
                  {item.description}
                </span>
              )}
            </span>
            {refer && (
              <IconButton
                className="size-7"
                label={words.refer(item.name)}
                onClick={() => {
                  refer(item)
                  actions.say(words.referred(item.name))
                }}
              >
                <ClipIcon className="size-4" />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
