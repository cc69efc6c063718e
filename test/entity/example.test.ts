import { describe, expect, it } from "vitest"
import { reviewer } from "../../examples/entity/reviewer.ts"
import { until } from "../session/house.ts"
import { entityHouse, input } from "./house.ts"

const SURROUNDINGS = {
  searchDocs: async (query: string) => ({ summary: `All about ${query}.`, url: "https://docs" }),
  pullRequest: async (number: number) => ({ title: `Change ${number}`, diff: "- a\n+ b" }),
}

async function reviewing() {
  const house = await entityHouse([reviewer(SURROUNDINGS)], { script: [{ text: "Looks good." }] })
  const id = await house.spawn("/reviewer/r")
  const settled = () =>
    until(async () => {
      const turn = await house.host.store.latestTurn(id)
      return turn?.ended_at !== null && (await house.host.store.queuedCount(id)) === 0
    })
  await settled()
  const say = async (message: object) => {
    await house.send("/reviewer/r", message)
    await settled()
    return JSON.stringify(house.model.calls.at(-1)?.prompt)
  }
  return { house, id, say }
}

describe("the reviewer of the examples", () => {
  it("[EA-011] offers its four commands", async () => {
    const { house } = await reviewing()
    const { body } = await house.ask("get", "/v1/entities/reviewer/r/commands")
    const names = body.commands.map(({ name }: { name: string }) => name)
    expect(names).toEqual(["pr-review", "quickstart", "search", "worktree"])
  })

  it("[EA-030] loads /quickstart as a skill and tells what /search found", async () => {
    const { say } = await reviewing()
    const first = await say(input("/quickstart"))
    expect(first).toContain("Ask which language")
    expect(first).not.toContain("/quickstart")
    const second = await say(input("/search logical replication"))
    expect(second).toContain("All about logical replication.")
  })

  it("[EA-032] reads several commands and references of one message together", async () => {
    const { house, id, say } = await reviewing()
    const source = "/pr-review 123 in /worktree see @Branch"
    const { payload } = input(source)
    const branch = { kind: "branch", start: 32, end: 39, raw: "@Branch", name: "Branch" }
    const said = await say({
      type: "composer_input",
      payload: { source, nodes: [...payload.nodes, branch] },
    })
    expect(said).toContain("Change 123")
    const reviews = await house.host.store.entityRows(id, "reviews")
    expect(reviews.map(({ value }) => value)).toEqual([
      { id: "123", number: 123, branch: "Branch", state: "asked" },
    ])
    const context = await house.host.store.entityRows(id, "$context")
    expect(context[0]?.value.metadata).toMatchObject({
      primary: true,
      branch: "Branch",
      worktree: expect.stringContaining(id),
    })
    await say({ type: "review_done", payload: { number: 123 } })
    expect((await house.host.store.entityRow(id, "reviews", "123"))?.value.state).toBe("done")
  })

  it("[EA-033] fails where everyone sees it", async () => {
    const { house, id, say } = await reviewing()
    await say(input("/pr-review soon"))
    expect((await house.host.store.latestTurn(id))?.error?.message).toContain("needs a number")
  })
})
