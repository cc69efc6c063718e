// Skills at an address are fetched as carefully as pages are (finding F13b).

import { existsSync, readdirSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeFolders, startServer, until } from "./outside/product.ts"

const SKILL = "---\nname: far\ndescription: What is far away.\n---\nGo there.\n"

describe("a server of skills", () => {
  it("[SKL-011] leads to nothing else inside the network, and is kept where it answers itself", async () => {
    const asked: string[] = []
    const inside = await listen((request, response) => {
      asked.push(request.url ?? "")
      response.end(SKILL)
    })
    const evil = await listen((request, response) => {
      if (request.url === "/index.json") return void response.end(index("far"))
      response.writeHead(302, { location: `${inside}/admin` }).end()
    })
    const honest = await listen((request, response) => {
      if (request.url === "/index.json") return void response.end(index("near"))
      if (request.url === "/moved") return void response.end(SKILL.replace("far", "near"))
      response.writeHead(302, { location: "/moved" }).end()
    })
    const config = JSON.stringify({ skills: { urls: [evil, honest] } })
    const folders = await makeFolders({ "data/config.json": config })
    const server = await startServer({ folders })
    const kept = () => skillsIn(join(folders.data, "remote-skills"))
    await until(() => kept().includes("near"), "the honest server's skill was kept")
    expect(kept()).toEqual(["near"])
    expect(asked).toEqual([])
    expect(server.log).toMatch(
      /the skills of .* could not be fetched: .*not on the public internet/,
    )
  })
})

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function index(name: string): string {
  return JSON.stringify({ skills: [{ name, files: ["SKILL.md"] }] })
}

function skillsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map((address) => join(folder, address, "skills"))
    .filter(existsSync)
    .flatMap((skills) => readdirSync(skills))
}
