import type { PartData } from "compositor-core/parts/define-part"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Readable } from "node:stream"
import { recordOf } from "compositor-core/message/untyped"
import type { Client } from "compositor-client/client"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection, workspaceFolder } from "../connect.ts"
import { showSize } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface AttachOptions extends CommonOptions {
  readonly name?: string
  readonly mime?: string
  readonly api?: string
  readonly model?: string
}

/** Put a file into the blob store and print the part that a message carries; for a model, also what
 *  would become of it. */
export async function attachCommand(file: string, options: AttachOptions) {
  await withConnection(options, async ({ client }) => {
    const part = await uploaded(file, options, client)
    const asked = options.api !== undefined || options.model !== undefined
    const lowered = asked ? await lowerFor(part, options, client) : undefined
    if (options.json) return printJson(lowered ? { part, ...lowered } : part)
    show(part, options)
    if (!lowered) return
    const { api, model, receipt } = lowered
    printLine(`${model} by ${api}: ${receipt?.outcome ?? "nothing"}`)
    if (receipt) printLine(`${receipt.reason} (${receipt.rule}, about ${receipt.tokens} tokens)`)
  })
}

/** What the user calls its type goes along and decides nothing: its bytes do. */
async function uploaded(file: string, options: AttachOptions, client: Client): Promise<PartData> {
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new UsageError(`${file}: there is no such file`)
  if (!found.isFile()) throw new UsageError(`${file} is not a regular file`)
  const bytes = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const name = options.name ?? basename(file)
  const { part } = await client.upload(bytes, { name, inline: true })
  return options.mime === undefined ? part : { ...part, declared_mime: options.mime }
}

async function lowerFor(part: PartData, options: AttachOptions, client: Client) {
  const { api, model, receipts, prompt } = await client.lower({
    message: { parts: [part] },
    workspace_root: workspaceFolder(options),
    ...(options.api === undefined ? {} : { api: options.api }),
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  const blocks = prompt.messages.flatMap((message) => message.blocks)
  return { api, model, receipt: receipts[0], blocks }
}

function show(part: PartData, options: AttachOptions) {
  const { name, mime, size, content_id } = recordOf(part)
  printLine(`${String(name)}  ${String(mime)}  ${showSize(Number(size))}\n${String(content_id)}`)
  if (options.mime !== undefined && options.mime !== mime)
    printLine(`You called it ${options.mime}; its bytes say ${String(mime)}.`)
}
