import { errorMessage } from "compositor-core/message/untyped"
import { UserMessage } from "compositor-core/parts/user-message"
import type { LowerAnswer } from "compositor-client/client"
import type { PromptBlock } from "compositor-core/model/prompt"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection, workspaceFolder } from "../connect.ts"
import { readInput } from "../input.ts"
import { showSize, table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface LowerOptions extends CommonOptions {
  readonly api?: string
  readonly model?: string
  readonly policy?: string
  readonly budget?: string
}

const POLICIES = ["auto", "inline", "descriptor"] as const

export async function lowerCommand(file: string | undefined, options: LowerOptions) {
  const message = parse(await readInput(file), file ?? "standard input")
  const policy = policyOf(options)
  await withConnection(options, async ({ client }) => {
    const lowered = await client.lower({
      message,
      workspace_root: workspaceFolder(options),
      ...(options.api === undefined ? {} : { api: options.api }),
      ...(options.model === undefined ? {} : { model: options.model }),
      policy,
    })
    if (options.json) printJson(lowered)
    else show(lowered)
  })
}

function parse(text: string, name: string): UserMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${errorMessage(error)}`)
  }
  const parsed = UserMessage.safeParse(Array.isArray(value) ? { parts: value } : value)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `  /${path.join("/")}: ${message}`)
  throw new UsageError(`${name} is not a message:\n${faults.join("\n")}`)
}

function policyOf({ policy: text = "auto", budget }: LowerOptions) {
  const file_refs = POLICIES.find((known) => known === text)
  if (!file_refs) throw new UsageError(`--policy ${text}: say ${POLICIES.join(", ")}`)
  return budget === undefined ? { file_refs } : { file_refs, budget_tokens: tokensOf(budget) }
}

function tokensOf(text: string): number {
  const tokens = Number(text)
  if (Number.isInteger(tokens) && tokens >= 0) return tokens
  throw new UsageError(`--budget ${text}: say a number of tokens`)
}

function show(lowered: LowerAnswer) {
  const { api, model, tokens, bytes, prompt, receipts, context } = lowered
  printLine(`${model} by ${api}: about ${tokens} tokens, a request of ${showSize(bytes)}`)
  const percent = ((100 * context.used_tokens) / context.limit_tokens).toFixed(1)
  printLine(`${percent} % of its context${context.exact ? ", as the provider counts" : ""}\n`)
  for (const message of prompt.messages)
    for (const block of message.blocks) printLine(`${shown(block)}\n`)
  const rows = receipts.map((receipt) => [
    receipt.part,
    receipt.type,
    receipt.outcome,
    `${receipt.tokens} tokens`,
    receipt.reason,
  ])
  printLine(table([["part", "type", "outcome", "tokens", "why"], ...rows]))
}

function shown(block: PromptBlock): string {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text
    case "tool-call":
      return `<call of ${block.name}: ${JSON.stringify(block.input)}>`
    case "tool-result":
      return [`<result of ${block.name}>`, ...block.blocks.map(shown)].join("\n")
    case "image":
    case "audio":
    case "video":
    case "document": {
      const { name, mime, size } = block.media
      return `<${block.type} ${name}, ${mime}, ${showSize(size)}>`
    }
  }
}
