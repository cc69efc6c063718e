import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { RemoteSkills } from "../../packages/engine/skills/remote-skills.ts"
import { temporaryFolder } from "../build.ts"
import { openHouse, until } from "../session/house.ts"

/** A server of skills, and what it was asked for. */
async function offering(files: Record<string, string>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? "")
    const body = files[(request.url ?? "").replace(/\?.*$/, "")]
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/skills`, asked, files }
}

const HEAD = "---\nname: far\ndescription: What is far away.\n---\nGo there.\n"
const INDEX = JSON.stringify({ skills: [{ name: "far", files: ["SKILL.md", "scripts/go.sh"] }] })
const FILES = {
  "/skills/index.json": INDEX,
  "/skills/far/SKILL.md": HEAD,
  "/skills/far/scripts/go.sh": "echo go\n",
}

describe("skills at an address", () => {
  it("[SKL-002] are fetched by a server and offered like those of a folder", async () => {
    const { url } = await offering(FILES)
    const data = await temporaryFolder()
    await writeFile(join(data, "config.json"), JSON.stringify({ skills: { urls: [url] } }))
    const { host, workspace } = await openHouse({ data, extent: "full", fires: true })
    await until(async () => (await host.workspaces.skills(workspace)).has("far"))
    const skill = (await host.workspaces.skills(workspace)).get("far")
    expect(skill).toMatchObject({ description: "What is far away.", trust: "trusted" })
  })

  async function fetched(url: string, data: string) {
    const said: string[] = []
    const remote = new RemoteSkills({ data, urls: [url], log: (message) => said.push(message) })
    remote.start()
    await remote.settled()
    return said
  }

  it("[SKL-002] are fetched once: what changes elsewhere changes nothing here", async () => {
    const { url, asked } = await offering(FILES)
    const data = await temporaryFolder()
    expect(await fetched(url, data)).toEqual([])
    expect(asked).toHaveLength(3)
    await fetched(url, data)
    expect(asked).toHaveLength(3)
    await fetched(`${url}?v=2`, data)
    expect(asked.slice(3)).toEqual([
      "/skills/index.json?v=2",
      "/skills/far/SKILL.md?v=2",
      "/skills/far/scripts/go.sh?v=2",
    ])
  })

  const refused = (files: Record<string, string>, why: RegExp) => async () => {
    const { url } = await offering(files)
    expect(await fetched(url, await temporaryFolder())).toEqual([expect.stringMatching(why)])
  }
  const listing = (...files: string[]) => ({
    "/skills/index.json": JSON.stringify({ skills: [{ name: "far", files }] }),
  })

  it(
    "[SKL-002] are told about when there is no list",
    refused({}, /index\.json was answered with 404/),
  )
  it("stay in their folder", refused(listing("../../x"), /index\.json: \/skills\/0\/files\/0/))
  it("hide no files", refused(listing(".git/hooks/x"), /index\.json: \/skills\/0\/files\/0/))
  it("are taken whole or not at all", refused(listing("SKILL.md"), /far\/SKILL\.md was answered/))
  it(
    "are no larger than they may be",
    refused(
      { ...listing("a.md"), "/skills/far/a.md": "x".repeat(3_000_000) },
      /a\.md is too large/,
    ),
  )
})
