import type {
  ModelInfo,
  ModelsAnswer,
  PartOutcome,
  RefreshAnswer,
  SwitchAnswer,
  SwitchSide,
} from "compositor-client/client"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection } from "../connect.ts"
import { showAge, table } from "../show.ts"
import { printJson, printLine, tellLine } from "../print.ts"

interface ModelsOptions extends CommonOptions {
  readonly refresh?: boolean
  readonly switch?: string
}

/** List what is known of models; with `--switch`, what changes when a session goes on with one. */
export async function modelsCommand(model: string | undefined, options: ModelsOptions) {
  const session = options.switch
  if (session !== undefined && model === undefined)
    throw new UsageError(`--switch ${session}: say which model, e.g. anthropic/claude-sonnet-5-5`)
  if (session === undefined && model !== undefined)
    throw new UsageError(`${model}: a model is named together with --switch <session>`)
  await withConnection(options, async ({ client }) => {
    const news = options.refresh ? await client.refreshModels() : undefined
    if (news && !options.json) tellNews(news)
    if (session === undefined || model === undefined) {
      const answer = await client.models()
      return options.json ? printJson({ ...answer, ...(news ? { news } : {}) }) : list(answer)
    }
    const report = await client.switchReport(session, model)
    return options.json ? printJson(report) : tellSwitch(report)
  })
}

/** On standard error: what is listed afterwards is the answer. */
function tellNews({ catalog, probed }: RefreshAnswer) {
  const lines = [
    CATALOG_NEWS[catalog.type](catalog.reason ?? ""),
    ...probed.map(({ provider_id, models, error }) =>
      error === null
        ? `${provider_id} told of ${models} models`
        : `${provider_id} was asked what it can do, and did not say: ${error}`,
    ),
  ]
  tellLine(lines.join("\n"))
}

const CATALOG_NEWS: Readonly<Record<RefreshAnswer["catalog"]["type"], (why: string) => string>> = {
  updated: () => "the catalog of models is new",
  unchanged: () => "the catalog of models has no news",
  recent: () => "the catalog of models was asked for not long ago",
  failed: (why) => `the catalog of models stays as it was: ${why}`,
}

function list({ models, refreshed }: ModelsAnswer) {
  const rows = models.map((model) => [
    nameOf(model),
    model.available ? "ready" : "needs a key",
    model.api,
    model.context_tokens.toLocaleString("en-US"),
    model.input.join(", "),
    model.layers.map((mark) => mark.split("-", 1)[0]).join(" < ") || "embedded",
    model.revision,
  ])
  const head = ["model", "state", "api", "context", "sees", "known by", "revision"]
  printLine(table([head, ...rows]))
  const age = refreshed ? `last checked ${showAge(refreshed.checked_at)}` : "never fetched"
  tellLine(`the catalog of models: ${age} (compositor models --refresh)`)
}

function tellSwitch({ from, to, changes }: SwitchAnswer) {
  printLine(`from  ${side(from)}\nto    ${side(to)}\n`)
  if (changes.length === 0) return printLine("No part of the history changes.")
  const rows = changes.map(({ message_id, part, type, before, after }) => [
    message_id,
    part,
    type,
    `${fate(before)} → ${fate(after)}`,
    after?.reason ?? "",
  ])
  printLine(table([["message", "part", "type", "outcome", "why"], ...rows]))
}

function side(one: SwitchSide): string {
  const { tokens, context_tokens, fits } = one
  const [used, room] = [tokens, context_tokens].map((count) => count.toLocaleString("en-US"))
  return `${nameOf(one)} by ${one.api}: about ${used} of ${room} tokens, ${fits ? "fits" : "does not fit"}`
}

function nameOf({ provider_id, model_id }: Pick<ModelInfo, "provider_id" | "model_id">): string {
  return provider_id === model_id ? model_id : `${provider_id}/${model_id}`
}

export function fate(told: PartOutcome | null): string {
  return told ? `${told.outcome} (${told.tokens} tokens)` : "nothing"
}
