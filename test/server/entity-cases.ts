import type { Door, Request } from "./house.ts"

type Case = readonly [path: string, request?: Request]
type Cases = () => { good: Case; bad: readonly [...Case, status: number] }

const KNOWN = "/v1/entities/assistant/known"
const NOBODY = "/v1/entities/assistant/nobody"
const INPUT = { type: "composer_input", payload: { source: "hello" } }
const DAILY = { schedule: { kind: "interval", every_ms: 86_400_000 } } as const

/** An entity with something that waits, and a schedule. */
export async function knownEntity({ host }: Door) {
  const address = { type: "assistant", id: "known" }
  const { entities, inbox, schedules } = host.entities
  const { entity } = await entities.spawn(address, {})
  const held = { ...INPUT, mode: "paused", key: "waits" }
  await inbox.send(address, held, { principal: "user:local" })
  await schedules.put(entity.session_id, "daily", DAILY)
}

/** Each route of entities, asked rightly and wrongly. */
export const ENTITY_CASES: Readonly<Record<string, Cases>> = {
  "get /v1/entity-types": () => ({
    good: ["/v1/entity-types"],
    bad: ["/v1/entity-types", { headers: { authorization: null } }, 401],
  }),
  "get /v1/entities": () => ({
    good: ["/v1/entities?type=assistant"],
    bad: ["/v1/entities?status=asleep", {}, 422],
  }),
  "put /v1/entities/:type/:id": () => ({
    good: ["/v1/entities/assistant/new", { json: { tags: { team: "x" } } }],
    bad: [KNOWN, { json: {} }, 409],
  }),
  "get /v1/entities/:type/:id": () => ({ good: [KNOWN], bad: [NOBODY, {}, 404] }),
  "delete /v1/entities/:type/:id": () => ({ good: [KNOWN], bad: [NOBODY, {}, 404] }),
  "post /v1/entities/:type/:id/fork": () => ({
    good: [`${KNOWN}/fork`, { json: { id: "copy" } }],
    bad: [`${KNOWN}/fork`, { json: { id: "known" } }, 409],
  }),
  "post /v1/entities/:type/:id/send": () => ({
    good: [`${KNOWN}/send`, { json: { ...INPUT, mode: "queued" } }],
    bad: [`${KNOWN}/send`, { json: { type: "composer_input", payload: {} } }, 422],
  }),
  "get /v1/entities/:type/:id/inbox": () => ({
    good: [`${KNOWN}/inbox`],
    bad: [`${NOBODY}/inbox`, {}, 404],
  }),
  "patch /v1/entities/:type/:id/inbox/:key": () => ({
    good: [`${KNOWN}/inbox/waits`, { json: { position: "a" } }],
    bad: [`${KNOWN}/inbox/nothing`, { json: { position: "a" } }, 404],
  }),
  "delete /v1/entities/:type/:id/inbox/:key": () => ({
    good: [`${KNOWN}/inbox/waits`],
    bad: [`${KNOWN}/inbox/nothing`, {}, 404],
  }),
  "get /v1/entities/:type/:id/commands": () => ({
    good: [`${KNOWN}/commands`],
    bad: [`${NOBODY}/commands`, {}, 404],
  }),
  "put /v1/entities/:type/:id/schedules/:name": () => ({
    good: [`${KNOWN}/schedules/other`, { json: DAILY }],
    bad: [`${KNOWN}/schedules/other`, { json: { schedule: { kind: "never" } } }, 422],
  }),
  "delete /v1/entities/:type/:id/schedules/:name": () => ({
    good: [`${KNOWN}/schedules/daily`],
    bad: [`${KNOWN}/schedules/none`, {}, 404],
  }),
}
