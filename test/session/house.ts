import type { Part } from "../../packages/core/parts/table.ts"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { type Host, type HostOptions, openHost } from "../../packages/engine/host/host.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import {
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from "../../packages/engine/providers/scripted.ts"
import type { Submission } from "../../packages/engine/submit/submit.ts"
import { temporaryFolder } from "../build.ts"
import { storeFor } from "../postgres.ts"
import { begin, wordsOf } from "../store/build.ts"

export interface House {
  readonly host: Host
  readonly model: ScriptedProvider
  readonly data: string
  readonly workspace: string
}

export interface HouseOptions extends Partial<HostOptions> {
  readonly script?: Script
}

/** A real host over a folder of its own, with a model that says what it was told to. */
export async function openHouse({ script, ...options }: HouseOptions = {}): Promise<House> {
  const model = scriptedProvider(script)
  const data = options.data ?? join(await temporaryFolder(), "data")
  const workspace = options.workspace ?? join(data, "..", "workspace")
  await mkdir(workspace, { recursive: true })
  const host = await openHost({
    workspace,
    environment: {},
    providers: new Map([[model.id, model]]),
    ...(await storeFor(data)),
    ...options,
    data,
  })
  onTestFinished(() => closeQuietly(host))
  return { host, model, data, workspace }
}

/** A test that closes its host itself need not say so. */
async function closeQuietly(host: Host) {
  await host.close().catch(() => undefined)
}

export async function newSession({ host }: Pick<House, "host">): Promise<string> {
  return (await begin(host.store, { workspace_root: host.workspace })).id
}

export async function say(
  { host }: Pick<House, "host">,
  session_id: string,
  said: string | readonly Part[],
  more: Partial<Submission> = {},
) {
  const parts: readonly Part[] = typeof said === "string" ? [{ type: "text", text: said }] : said
  const { message } = await host.submit({ session_id, parts, ...more })
  if (!message) throw new Error("the message left no row")
  return message
}

/** What was said in the session, and by whom. */
export async function transcript({ host }: Pick<House, "host">, session_id: string) {
  const { messages } = await host.store.history(session_id, { limit: 500 })
  return messages.map((message) => `${message.role}: ${wordsOf(message)}`)
}

export async function answersIn({ host }: Pick<House, "host">, session_id: string) {
  const { messages } = await host.store.history(session_id, { limit: 500 })
  return messages.filter(({ role }) => role === "assistant")
}

/** Wait until it is so; a test's own time limit ends what never comes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Wait until a session's last answer shows these words. */
export function untilSaid(house: Pick<House, "host">, session_id: string, words: string) {
  return until(async () => lastWords(await answersIn(house, session_id)) === words)
}

export function lastWords(messages: readonly StoredMessage[]): string {
  return wordsOf(messages.at(-1))
}

/** Something that holds a script until the test opens it. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: promise, open: () => resolve() }
}

interface Shown {
  readonly type: string
  readonly text?: string
  readonly media?: { readonly mime: string }
}

/** The texts of a call's newest message, media as their type. */
export function newestOf(call: ScriptedProvider["calls"][number] | undefined): string[] {
  const blocks: readonly Shown[] = call?.newest?.blocks ?? []
  return blocks.map(({ text, media, type }) => text ?? `<${media?.mime ?? type}>`)
}
