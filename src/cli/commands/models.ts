import { type CommonOptions, connected } from "../connect.ts"
import { printJson, printLine, table } from "../show.ts"

export async function modelsCommand(options: CommonOptions) {
  await connected(options, async ({ client }) => {
    const answer = await client.models()
    if (options.json) return printJson(answer)
    const rows = answer.models.map((model) => [
      model.provider_id === model.model_id
        ? model.model_id
        : `${model.provider_id}/${model.model_id}`,
      model.available ? "ready" : "needs a key",
      model.input.join(", "),
      model.name,
    ])
    printLine(table([["model", "state", "sees", "name"], ...rows]))
  })
}
