import { readFile } from "node:fs/promises"
import type { ListedTrigger, NewTrigger } from "compositor-client/client"
import { UsageError } from "../complain.ts"
import { type CommonOptions, withConnection } from "../connect.ts"
import { showAge, table } from "../show.ts"
import { printJson, printLine } from "../print.ts"

interface TriggerOptions extends CommonOptions {
  readonly session?: string
  readonly cron?: string
  readonly timezone?: string
  readonly every?: string
  readonly at?: string
  readonly webhook?: boolean
  readonly api?: boolean
  readonly mcp?: string
  readonly reason?: string
  readonly payload?: string
  readonly delivery?: string
}

export async function addTrigger(prompt: string, options: TriggerOptions) {
  const { session, reason } = options
  if (session === undefined) throw new UsageError("--session says which session is woken")
  const source = sourceOf(options)
  await withConnection(options, async ({ client }) => {
    const about = reason === undefined ? {} : { reason }
    const added = await client.triggers.add({ session_id: session, source, prompt, ...about })
    if (options.json) return printJson(added)
    const { trigger, key } = added
    printLine(`${trigger.id}  ${whenOf(trigger)}`)
    if (!key) return
    printLine(`POST ${client.url}/v1/hooks/${trigger.id}`)
    const [said, header] = key.kind === "hmac" ? [key.secret, key.header] : [key.token, ""]
    printLine(`key, told only now: ${said} (${key.kind}, ${header})`)
  })
}

export async function listTriggers(options: TriggerOptions) {
  await withConnection(options, async ({ client }) => {
    const query = options.session === undefined ? {} : { session: options.session }
    const { triggers } = await client.triggers.list(query)
    if (options.json) return printJson(triggers)
    if (triggers.length === 0) return printLine("Nothing wakes any session.")
    const rows = triggers.map((trigger) => [
      trigger.id,
      trigger.session_id,
      trigger.source.source,
      whenOf(trigger),
      trigger.fired_at === null ? "never" : showAge(trigger.fired_at),
      trigger.prompt.split("\n", 1)[0]?.slice(0, 60) ?? "",
    ])
    printLine(table([["id", "session", "source", "next", "fired", "prompt"], ...rows]))
  })
}

export async function removeTrigger(id: string, options: TriggerOptions) {
  await withConnection(options, async ({ client }) => {
    const gone = await client.triggers.remove(id)
    if (options.json) printJson(gone)
    else printLine(`${id} wakes nobody any more`)
  })
}

export async function switchTrigger(id: string, enabled: boolean, options: TriggerOptions) {
  await withConnection(options, async ({ client }) => {
    const { trigger } = await client.triggers.switch(id, enabled)
    if (options.json) printJson(trigger)
    else printLine(`${id}  ${whenOf(trigger)}`)
  })
}

export async function fireTrigger(id: string, options: TriggerOptions) {
  await withConnection(options, async ({ client, idle }) => {
    const payload = await payloadOf(options)
    const fired = await client.triggers.fire(id, {
      ...(payload === undefined ? {} : { payload }),
      ...(options.delivery === undefined ? {} : { delivery_id: options.delivery }),
    })
    if (options.json) printJson(fired)
    else printLine(`${fired.status}  ${fired.message_id}`)
    await idle()
  })
}

function sourceOf(options: TriggerOptions): NewTrigger["source"] {
  const { cron, timezone, every, at, webhook, api, mcp } = options
  const said = [cron, every, at, webhook, api, mcp].filter((one) => one !== undefined)
  if (said.length !== 1)
    throw new UsageError("say one of --cron, --every, --at, --webhook, --api and --mcp")
  if (webhook) return { source: "webhook" }
  if (api) return { source: "api" }
  if (mcp !== undefined) return eventOf(mcp)
  if (cron !== undefined) {
    const at = timezone ? { timezone } : {}
    return { source: "schedule", schedule: { kind: "cron", expression: cron, ...at } }
  }
  if (every !== undefined)
    return { source: "schedule", schedule: { kind: "interval", every_ms: millisecondsOf(every) } }
  return { source: "schedule", schedule: { kind: "at", at: momentOf(at ?? "") } }
}

function eventOf(mcp: string): NewTrigger["source"] {
  const [server = "", ...rest] = mcp.split(":")
  const uri = rest.join(":")
  return { source: "mcp-event", server, ...(uri === "" ? {} : { uri }) }
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function millisecondsOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--every ${text}: such as 30s, 15m, 2h or 1d`)
  return Number(count) * (UNITS[unit] ?? 1)
}

function momentOf(text: string): number {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new UsageError(`--at ${text}: such as 2027-01-31T09:00:00+01:00`)
  return at
}

/** A text, JSON, or `@file` with either. */
async function payloadOf({ payload }: TriggerOptions): Promise<unknown> {
  if (payload === undefined) return undefined
  return payload.startsWith("@") ? readFile(payload.slice(1), "utf8") : payload
}

function whenOf({ next_fire_at, enabled }: ListedTrigger): string {
  if (!enabled) return "off"
  return next_fire_at === null ? "when called" : new Date(next_fire_at).toISOString()
}
