import { openHost } from "../../packages/engine/host/host.ts"
import type { Setting } from "./run.ts"

/** What was kept, read by another process. */
export async function kept({ data }: Setting) {
  const host = await openHost({ data, workspace: null, environment: {}, turns: false })
  const sessions = await host.store.sessions({ limit: 10, archived: false, ephemeral: false })
  const messages = await Promise.all(
    sessions.map(async ({ id }) => (await host.store.history(id, { limit: 500 })).messages),
  )
  const all = messages.flat()
  const blob = async (id: string) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of host.blobs.open(id)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const bytes = new Map<string, Buffer>()
  for (const { data } of all.flatMap(({ parts }) => parts))
    if (typeof data.content_id === "string") bytes.set(data.content_id, await blob(data.content_id))
  await host.close()
  return { sessions, messages: all, bytes }
}
