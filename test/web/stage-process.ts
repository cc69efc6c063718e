// A server of its own, which a test kills: `node test/web/stage-process.ts '{"data":…}'`. What is
// asked with "hold" in it is answered by half, and then never, unless the folder has a file `go`.

import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import { scriptedProvider } from "../../packages/engine/providers/scripted.ts"
import { serve } from "../../packages/server/serve.ts"

export interface StageSettings {
  readonly data: string
  readonly workspace: string
  readonly port: number
}

/** An entity that learns a command for each message it gets, beside those of its workspace. */
const clerk = defineEntity({
  type: "clerk",
  resolve: "submit",
  slashCommands: [{ name: "file-it", description: "Put it into the files" }],
  handler: async (ctx) => {
    if (ctx.wake.type !== "inbox") return
    await ctx.slashCommands.register({ name: "stamp", description: "Put a stamp on it" })
  },
})

const settings = JSON.parse(process.argv[2] ?? "{}") as StageSettings
const running = await serve({
  ...settings,
  environment: {},
  registered: false,
  entities: [clerk],
  providers: new Map([
    [
      "mirror",
      scriptedProvider(({ newest }) => {
        const [block] = newest?.blocks ?? []
        const text = block && "text" in block ? block.text : ""
        const begin = { text: `You said: **${text.split("\n")[0]}**` }
        const end = { text: "\n\nThat is all of it." }
        return text.includes("hold") ? [begin, { wait: goes() }, end] : [begin, end]
      }),
    ],
  ]),
})
const { url, token, link } = running
console.log(JSON.stringify({ url, token, link }))

async function goes() {
  while (!existsSync(join(settings.workspace, "go"))) await pause(50)
}
