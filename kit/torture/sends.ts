import { isDeepStrictEqual } from "node:util"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newId } from "../../packages/core/message/id.ts"
import { serve } from "../../packages/server/serve.ts"

export interface SendsOptions {
  readonly keys: number
}

const AT_ONCE = 5
const KEYS_AT_ONCE = 40
const SESSIONS = 10

/** Each message is sent five times at once; it must be there once, and every answer must say the same. */
export async function tortureSends({ keys }: SendsOptions): Promise<boolean> {
  const began = performance.now()
  const data = await mkdtemp(join(tmpdir(), "compositor-sends-"))
  const server = await serve({ data, workspace: null, environment: {}, registered: false })
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const sessions = Array.from({ length: SESSIONS }, () => newId("ses"))
  for (const id of sessions) await call("POST", "/v1/sessions", { id, workspace_root: null })
  let different = 0
  let twice = 0
  const send = async (at: number) => {
    const body = {
      id: newId("msg"),
      parts: [{ type: "text", text: `message ${at}` }],
      mode: "paused",
    }
    const path = `/v1/sessions/${sessions[at % SESSIONS] ?? ""}/messages`
    const sends = Array.from({ length: AT_ONCE }, () => call("POST", path, body))
    const answers = await Promise.all(sends)
    const [first] = answers
    if (!answers.every(({ status, body }) => status === 201 && isSame(body, first?.body)))
      different += 1
    if (answers.filter(({ body }) => body.replayed === false).length !== 1) twice += 1
  }
  for (let at = 0; at < keys; at += KEYS_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(KEYS_AT_ONCE, keys - at) }, (_, more) => send(at + more)),
    )
  let kept = 0
  for (const id of sessions) kept += await server.host.store.queuedCount(id)
  await server.close()
  await rm(data, { recursive: true, force: true })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`sends: ${keys} keys, ${AT_ONCE} times each at once, ${seconds} s`)
  console.log(`${kept} messages, ${different} keys with different answers, ${twice} not new once`)
  return kept === keys && different === 0 && twice === 0
}

interface Answer {
  readonly message?: unknown
  readonly replayed?: boolean
}

function isSame(one: Answer, other: Answer | undefined): boolean {
  return one.message !== undefined && isDeepStrictEqual(one.message, other?.message)
}
