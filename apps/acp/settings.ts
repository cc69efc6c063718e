import type { AvailableCommand, SessionConfigOption } from "@agentclientprotocol/sdk"
import type { Client, ListedCommand, ModelsAnswer } from "compositor-client/client"
import { type ModelChoice, showModelChoice } from "compositor-core/message/message"

const MAX_DESCRIPTION = 300

/** The commands that can be typed, as an editor lists them. */
export async function availableCommands(
  client: Client,
  session: string,
): Promise<AvailableCommand[]> {
  const { commands } = await client.commands.list({ session })
  return commands.filter(isUsable).map(availableCommand)
}

function isUsable({ command }: ListedCommand): boolean {
  return command.trust === "trusted"
}

function availableCommand({ name, command }: ListedCommand): AvailableCommand {
  const { description, argument_hint } = command
  const words = (command.arguments ?? []).map(({ name, required }) =>
    required ? `<${name}>` : `[${name}]`,
  )
  const hint = argument_hint ?? words.join(" ")
  return {
    name,
    description: (description ?? name).slice(0, MAX_DESCRIPTION),
    ...(hint === "" ? {} : { input: { hint } }),
  }
}

export const MODEL_OPTION = "model"

/** The models that can be asked here, as a choice of the session. */
export function configOptions(
  { models }: ModelsAnswer,
  chosen: ModelChoice,
): SessionConfigOption[] {
  const current = showModelChoice(chosen)
  const names = new Map([[current, current]])
  for (const model of models) if (model.available) names.set(showModelChoice(model), model.name)
  const options = [...names].map(([value, name]) => ({ value, name }))
  return [
    {
      id: MODEL_OPTION,
      name: "Model",
      category: "model",
      type: "select",
      currentValue: current,
      options,
    },
  ]
}

/** What of a prompt the model itself perceives; what it does not is read by tools or announced. */
export function promptCapabilities({ models }: ModelsAnswer, chosen: ModelChoice) {
  const model = models.find(
    ({ provider_id, model_id }) =>
      provider_id === chosen.provider_id && model_id === chosen.model_id,
  )
  const perceives = (sense: string) => model?.input.includes(sense) ?? false
  return { image: perceives("image"), audio: perceives("audio"), embeddedContext: true }
}
