import { useState } from "react"
import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { showCount, showModel, showMoment } from "../state/format.ts"
import { panelStrings as words } from "../state/strings/shelf.ts"

/** The models that are known, what each takes, and when that was last looked up. */
export function Models() {
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
