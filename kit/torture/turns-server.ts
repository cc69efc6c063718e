// One of several servers over one folder: torture/turns.ts starts, stops and kills them.

import { appendFileSync } from "node:fs"
import process from "node:process"
import { z } from "zod"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import {
  type RecordedCall,
  type ScriptStep,
  scriptedProvider,
} from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import { defineTool } from "../../packages/engine/tools/tool.ts"
import { keepCompiled } from "./compiled.ts"
import type { ServerReady } from "./server-process.ts"

export interface TurnsServerInput {
  readonly data: string
  readonly lease_ms: number
  /** Where rows are kept, when not in the folder. */
  readonly store?: string
  /** Where each first request of a turn is written down, with its time. */
  readonly calls: string
}

/** A model was asked to answer a message. */
export interface TurnsCall {
  readonly id: string
  readonly pid: number
  readonly asked_at: number
}

const { data, lease_ms, calls, store } = JSON.parse(process.argv[2] ?? "") as TurnsServerInput
const provider = scriptedProvider(answer)
const nod = defineTool({
  id: "nod",
  aliases: [],
  description: "Nods.",
  input: z.object({}),
  requires: [],
  read_only: true,
  waits: false,
  consumes: [],
  absent: undefined,
  subject: () => "",
  execute: async () => ({ data: "nodded" }),
})
const running = await serve({
  data,
  workspace: null,
  environment: {},
  providers: new Map<string, Provider>([[provider.id, provider]]),
  tools: [nod],
  sections: async () => ({}),
  lease_ms,
  ...(store === undefined ? {} : { store }),
  registered: false,
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
const ready: ServerReady = { url: running.url, token: running.token }
process.send?.(ready)
keepCompiled()

// Every answer says who wrote it, and some turns take two steps.
function answer({ newest }: RecordedCall): readonly ScriptStep[] {
  const [block] = newest?.blocks ?? []
  const said = block?.type === "text" ? block.text : ""
  if (said !== "") noteCall(said.replace("!", ""))
  const who = { text: String(process.pid), delay_ms: 1 }
  return said.endsWith("!") ? [who, { call: { id: "c1", name: "nod", input: {} } }] : [who]
}

// One short line, so that those of several processes do not mix.
function noteCall(id: string) {
  const call: TurnsCall = { id, pid: process.pid, asked_at: Date.now() }
  appendFileSync(calls, `${JSON.stringify(call)}\n`)
}
