import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { type Client, createClient } from "../../packages/client/client.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import {
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from "../../packages/engine/providers/scripted.ts"
import { type Running, serve, type ServeOptions } from "../../packages/server/serve.ts"
import { temporaryFolder } from "../build.ts"
import { until } from "../session/house.ts"

export const EVERYTHING = {
  command: process.execPath,
  args: [
    join(
      process.cwd(),
      "node_modules",
      "@modelcontextprotocol",
      "server-everything",
      "dist",
      "index.js",
    ),
    "stdio",
  ],
}

export interface Served {
  readonly running: Running
  readonly client: Client
  readonly model: ScriptedProvider
  readonly folder: string
  readonly data: string
  readonly home: string
  readonly workspace: string
}

export interface ServedOptions extends Partial<ServeOptions> {
  readonly script?: Script
  /** Files by their path below the folder: `home/…`, `data/…`, `workspace/…`. */
  readonly files?: Readonly<Record<string, string | object>>
  readonly folder?: string
}

/** The real server on a free port, over folders of its own. */
export async function openServed(options: ServedOptions = {}): Promise<Served> {
  const { script, files = {}, folder = await temporaryFolder(), ...more } = options
  const [data, home, workspace] = ["data", "home", "workspace"].map((name) => join(folder, name))
  if (!data || !home || !workspace) throw new Error("there are three folders")
  for (const each of [data, home, join(workspace, ".git")]) await mkdir(each, { recursive: true })
  await writeFiles(folder, files)
  const model = scriptedProvider(script)
  const running = await serve({
    data,
    workspace,
    environment: { HOME: home },
    providers: new Map([[model.id, model]]),
    registered: false,
    ...more,
  })
  onTestFinished(() => running.close().catch(() => undefined))
  const client = createClient({ url: running.url, token: running.token })
  return { running, client, model, folder, data, home, workspace }
}

export async function writeFiles(folder: string, files: NonNullable<ServedOptions["files"]>) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content))
  }
}

export async function newSession({ client }: Pick<Served, "client">, more: object = {}) {
  return (await client.sessions.create({ model: "scripted", ...more })).session.id
}

export async function messagesIn({ client }: Pick<Served, "client">, id: string) {
  return (await client.messages(id, { limit: 500 })).messages
}

/** Wait until the session rests, and say what stands in it. */
export async function settled(served: Pick<Served, "client">, id: string) {
  await until(async () => {
    const { status, queued } = await served.client.sessions.get(id)
    return status.state !== "busy" && status.state !== "retrying" && queued === 0
  })
  return messagesIn(served, id)
}

export function partsOf(messages: readonly StoredMessage[], type: string) {
  return messages.flatMap(({ parts }) => parts).filter((part) => part.type === type)
}
