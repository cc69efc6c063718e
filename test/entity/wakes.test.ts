import { describe, expect, it } from "vitest"
import { defineEntity } from "../../src/entity/definition.ts"
import type { HandlerWake } from "../../src/entity/wake.ts"
import { until } from "../session/house.ts"
import { entityHouse, input } from "./house.ts"

describe("wakes", () => {
  it("[EA-020] tells a handler that its entity began, and then what was sent", async () => {
    const wakes: HandlerWake[] = []
    const echo = defineEntity({
      type: "echo",
      handler: async (ctx) => {
        wakes.push(ctx.wake)
      },
    })
    const house = await entityHouse([echo])
    await house.spawn("/echo/one", { colour: "red" })
    const sent = await house.send("/echo/one", input("/go now"))
    await until(() => wakes.length === 2)
    expect(wakes[0]).toMatchObject({ type: "spawn", args: { colour: "red" } })
    expect(wakes[1]).toMatchObject({
      type: "inbox",
      message: {
        key: sent.key,
        message_type: "composer_input",
        type: "composer_input",
        payload: { source: "/go now", nodes: [{ kind: "slash_command", name: "go" }] },
        from: "user:local",
        mode: "immediate",
      },
    })
  })
})
