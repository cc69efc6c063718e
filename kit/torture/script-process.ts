// One scripted session behind the real door, in a process that is traced: torture/traced.ts starts it.

import { closeSync, openSync, writevSync } from "node:fs"
import { open } from "node:fs/promises"
import process from "node:process"
import { setTimeout as pause } from "node:timers/promises"
import { type Host, openHost } from "../../packages/engine/host/host.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { createApp } from "../../packages/server/app.ts"
import { play } from "./script.ts"
import { CLOSING, EXIT_BROKEN, type Line, type ScriptInput } from "./traced.ts"

/** A turn that could not be ended is taken up again before this. */
const RECOVERY_MS = 20_000

const { data, ledger, rounds, ahead } = JSON.parse(process.argv[2] ?? "") as ScriptInput
const file = openSync(ledger, "a")
await goAhead()
const host = await opened()
const app = createApp(host, {
  rules: { token: "torture", hosts: () => ["torture"] },
  log: () => {},
})
await play({ app, idle, note, rounds })
note(CLOSING)
await host.close().catch((error: unknown) => {
  refused("CLOSE", error)
  if (codeOf(error).includes("FSYNC")) process.exit(EXIT_BROKEN)
})
closeSync(file)
process.exit(0)

// A fault is injected at the Nth call of any thread. When this thread's calls are the ones that are
// hurt, it is ahead of the others from the start, so that no other thread's Nth call is in its way.
async function goAhead() {
  const elsewhere = await open(ledger, "r")
  for (let left = ahead; left > 0; left--) await elsewhere.sync()
  await elsewhere.close()
}

function opened(): Promise<Host> {
  const provider = scriptedProvider([{ text: "It is so." }])
  return openHost({
    data,
    workspace: null,
    environment: {},
    providers: new Map<string, Provider>([[provider.id, provider]]),
    tools: [],
    sections: async () => ({}),
    thread: true,
    // What a server does: nothing more may be acknowledged.
    broken: () => process.exit(EXIT_BROKEN),
  }).catch((error: unknown) => {
    refused("OPEN", error)
    process.exit(1)
  })
}

/** Nothing runs here, and nothing is left that should. */
async function idle() {
  const began = performance.now()
  do {
    await host.idle()
    if ((await host.store.liveTurns()).length === 0) return
    await pause(50)
  } while (performance.now() - began < RECOVERY_MS)
}

function refused(method: string, error: unknown) {
  note({ type: "refused", method, path: "", status: 507, code: codeOf(error) })
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? ""
}

// One call that no other part of the process makes, so that a trace can tell it from what is tortured.
function note(line: Line) {
  writevSync(file, [Buffer.from(JSON.stringify(line)), Buffer.from("\n")])
}
