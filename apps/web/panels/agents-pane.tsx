import { useCallback } from "react"
import type { ListedAgent } from "compositor-client/client"
import { useAsking } from "../state/use-request.ts"
import { useApp, useStore, useWhere } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { showModel } from "../state/format.ts"
import { Quiet } from "./panel.tsx"
import { agentsStrings as words } from "../state/strings/agents.ts"
import { goTo } from "../state/token.ts"
import { TrustButton } from "./trust-button.tsx"

/** Who can answer here, what each may do, and which of them does. */
export function Agents() {
  const { store } = useApp()
  const where = useWhere()
  const { answer, again } = useAsking(useCallback(() => store.client.agents(where), [store, where]))
  const used = useStore((state) => state.view?.session.agent)
  return (
    <div className="space-y-3">
      <div className="flex items-center gap-3">
        <Button look="outline" onClick={again}>
          {words.refresh}
        </Button>
        <p className="text-xs text-muted">{words.how}</p>
      </div>
      {answer?.agents.length === 0 && <Quiet>{words.none}</Quiet>}
      <ul className="space-y-2">
        {answer?.agents.map((agent) => (
          <li key={agent.type}>
            <AgentCard agent={agent} isUsed={agent.type === used} onChanged={again} />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface AgentCardProps {
  readonly agent: ListedAgent
  readonly isUsed: boolean
  readonly onChanged: () => void
}

function AgentCard({ agent, isUsed, onChanged }: AgentCardProps) {
  const { type, description, scope, path, digest, trusted, faults, model, prompt, tools } = agent
  const isUsable = trusted && !faults
  return (
    <div className="rounded-xl border border-line bg-surface px-3 py-2 text-sm">
      <div className="flex min-h-8 items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-semibold">{type}</span>
        {isUsed && (
          <span className="rounded-full bg-good-soft px-2 py-0.5 text-xs font-medium text-good">
            {words.uses}
          </span>
        )}
        {isUsable && !isUsed && <UseButton type={type} />}
        {path !== undefined && scope === "project" && (
          <TrustButton
            file={{ path, ...(digest === undefined ? {} : { digest }) }}
            isTrusted={trusted}
            onChanged={onChanged}
          />
        )}
      </div>
      {description && <p>{description}</p>}
      {faults?.map((fault) => (
        <p key={fault} className="text-danger">
          {fault}
        </p>
      ))}
      <p className="mt-0.5 text-xs break-all text-muted">
        {[
          scope,
          model && words.model(showModel(model)),
          tools && (tools === "all" ? words.allTools : words.tools(tools.length)),
          path,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {prompt && <Folded title={words.prompt} text={prompt} />}
      {Array.isArray(tools) && <Folded title={words.toolNames} text={tools.join("\n")} />}
    </div>
  )
}

/** In an open session it takes over; without one, a session begins with it. */
function UseButton({ type }: { type: string }) {
  const { actions, store } = useApp()
  const current = useStore((state) => state.current)
  const use = () =>
    actions.try(async () => {
      if (!current) {
        const { session } = await store.client.sessions.create({ agent: type })
        return goTo(session.id)
      }
      await store.client.sessions.update(current, { agent: type })
      actions.say(words.switched(type))
    })
  return (
    <Button look="outline" onClick={() => void use()}>
      {current ? words.use : words.begin}
    </Button>
  )
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-xs text-muted">{title}</summary>
      <pre
        tabIndex={0}
        className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken px-2.5 py-2 font-mono text-xs whitespace-pre-wrap"
      >
        {text}
      </pre>
    </details>
  )
}
