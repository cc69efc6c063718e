import { Select } from "@base-ui/react/select"
import type { ModelInfo } from "../client/client.ts"
import type { ModelChoice } from "../message/message.ts"
import { useApp, useStore } from "./context.ts"
import { itemLooks, looks, popupLooks, popups } from "./controls.tsx"
import { showCount, showModel } from "./format.ts"
import { CheckIcon, ChevronsIcon } from "./icons.tsx"
import type { AppState } from "./store.ts"
import { strings } from "./strings.ts"

/** The model that the next message goes to. */
export function chosenModel(state: AppState): ModelChoice | undefined {
  if (state.current) return state.view?.session.model
  return state.model ?? state.models?.default
}

export function ModelPicker() {
  const { actions } = useApp()
  const models = useStore((state) => state.models?.models)
  const chosen = useStore(chosenModel)
  if (!models || !chosen) return <span className="h-8" />
  const items = models.map((model) => ({ value: showModel(model), label: shortName(model.name) }))
  return (
    <Select.Root
      items={items}
      value={showModel(chosen)}
      onValueChange={(value) => {
        const model = models.find((model) => showModel(model) === value)
        if (model)
          void actions.chooseModel({ provider_id: model.provider_id, model_id: model.model_id })
      }}
    >
      <Select.Trigger
        aria-label={strings.composer.model}
        className={looks("plain", "min-w-0 gap-1")}
      >
        <Select.Value className="truncate">{(value: string) => nameOf(items, value)}</Select.Value>
        <Select.Icon>
          <ChevronsIcon className="size-3.5" />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal container={popups}>
        <Select.Positioner
          sideOffset={6}
          side="top"
          align="start"
          alignItemWithTrigger={false}
          className="z-50"
        >
          <Select.Popup className={`${popupLooks} max-h-80 min-w-64 overflow-y-auto`}>
            <Select.List>
              {models.map((model) => (
                <Select.Item
                  key={showModel(model)}
                  value={showModel(model)}
                  disabled={!model.available}
                  className={itemLooks}
                >
                  <span className="w-4">
                    <Select.ItemIndicator>
                      <CheckIcon className="size-4 text-accent" />
                    </Select.ItemIndicator>
                  </span>
                  <span className="min-w-0 flex-1">
                    <Select.ItemText className="block truncate">
                      {shortName(model.name)}
                    </Select.ItemText>
                    <span className="block truncate text-xs text-muted">
                      {model.available ? about(model) : strings.composer.unavailable}
                    </span>
                  </span>
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  )
}

/** "Mirror — shows what a model would receive" is a name and what is said of it. */
function shortName(name: string): string {
  return name.split(" — ")[0] ?? name
}

function about(model: ModelInfo): string {
  return model.name.split(" — ")[1] ?? strings.composer.context(showCount(model.context_tokens))
}

function nameOf(items: readonly { value: string; label: string }[], value: string): string {
  return items.find((item) => item.value === value)?.label ?? value
}
