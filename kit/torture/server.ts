// The real server in a process that can be killed: torture/server-process.ts starts it.

import { appendFileSync } from "node:fs"
import process from "node:process"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import {
  type RecordedCall,
  type ScriptStep,
  scriptedProvider,
} from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"
import { keepCompiled } from "./compiled.ts"
import type { ServerInput, ServerReady } from "./server-process.ts"

const { data, calls } = JSON.parse(process.argv[2] ?? "") as ServerInput
const provider = scriptedProvider(answer)
const running = await serve({
  data,
  workspace: null,
  environment: {},
  providers: new Map<string, Provider>([[provider.id, provider]]),
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
// Whoever started this is gone.
process.on("disconnect", () => process.exit(1))
const ready: ServerReady = { url: running.url, token: running.token }
process.send?.(ready)
keepCompiled()

// What the model was asked is written down outside of the store, so that one can check the other.
function answer({ newest, prompt }: RecordedCall): readonly ScriptStep[] {
  const [block] = newest?.blocks ?? []
  const text = block?.type === "text" ? block.text : ""
  const [id = ""] = text.split(" ")
  const asked = prompt.filter(({ role }) => role === "user").length
  appendFileSync(calls, `${JSON.stringify({ id, asked })}\n`)
  return ["It ", "is ", "so."].map((word) => ({ text: word, delay_ms: 6 }))
}
