import type { Json, Kit } from "./kit.ts"
import type { Reply } from "./model-server.ts"
import { until } from "./kit.ts"

type Calls = NonNullable<Reply["calls"]>

/** Let the model make these calls in one step, and give what became of each, as it is stored. */
export async function called(kit: Kit, id: string, ...calls: Calls): Promise<Json[]> {
  kit.model.playCalls(calls)
  await kit.client.send(id, { parts: [{ type: "text", text: "Do it." }] })
  await kit.rest(id)
  return lastCalls(kit, id, calls.length)
}

/** The same where a person is asked first, and says yes to all of it. */
export async function approved(kit: Kit, id: string, ...calls: Calls): Promise<Json[]> {
  kit.model.playCalls(calls)
  await kit.client.send(id, { parts: [{ type: "text", text: "Do it." }] })
  await kit.state(id, "waiting_on_approval")
  await approveAll(kit, id)
  await kit.rest(id)
  return lastCalls(kit, id, calls.length)
}

export async function approveAll(kit: Kit, id: string, always = false) {
  const turn = await kit.lastTurn(id)
  for (const { call_id } of turn.waiting)
    await kit.client.calls.approve({ session_id: id, turn_id: turn.id, call_id }, { always })
  await until(async () => (await kit.client.status(id)).state !== "waiting_on_approval", "the word")
}

async function lastCalls(kit: Kit, id: string, count: number): Promise<Json[]> {
  const parts = (await kit.messages(id)).flatMap((message) => message.parts)
  return parts
    .filter(({ type }) => type.startsWith("tool-"))
    .slice(-count)
    .map(({ data }) => data)
}

/** All that a call gave, as text. */
export function given(call: Json): string {
  return JSON.stringify(call?.output ?? call?.error_text ?? "")
}

export function failed(call: Json): boolean {
  return call?.state === "output-error"
}
