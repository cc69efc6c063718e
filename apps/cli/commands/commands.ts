import type { PartData } from "compositor-core/parts/define-part"
import { isWords } from "compositor-core/parts/table"
import type { Client, ExportTarget } from "compositor-client/client"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection, workspaceFolder } from "../connect.ts"
import { readInput } from "../input.ts"
import { table } from "../show.ts"
import { printJson, printLine, tellLine } from "../print.ts"

type Where = CommonOptions & { readonly to?: ExportTarget; readonly output?: string }

export async function listCommands(options: Where) {
  await withConnection(options, async ({ client }) => {
    const { commands } = await client.commands.list({ workspace: workspaceFolder(options) })
    if (options.json) return printJson(commands.map(flat))
    const rows = commands.map(({ name, command }) => [
      `/${name}`,
      command.kind,
      command.source.tool,
      command.trust,
      command.description ?? "",
    ])
    printLine(table([["name", "kind", "from", "trust", "what it does"], ...rows]))
  })
}

interface Listed {
  readonly name: string
  readonly because?: string | undefined
  readonly command: Readonly<Record<string, unknown>>
}

function flat({ name, because, command }: Listed) {
  return { ...command, name, ...(because === undefined ? {} : { because }) }
}

export async function doctorCommands(options: Where) {
  await withConnection(options, async ({ client }) => {
    const { findings } = await client.commands.doctor({ workspace: workspaceFolder(options) })
    if (options.json) return printJson(findings)
    if (findings.length === 0) return printLine("Nothing to say: every command is what it seems.")
    const rows = findings.map((finding) => [
      finding.level,
      `${finding.path}:${finding.line}`,
      finding.message,
    ])
    printLine(table(rows))
  })
}

export async function exportCommands(options: Where) {
  const { to, output } = options
  if (to === undefined)
    throw new UsageError("--to says for which tool: claude, opencode, gemini, codex")
  await withConnection(options, async ({ client }) => {
    const exported = await client.commands.export({ workspace: workspaceFolder(options), to })
    if (output !== undefined) await writeFiles(output, exported.files)
    if (options.json) return printJson(exported)
    for (const { path, text } of exported.files)
      printLine(output === undefined ? `── ${path}\n${text}` : join(output, path))
    for (const { command, message } of exported.losses) tellLine(`/${command}: ${message}`)
  })
}

async function writeFiles(folder: string, files: readonly { path: string; text: string }[]) {
  for (const { path, text } of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

interface TrustOptions extends Where {
  readonly remove?: boolean
  readonly all?: boolean
}

/** One file, or with `--all` what the workspace says of how to work in it; else what there is. */
export async function trustCommand(file: string | undefined, options: TrustOptions) {
  const workspace = workspaceFolder(options)
  await withConnection(options, async ({ client }) => {
    if (file === undefined && !options.all) return listInstructions(client, workspace, options)
    const { files } = file === undefined ? await client.commands.instructions({ workspace }) : NONE
    const paths = file === undefined ? files.map(({ path }) => path) : [resolve(file)]
    const answers = []
    for (const path of paths)
      answers.push(await client.commands.trust({ path, trusted: !options.remove, workspace }))
    if (options.json) return printJson(file === undefined ? answers : answers[0])
    if (paths.length === 0) printLine(`${workspace} holds no instructions`)
    for (const path of file === undefined ? paths : [file])
      printLine(options.remove ? `${path} is no longer trusted` : `${path} is trusted as it is now`)
  })
}

const NONE = { files: [] }

async function listInstructions(client: Client, workspace: string, { json }: TrustOptions) {
  const { files } = await client.commands.instructions({ workspace })
  if (json) return printJson(files)
  if (files.length === 0) return printLine(`${workspace} holds no instructions`)
  const rows = files.map(({ path, trusted }) => [
    path,
    trusted ? "trusted: part of the system prompt" : "not trusted: quoted to the model",
  ])
  printLine(table(rows))
  if (files.some(({ trusted }) => !trusted))
    printLine("compositor trust --all trusts them as they are now")
}

export async function parseCommand(source: string | undefined, options: CommonOptions) {
  const text = source ?? (await readInput("-"))
  await withConnection(options, async ({ client }) => {
    const parsed = await client.commands.parse({
      source: text,
      workspace: workspaceFolder(options),
    })
    if (options.json) return printJson(parsed)
    const rows = parsed.nodes.map(({ kind, start, end, raw }) => [
      String(kind),
      `${String(start)}-${String(end)}`,
      JSON.stringify(raw),
    ])
    printLine(table(rows))
  })
}

interface ExpandOptions extends CommonOptions {
  readonly trust?: boolean
  readonly approve?: string[]
}

/** What a source comes to. `--trust` trusts the workspace's files for this call only, so the rooms
 *  are opened here and not asked of a server. */
export async function expandCommand(source: string | undefined, options: ExpandOptions) {
  const text = source ?? (await readInput("-"))
  await withConnection(
    options,
    async ({ client }) => {
      const expanded = await client.commands.expand({
        source: text,
        workspace: workspaceFolder(options),
        ...(options.approve === undefined ? {} : { approved_shell: options.approve }),
      })
      if (options.json) return printJson(expanded)
      for (const part of expanded.parts) printLine(shown(part))
      for (const { path, message } of expanded.warnings) tellLine(`${path}: ${message}`)
    },
    { trust_all: options.trust ?? false },
  )
}

function shown(part: PartData): string {
  return isWords(part) ? String(part.text) : JSON.stringify(part)
}

export async function completeCommand(source: string, options: CommonOptions & { limit: string }) {
  await withConnection(options, async ({ client }) => {
    const workspace = workspaceFolder(options)
    const limit = Number(options.limit)
    const answer = await client.commands.complete({ source, workspace, limit })
    if (options.json) return printJson(answer.items)
    if (answer.hint !== undefined) tellLine(answer.hint)
    printLine(
      table(
        answer.items.map(({ kind, insert, hint, description }) => [
          insert.trim(),
          kind,
          [hint, description].filter(Boolean).join("  "),
        ]),
      ),
    )
  })
}
