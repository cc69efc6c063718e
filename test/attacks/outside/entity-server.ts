// An embedder's program: a server with an entity type of its own. It is started, never imported.
// The handler asks the model, and writes a row for each wake that it was given.

import { existsSync } from "node:fs"

const checkout = process.env["CHECKOUT"] ?? ""
// A build from before the packages had its sources in one folder.
const isOld = existsSync(`${checkout}/src`)
const { serve } = await import(`${checkout}/${isOld ? "src" : "packages"}/server/serve.ts`)
const { defineEntity } = await import(
  `${checkout}/${isOld ? "src/entity" : "packages/engine/entities"}/definition.ts`
)

const anything = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
}

// oxlint-disable-next-line typescript/no-explicit-any
type Context = any

async function note(ctx: Context, how: string, wake: Context) {
  const { key, message_type, payload } = wake.message
  const said = payload?.source ?? payload?.text ?? JSON.stringify(payload)
  await ctx.db.collections.heard.upsert({ id: `${key} ${how}`, how, message_type, said })
}

const hearing = (type: string, listens: boolean) =>
  defineEntity({
    type,
    resolve: "handler",
    slashCommands: [{ name: "search", description: "Search" }],
    state: { heard: { schema: anything, primaryKey: "id" } },
    async handler(ctx: Context) {
      if (ctx.wake.type !== "inbox") return
      await note(ctx, "wake", ctx.wake)
      const steered = (wake: Context) => note(ctx, "steered", wake)
      await ctx.agent(listens ? { steered } : {})
    },
  })

const running = await serve({
  data: process.env["COMPOSITOR_DATA"],
  workspace: process.cwd(),
  environment: process.env,
  entities: [hearing("busy", false), hearing("listening", true), defineEntity({ type: "plain" })],
})
const { url, token, link } = running
process.stdout.write(JSON.stringify({ url, token, link }))
process.on("SIGTERM", () => void running.close().then(() => process.exit(0)))
