import { expect, it } from "vitest"
import { neighbours, serverToTry, tried } from "./house.ts"
import { faultyProxy } from "./proxy.ts"
it("x", { timeout: 100000 }, async () => {
  const server = await serverToTry()
  const url = await faultyProxy(server.url, server.token, {})
  const reports = await tried({ ...server, url }, neighbours("PER-004"))
  expect(reports.filter(({ verdict }) => verdict.type === "fail")).toEqual([])
})
