import { useMemo } from "react"
import type { ModelInfo } from "compositor-client/client"
import type { ModelChoice } from "compositor-core/message/message"
import { useApp, useStore } from "../state/context.ts"
import { showCount, showModel } from "../state/format.ts"
import { type PickerOption, ListPicker } from "../controls/picker.tsx"
import type { AppState } from "../state/store.ts"
import { strings } from "../state/strings.ts"

/** The model that the next message goes to. */
export function chosenModel(state: AppState): ModelChoice | undefined {
  if (state.current) return state.view?.session.model
  return state.model ?? state.models?.default
}

export function ModelPicker() {
  const { actions } = useApp()
  const choices = useModelChoices()
  const chosen = useStore(chosenModel)
  if (choices.length === 0 || !chosen) return <span className="h-8" />
  return (
    <ListPicker
      label={strings.composer.model}
      choices={choices}
      value={showModel(chosen)}
      onChoose={(value) => void actions.chooseModel(choiceOf(value))}
    />
  )
}

/** Every model, those that can be used first. */
export function useModelChoices(): readonly PickerOption[] {
  const models = useStore((state) => state.models?.models)
  return useMemo(() => {
    const choices = (models ?? []).map(asChoice)
    return [...choices.filter((one) => !one.disabled), ...choices.filter((one) => one.disabled)]
  }, [models])
}

function asChoice(model: ModelInfo): PickerOption {
  return {
    value: showModel(model),
    label: shortName(model.name),
    about: model.available ? about(model) : strings.composer.unavailable,
    disabled: !model.available,
  }
}

/** The way back from `showModel`. */
export function choiceOf(value: string): ModelChoice {
  const slash = value.indexOf("/")
  if (slash < 0) return { provider_id: value, model_id: value }
  return { provider_id: value.slice(0, slash), model_id: value.slice(slash + 1) }
}

/** "Mirror — shows what a model would receive" is a name and what is said of it. */
function shortName(name: string): string {
  return name.split(" — ")[0] ?? name
}

function about(model: ModelInfo): string {
  return model.name.split(" — ")[1] ?? strings.composer.context(showCount(model.context_tokens))
}
