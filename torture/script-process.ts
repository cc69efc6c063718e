// One scripted session behind the real door, in a process that is traced: torture/traced.ts starts it.

import { closeSync, openSync, writevSync } from "node:fs"
import process from "node:process"
import { openHost } from "../src/host.ts"
import type { Provider } from "../src/provider/provider.ts"
import { scripted } from "../src/provider/scripted.ts"
import { createApp } from "../src/server/app.ts"
import { play } from "./script.ts"
import { CLOSING, EXIT_BROKEN, type Line, type ScriptInput } from "./traced.ts"

const { data, ledger, rounds } = JSON.parse(process.argv[2] ?? "") as ScriptInput
const file = openSync(ledger, "a")
const provider = scripted([{ text: "It is so." }])
const host = await openHost({
  data,
  workspace: null,
  environment: {},
  providers: new Map<string, Provider>([[provider.id, provider]]),
  tools: [],
  sections: async () => ({}),
  thread: true,
  // What a server does: nothing more may be acknowledged.
  broken: () => process.exit(EXIT_BROKEN),
})
const app = createApp(host, {
  rules: { token: "torture", hosts: () => ["torture"] },
  log: () => {},
})
await play({ app, idle: () => host.idle(), note, rounds })
note(CLOSING)
await host.close()
closeSync(file)
process.exit(0)

// One call that no other part of the process makes, so that a trace can tell it from what is tortured.
function note(line: Line) {
  writevSync(file, [Buffer.from(JSON.stringify(line)), Buffer.from("\n")])
}
