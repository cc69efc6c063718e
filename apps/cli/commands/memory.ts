import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "compositor-client/client"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection, workspaceFolder } from "../connect.ts"
import { isPiped, readInput } from "../input.ts"
import { showAge, table } from "../show.ts"
import { printJson, printLine, tellLine } from "../print.ts"

interface MemoryOptions extends CommonOptions {
  readonly scope?: string
  /** Where its text stands; `-` is standard input. */
  readonly file?: string
  readonly description?: string
  readonly type?: string
}

export async function listMemory(options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const { memories } = await client.memory.list(where(options))
    if (options.json) return printJson(memories)
    const { proposals } = await client.memory.proposals({ workspace: workspaceFolder(options) })
    if (proposals.length > 0)
      tellLine(`${proposals.length} wait for you: compositor memory proposals`)
    if (memories.length === 0) return printLine("Nothing is remembered here yet.")
    const rows = memories.map((memory) => [
      memory.name,
      memory.scope,
      memory.trusted ? memory.author.by : "untrusted",
      showAge(memory.updated_at),
      memory.description,
    ])
    printLine(table([["name", "scope", "by", "written", "what"], ...rows]))
  })
}

export async function showMemory(name: string, options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const { memory } = await client.memory.get(name, where(options))
    if (options.json) return printJson(memory)
    const { scope, type, author, path, trusted, body } = memory
    const said = [author.by, author.session_id, author.message_id].filter(Boolean).join(" ")
    tellLine(`${scope}, ${type}, by ${said}${trusted ? "" : ", untrusted"}\n${path}`)
    printLine(body)
  })
}

/** Write a memory, or another in its place: what is piped in, else what an editor leaves. */
export async function editMemory(name: string, options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const before = await found(client, name, options)
    const scope = scopeOf(options) ?? before?.scope ?? "project"
    const body = await textOf(name, before?.body ?? "", options)
    if (body.trim() === "") throw new UsageError("there is nothing in it: rm forgets a memory")
    const { description, type = before?.type } = options
    const { memory } = await client.memory.write(name, {
      workspace: workspaceFolder(options),
      scope,
      body,
      ...(description === undefined ? {} : { description }),
      ...(type === undefined ? {} : { type }),
    })
    if (options.json) printJson(memory)
    else printLine(`${memory.name} is remembered (${scope})`)
  })
}

export async function removeMemory(name: string, options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const { deleted } = await client.memory.remove(name, where(options))
    if (options.json) printJson(deleted)
    else printLine(`forgot ${deleted.name} (${deleted.scope})`)
  })
}

/** Whole, with who asked for it and when: this is what a person says yes to. */
export async function listProposals(options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const { proposals } = await client.memory.proposals({ workspace: workspaceFolder(options) })
    if (options.json) return printJson(proposals)
    if (proposals.length === 0) return printLine("Nothing is proposed.")
    for (const { id, action, scope, name, author, reason, proposed_at, ...said } of proposals) {
      const what = action === "write" ? "remember" : "forget"
      printLine(`${id}  ${what} ${name} (${scope})  ${showAge(proposed_at)}`)
      printLine(`  by ${[author.by, author.via, author.session_id].filter(Boolean).join(", ")}`)
      printLine(`  ${reason}`)
      if (action === "write") printLine(indented(`${said.description}\n\n${said.body}`))
    }
    printLine("compositor memory accept <id> does it, memory reject <id> drops it.")
  })
}

function indented(text: string): string {
  return text.replace(/^/gm, "  | ")
}

export async function decideProposal(id: string, accept: boolean, options: MemoryOptions) {
  await withConnection(options, async ({ client }) => {
    const workspace = workspaceFolder(options)
    const { proposal } = await client.memory.decide(id, { workspace, accept })
    if (options.json) return printJson(proposal)
    const { action, name, scope } = proposal
    const done = action === "write" ? "is remembered" : "is forgotten"
    printLine(`${name} (${scope}) ${accept ? done : "stays as it was"}`)
  })
}

function where(options: MemoryOptions) {
  const scope = scopeOf(options)
  return { workspace: workspaceFolder(options), ...(scope === undefined ? {} : { scope }) }
}

function scopeOf({ scope }: MemoryOptions): "user" | "project" | undefined {
  if (scope === undefined || scope === "user" || scope === "project") return scope
  throw new UsageError(`--scope ${scope}: user or project`)
}

async function found(client: Client, name: string, options: MemoryOptions) {
  const { memories } = await client.memory.list(where(options))
  const known = memories.filter((memory) => memory.name === name)
  if (known.length > 1) throw new UsageError(`${name} is in both scopes: --scope says which`)
  return known.length === 0 ? undefined : (await client.memory.get(name, where(options))).memory
}

async function textOf(name: string, before: string, { file }: MemoryOptions): Promise<string> {
  return file !== undefined || isPiped() ? readInput(file) : edited(name, before)
}

async function edited(name: string, text: string): Promise<string> {
  const editor = process.env.VISUAL || process.env.EDITOR
  if (!editor) throw new UsageError("EDITOR says with what to edit; or pipe the text in")
  const folder = await mkdtemp(join(tmpdir(), "compositor-memory-"))
  try {
    const file = join(folder, `${name.replace(/[^\w-]/g, "_")}.md`)
    await writeFile(file, text, { mode: 0o600 })
    await run(editor, file)
    return await readFile(file, "utf8")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// The variable may hold options too, as a shell reads them.
function run(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" })
    child.on("error", reject)
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new UsageError(`${editor} ended with ${code}`)),
    )
  })
}
