import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { chooseModel } from "../../packages/core/commands/queue-effect.ts"
import { newId } from "../../packages/core/message/id.ts"
import { Leaving } from "../../packages/server/health-leaving.ts"
import { openSqliteStore } from "../../packages/engine/store/sqlite/sqlite-store.ts"
import { temporaryFolder } from "../build.ts"
import {
  begin,
  enqueue,
  fire,
  keyOf,
  MODEL,
  OWNER,
  textMessage,
  waitingIn,
} from "../store/build.ts"

describe("a server that leaves", () => {
  async function opened() {
    const file = join(await temporaryFolder(), "compositor.db")
    const store = await openSqliteStore({ file, thread: false })
    onTestFinished(() => store.close())
    const leaving = new Leaving()
    return { leaving, store: leaving.through(store) }
  }

  it("[OPS-01] ends a command's turn and claims nothing after it", async () => {
    const { leaving, store } = await opened()
    const { id } = await begin(store)
    const { claim } = await fire(store, id, "/model other")
    await enqueue(store, id, "next")
    leaving.begin()
    const { turn, next } = await store.performAction({
      ...keyOf(claim.turn),
      action: chooseModel(MODEL),
      branch_id: newId("ses"),
      answer_id: newId("msg"),
      part_id: newId("prt"),
      owner: OWNER,
    })
    expect([turn.state, next]).toEqual(["finished", null])
    expect(await waitingIn(store, id)).toEqual(["next"])
  })

  it("[OPS-01] makes an entity and leaves its first wake to whoever stays", async () => {
    const { leaving, store } = await opened()
    leaving.begin()
    const session_id = newId("ses")
    const session = { id: session_id, agent: "keeper", title: "k", workspace_root: null }
    const { claim } = await store.spawnEntity({
      session: { ...session, model: MODEL, metadata: {}, principal: null },
      type: "keeper",
      name: "k",
      args: null,
      tags: {},
      parent: null,
      spawned_by: null,
      commands: [],
      commands_digest: "sha256:none",
      wake: textMessage(session_id, "spawned", { owner: OWNER }),
    })
    expect(claim).toBeNull()
    expect(await store.claimable()).toEqual([session_id])
  })
})
