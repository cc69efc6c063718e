// A server in a process of its own, for tests of two that live on one folder.

import { join } from "node:path"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"

const [folder = ""] = process.argv.slice(2)
const model = scriptedProvider([{ text: "ok" }])
const running = await serve({
  data: join(folder, "data"),
  workspace: join(folder, "workspace"),
  environment: { HOME: join(folder, "home") },
  providers: new Map([[model.id, model]]),
  registered: false,
})
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
process.send?.("ready")
